import { sha256Hex } from '../../kernel/digest.ts';
import { secret } from '../../kernel/id.ts';
import * as Allowance from './allowance.ts';
import type { Plan } from './plan.ts';

export const planStatuses = ['active', 'past_due', 'canceled', 'expired'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/**
 * An API key and the plan behind it. What callers send is one of its secrets, which is never kept: only its SHA-256.
 * The id, the plan and what is left of the records outlive every secret.
 */
export type Key = {
  id: string;
  plan: string;
  planStatus: PlanStatus;
  startedAtMs: number;
  requestsPerSecond: number;
  /** Operations by their path without the version, such as `/jobs/company`; null opens all. */
  allowedApis: readonly string[] | null;
  /** These three are null where records are unlimited. */
  recordsAllowance: number | null;
  recordsRemaining: number | null;
  nextResetAtMs: number | null;
};

/** A key as one of its secrets finds it. */
export type Presented = Key & {
  revoked: boolean;
  /** When this secret ends or ended; null for the latest one. */
  secretEndsAtMs: number | null;
};

export type NewKey = Omit<Key, 'recordsRemaining'> & { label: string | null; digest: string };

/** Where keys live. */
export type Keys = {
  /** The key that the secret of that digest opens or opened, revoked ones included; null where there is none. */
  byDigest(digest: string): Promise<Presented | null>;
  /** Adds the key unless it is there already. */
  add(key: NewKey): Promise<void>;
};

const pattern = /^sk_[A-Za-z0-9_-]{43}$/;

/** Whether `text` has the form of a secret; one that has not is refused without asking the database. */
export function isWellFormed(text: string): boolean {
  return pattern.test(text);
}

export function digest(secret: string): string {
  return sha256Hex(secret);
}

/** A secret that nobody can guess: `sk_` and 43 characters of base64url. */
export function draw(): string {
  return secret('sk');
}

/** The key on `plan` that `secret` opens, its first period beginning at `nowMs`. Its id follows from the secret. */
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
    ...terms(plan, nowMs),
    planStatus: 'active',
    allowedApis,
  };
}

/** What a plan that begins at `nowMs` makes of a key. */
export function terms(plan: Plan, nowMs: number) {
  return {
    plan: plan.name,
    startedAtMs: nowMs,
    requestsPerSecond: plan.requestsPerSecond,
    recordsAllowance: plan.recordsPerMonth,
    nextResetAtMs: plan.recordsPerMonth === null ? null : Allowance.nextReset(nowMs, nowMs),
  };
}

/** Whether the secret that found the key opens it at `nowMs`. */
export function isOpen(key: Presented, nowMs: number): boolean {
  return !key.revoked && (key.secretEndsAtMs === null || nowMs < key.secretEndsAtMs);
}

/** Whether the key's plan lets it call `api`. */
export function mayCall(key: Key, api: string): boolean {
  return key.planStatus === 'active' && (key.allowedApis === null || key.allowedApis.includes(api));
}
