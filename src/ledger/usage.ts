import type { Money } from '@sluice/kernel/money';
import type { Charge } from './draw-down.ts';
import type { Hold, MeteredCall } from './hold.ts';
import * as Metered from './metered.ts';

/** One row of usage: the part of a call that was charged to one lot. `lot` is null for a call that cost nothing. */
export type Usage = {
  callId: string;
  draw: number;
  account: string;
  lot: number | null;
  plan: string | null;
  service: string;
  operation: string;
  status: number;
  units: number;
  price: number;
  amount: number;
  /** The account's own key that the call was made with. */
  key: string | null;
  /** The measurements of a metered call. */
  metered?: Metered.Metered | null;
};

/** The columns by which usage can be grouped. */
export const groups = ['service', 'operation', 'plan', 'key', 'model', 'day'] as const;
export type UsageGroup = (typeof groups)[number];

/**
 * The usage of one service, operation, plan, key, model or day. `name` is null for calls without a key or model, or that were charged to no
 * plan. `units` is without metered calls, which have `quantities`: the sum of each meter, null if no call was metered.
 */
export type UsageSum = {
  name: string | null;
  calls: number;
  units: number;
  included: number;
  cost: Money;
  quantities: Metered.Quantities | null;
};

/** The calls that a report counts: of one service, key or model. Null counts all, and an empty text those without a key or model. */
export type UsageSelection = { service: string | null; key: string | null; model: string | null };
/** Selects all calls. */
export const allCalls: UsageSelection = { service: null, key: null, model: null };

/** The columns by which the usage of a day can be divided. */
export const dailyGroups = ['service', 'model', 'key'] as const;
export type DailyGroup = (typeof dailyGroups)[number];

/** The usage of one service, model or key on one day (UTC, `2030-01-31`). `name` is empty for calls without a model or key; `included`: units that plans paid. */
export type DailyUsage = {
  day: string;
  name: string;
  calls: number;
  units: number;
  included: number;
  cost: Money;
};

/** The calls of an account on a closed day (usage-closing.ts) that have the same service, operation, plan, key and model. */
export type ClosedUsage = Pick<
  RecordedCall,
  'service' | 'operation' | 'key' | 'units' | 'included' | 'cost' | 'model' | 'quantities'
> & {
  day: string;
  calls: number;
};

/** One call as its account sees it. A call that was credited back costs nothing. A metered call has `quantities`, and no units. */
export type RecordedCall = {
  callId: string;
  atMs: number;
  service: string;
  operation: string;
  status: number;
  plans: string[];
  key: string | null;
  units: number;
  included: number;
  cost: Money;
  isReturned: boolean;
  model: string | null;
  quantities: Metered.Quantities | null;
};

/** The usage of accounts. */
export interface UsageRecord {
  sums(
    account: string,
    fromMs: number,
    toMs: number,
    group: UsageGroup,
    selection?: UsageSelection,
  ): Promise<UsageSum[]>;
  /** By day and service, model or key; days without calls are left out. */
  daily(
    account: string,
    fromMs: number,
    toMs: number,
    group: DailyGroup,
    selection: UsageSelection,
  ): Promise<DailyUsage[]>;
  /** The newest first, from the one before `before`. Calls of closed days are not listed. */
  calls(
    account: string,
    fromMs: number,
    toMs: number,
    before: string | null,
    max: number,
    selection?: UsageSelection,
  ): Promise<RecordedCall[]>;
  /** The sums of closed days, whose calls are archived. A day counts as a whole. The newest day first. */
  closed(account: string, fromMs: number, toMs: number, selection?: UsageSelection): Promise<ClosedUsage[]>;
  /** Returns a call of the account, or null. */
  call(account: string, callId: string): Promise<RecordedCall | null>;
}

/** Returns the rows of a finished call: one for each lot charged, or a single one without a lot if it cost nothing, and then that of its budget. */
export function rows(
  hold: Hold,
  charges: readonly Charge[],
  capped: readonly Charge[],
  outcome: MeteredCall,
): Usage[] {
  const { callId, account, price } = hold;
  const { service, operation, status } = outcome;
  const metered = Metered.of(outcome);
  const call = { callId, account, service, operation, status, price, key: hold.key?.id ?? null, metered };
  if (charges.length === 0) return [{ ...call, draw: 0, lot: null, plan: null, units: 0, amount: 0 }];
  return [...charges, ...capped].map(({ lot, units, amount }, draw) => ({
    ...call,
    account: draw < charges.length ? account : (hold.cap?.account ?? account),
    draw,
    metered: metered !== null && draw > 0 ? Metered.further(metered) : metered,
    lot: lot.id,
    plan: lot.plan,
    units,
    amount,
  }));
}
