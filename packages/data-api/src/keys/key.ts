import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';
import * as Allowance from './allowance.ts';
import type { Plan } from './plan.ts';

export const planStatuses = ['active', 'past_due', 'canceled', 'expired'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/**
 * An API key and its plan. Callers send one of its secrets, of which only the SHA-256 is stored. The id, the plan and the
 * remaining records stay the same when secrets are rotated.
 */
export type Key = {
  id: string;
  plan: string;
  planStatus: PlanStatus;
  startedAtMs: number;
  requestsPerSecond: number;
  /** Paths of allowed operations, such as `/v2/jobs/company`; null for all. */
  allowedApis: readonly string[] | null;
  /** These three are null if records are unlimited. */
  recordsAllowance: number | null;
  recordsRemaining: number | null;
  nextResetAtMs: number | null;
};

/** A key, found by one of its secrets. */
export type Presented = Key & {
  revoked: boolean;
  /** Expiry of this secret; null for the latest one. */
  secretEndsAtMs: number | null;
};

export type NewKey = Omit<Key, 'recordsRemaining'> & { label: string | null; digest: string };

/** Access to stored keys. */
export type Keys = {
  /** Finds the key of a secret by its digest, including revoked keys and expired secrets; null if there is none. */
  byDigest(digest: string): Promise<Presented | null>;
  /** Adds the key unless its id exists. Returns whether it was added. */
  add(key: NewKey): Promise<boolean>;
};

const pattern = /^sk_[A-Za-z0-9_-]{43}$/;

/** Returns true if `text` has the form of a secret. Others are refused without a database query. */
export function isWellFormed(text: string): boolean {
  return pattern.test(text);
}

export function digest(secret: string): string {
  return sha256Hex(secret);
}

/** Creates a random secret: `sk_` and 43 characters of base64url. */
export function draw(): string {
  return secret('sk');
}

/** Creates a key for `secret` on `plan`. Its first period begins at `nowMs`; its id is derived from the secret. */
export function issue(
  secret: string,
  plan: Plan,
  nowMs: number,
  allowedApis: readonly string[] | null = null,
  label: string | null = null,
): NewKey {
  return {
    id: `key_${digest(`id:${secret}`).slice(0, 24)}`,
    label,
    digest: digest(secret),
    ...planTerms(plan, nowMs),
    planStatus: 'active',
    allowedApis,
  };
}

/** Key fields set by a plan that begins at `nowMs`. */
export function planTerms(plan: Plan, nowMs: number) {
  return {
    plan: plan.name,
    startedAtMs: nowMs,
    requestsPerSecond: plan.requestsPerSecond,
    recordsAllowance: plan.recordsPerMonth,
    nextResetAtMs: plan.recordsPerMonth === null ? null : Allowance.nextReset(nowMs, nowMs),
  };
}

/** Returns true if the key and the presented secret are valid at `nowMs`. */
export function isOpen(key: Presented, nowMs: number): boolean {
  return !key.revoked && (key.secretEndsAtMs === null || nowMs < key.secretEndsAtMs);
}

/** Returns true if the key may call the operation at the path `api`. */
export function mayCall(key: Key, api: string): boolean {
  return key.planStatus === 'active' && (key.allowedApis === null || key.allowedApis.includes(api));
}
