import { sha256Hex } from '../../kernel/digest.ts';
import { secret } from '../../kernel/id.ts';
import * as Allowance from './allowance.ts';
import type { Plan } from './plan.ts';

export type PlanStatus = 'active' | 'past_due' | 'canceled' | 'expired';

/** An API key and the plan behind it. The key itself is never kept: only its SHA-256. */
export type Key = {
  id: string;
  revoked: boolean;
  plan: string;
  planStatus: PlanStatus;
  startedAtMs: number;
  requestsPerSecond: number;
  /** Operations by their path without the version, such as `/jobs/company`; null opens all. */
  allowedApis: readonly string[] | null;
  recordsAllowance: number;
  recordsRemaining: number;
  nextResetAtMs: number;
};

export type NewKey = Omit<Key, 'recordsRemaining' | 'revoked'> & { digest: string };

/** Where keys live. */
export type Keys = {
  /** The key with that digest, revoked ones included; null where there is none. */
  byDigest(digest: string): Promise<Key | null>;
  /** Adds the key unless its digest is there already. */
  add(key: NewKey): Promise<void>;
};

const pattern = /^sk_[A-Za-z0-9_-]{43}$/;

/** Whether `text` has the form of a key; one that has not is refused without asking the database. */
export function isWellFormed(text: string): boolean {
  return pattern.test(text);
}

export function digest(key: string): string {
  return sha256Hex(key);
}

/** A key that nobody can guess: `sk_` and 43 characters of base64url. */
export function draw(): string {
  return secret('sk');
}

/** The record of `key` on `plan`, its first period beginning at `nowMs`. Its id follows from the key. */
export function issue(
  key: string,
  plan: Plan,
  nowMs: number,
  allowedApis: readonly string[] | null = null,
): NewKey {
  return {
    id: `key_${digest(`id:${key}`).slice(0, 24)}`,
    digest: digest(key),
    plan: plan.name,
    planStatus: 'active',
    startedAtMs: nowMs,
    requestsPerSecond: plan.requestsPerSecond,
    allowedApis,
    recordsAllowance: plan.recordsPerMonth,
    nextResetAtMs: Allowance.nextReset(nowMs, nowMs),
  };
}

/** Whether the key's plan lets it call `api`. */
export function mayCall(key: Key, api: string): boolean {
  return key.planStatus === 'active' && (key.allowedApis === null || key.allowedApis.includes(api));
}
