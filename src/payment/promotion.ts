import type { Plan } from '../catalog/plan.ts';
import * as CreditGrant from './credit-grant.ts';
import type * as PurchaseInput from './purchase-input.ts';

/** A code that grants credit to each account that redeems it, once per account. */
export type PromotionDraft = CreditGrant.GrantValue & {
  /** Normalized by `normal`. */
  code: string;
  /** When the code expires. */
  expiresMs: number | null;
  /** Number of days for which the granted credit can be used. */
  lotDays: number | null;
  redemptionsMax: number | null;
  /** Only for accounts that a person has claimed. */
  claimedOnly: boolean;
};
export type Promotion = PromotionDraft & { redemptions: number; createdMs: number; endedMs: number | null };

export type RedeemResult =
  | { kind: 'given'; asset: CreditGrant.GrantValue['asset']; amount: number; expiresMs: number | null }
  /** This account has redeemed the code before. */
  | { kind: 'had' }
  | { kind: 'claim_first' }
  /** The code does not exist, or not any more. The response does not distinguish the two. */
  | { kind: 'unknown' }
  | { kind: 'limited'; waitSeconds: number };

/** The record of promotions. `who` is for the audit log. */
export interface Promotions {
  /** Creates a promotion. Returns false when the code exists, even if its promotion has ended. */
  make(draft: PromotionDraft, who: string): Promise<boolean>;
  /** Ends a promotion; credit that was granted remains. Returns false when no such promotion runs. */
  end(code: string, who: string): Promise<boolean>;
  /** Lists the newest first, at most some hundreds. */
  list(): Promise<Promotion[]>;
  /** Redeems a code. An invalid code counts against `subjects`. */
  redeem(account: string, code: string, subjects: readonly string[]): Promise<RedeemResult>;
}

/** Number of invalid codes that an account or an address may try within the window. */
export const triesMax = 5;
export const tryWindowMs = 10 * 60_000;

const countMax = 1_000_000_000;
const daysMax = 3_660;
const fields = ['code', 'usd', 'units', 'plan', 'expires', 'days', 'max', 'claimed_only'];

/** Normalizes a code: upper case, without spaces. Returns null when `text` cannot be a code. */
export function normal(text: string): string | null {
  const code = text.replace(/\s/g, '').toUpperCase();
  return /^[A-Z0-9][A-Z0-9_-]{3,39}$/.test(code) ? code : null;
}

/** Parses a promotion: `code`, `usd` or `units`; optionally `plan`, `expires`, `days`, `max`, `claimed_only`. */
export function parse(
  body: unknown,
  plans: readonly Plan[],
  nowMs: number,
): { kind: 'draft'; draft: PromotionDraft } | CreditGrant.InvalidInput {
  const faults: PurchaseInput.FieldFault[] = [];
  const given = CreditGrant.membersOf(body, fields, faults);
  const code = typeof given.code === 'string' ? normal(given.code) : null;
  if (code === null)
    faults.push({ field: 'code', message: 'Must be 4 to 40 letters, digits, dashes or underscores' });
  const value = CreditGrant.readValue(given, plans, faults);
  const expiresMs = CreditGrant.readExpiry(given, nowMs, faults);
  const lotDays = given.days === undefined ? null : CreditGrant.readCount(given, 'days', daysMax, faults);
  const redemptionsMax =
    given.max === undefined ? null : CreditGrant.readCount(given, 'max', countMax, faults);
  const claimedOnly = given.claimed_only ?? false;
  if (typeof claimedOnly !== 'boolean')
    faults.push({ field: 'claimed_only', message: 'Must be true or false' });
  if (faults.length > 0 || code === null || value === null) return { kind: 'fault', faults };
  return {
    kind: 'draft',
    draft: { ...value, code, expiresMs, lotDays, redemptionsMax, claimedOnly: claimedOnly === true },
  };
}

/** Returns the subjects that invalid codes are counted against. */
export function subjectsOf(account: string, address: string): string[] {
  return [`code:account:${account}`, `code:address:${address}`];
}

/** Formats a promotion for the seller's API. */
export function asPromotion(promotion: Promotion, nowMs: number): Record<string, unknown> {
  const { code, plan, expiresMs, lotDays, redemptionsMax, redemptions, claimedOnly, createdMs, endedMs } =
    promotion;
  const isOver = (expiresMs ?? nowMs + 1) <= nowMs || redemptions === redemptionsMax;
  return {
    code,
    ...CreditGrant.asCreditGrant(promotion),
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
