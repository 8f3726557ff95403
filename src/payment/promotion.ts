import type { Plan } from '../catalog/plan.ts';
import * as Gift from './gift.ts';
import type * as Wish from './wish.ts';

/** A code that gives something to whoever sends it, once for each account. */
export type Draft = Gift.Value & {
  /** As `normal` writes it. */
  code: string;
  /** Until when the code is taken. */
  expiresMs: number | null;
  /** For how many days what it gave can be used. */
  lotDays: number | null;
  redemptionsMax: number | null;
  /** Only for accounts that a person has taken over. */
  claimedOnly: boolean;
};
export type Promotion = Draft & { redemptions: number; createdMs: number; endedMs: number | null };

export type Redeemed =
  | { kind: 'given'; asset: Gift.Value['asset']; amount: number; expiresMs: number | null }
  /** This account has had it before. */
  | { kind: 'had' }
  | { kind: 'claim_first' }
  /** There is no such code, or not any more: nobody is told which. */
  | { kind: 'unknown' }
  | { kind: 'limited'; waitSeconds: number };

/** The record of promotions. `who`: for the audit log. */
export interface Promotions {
  /** False where the code is taken, be it by one that has ended. */
  make(draft: Draft, who: string): Promise<boolean>;
  /** What it gave stays. False where there is none that runs. */
  end(code: string, who: string): Promise<boolean>;
  /** The newest first, at most some hundreds. */
  list(): Promise<Promotion[]>;
  /** `subjects`: who a code that is none counts against. */
  redeem(account: string, code: string, subjects: readonly string[]): Promise<Redeemed>;
}

/** So many codes may be tried in vain, by an account or from an address, within the window. */
export const triesMax = 5;
export const tryWindowMs = 10 * 60_000;

const countMax = 1_000_000_000;
const daysMax = 3_660;
const fields = ['code', 'usd', 'units', 'plan', 'expires', 'days', 'max', 'claimed_only'];

/** A code as it is kept: in capitals, without spaces; null for what no code can be. */
export function normal(text: string): string | null {
  const code = text.replace(/\s/g, '').toUpperCase();
  return /^[A-Z0-9][A-Z0-9_-]{3,39}$/.test(code) ? code : null;
}

/** Reads a promotion: `code`, `usd` or `units`; where wanted `plan`, `expires`, `days`, `max`, `claimed_only`. */
export function parse(
  body: unknown,
  plans: readonly Plan[],
  nowMs: number,
): { kind: 'draft'; draft: Draft } | Gift.Faulty {
  const faults: Wish.Fault[] = [];
  const given = Gift.membersOf(body, fields, faults);
  const code = typeof given.code === 'string' ? normal(given.code) : null;
  if (code === null)
    faults.push({ field: 'code', message: 'Must be 4 to 40 letters, digits, dashes or underscores' });
  const value = Gift.readValue(given, plans, faults);
  const expiresMs = Gift.readExpiry(given, nowMs, faults);
  const lotDays = given.days === undefined ? null : Gift.readCount(given, 'days', daysMax, faults);
  const redemptionsMax = given.max === undefined ? null : Gift.readCount(given, 'max', countMax, faults);
  const claimedOnly = given.claimed_only ?? false;
  if (typeof claimedOnly !== 'boolean')
    faults.push({ field: 'claimed_only', message: 'Must be true or false' });
  if (faults.length > 0 || code === null || value === null) return { kind: 'fault', faults };
  return {
    kind: 'draft',
    draft: { ...value, code, expiresMs, lotDays, redemptionsMax, claimedOnly: claimedOnly === true },
  };
}

/** Who tries codes. */
export function subjectsOf(account: string, address: string): string[] {
  return [`code:account:${account}`, `code:address:${address}`];
}

/** A promotion as its seller is told of it. */
export function shown(promotion: Promotion, nowMs: number): Record<string, unknown> {
  const { code, plan, expiresMs, lotDays, redemptionsMax, redemptions, claimedOnly, createdMs, endedMs } =
    promotion;
  const isOver = (expiresMs ?? nowMs + 1) <= nowMs || redemptions === redemptionsMax;
  return {
    code,
    ...Gift.shown(promotion),
    plan,
    state: endedMs === null ? (isOver ? 'over' : 'runs') : 'ended',
    expires_at: moment(expiresMs),
    days: lotDays,
    max: redemptionsMax,
    redemptions,
    claimed_only: claimedOnly,
    created_at: moment(createdMs),
    ended_at: moment(endedMs),
  };
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
