import * as Read from '../schema/read.ts';
import type { FieldError } from '../schema/wording.ts';
import * as Allowance from './allowance.ts';
import * as Key from './key.ts';
import * as KeyCommands from './key-commands.ts';
import * as Plan from './plan.ts';

/** A key with the details shown to operators. */
export type KeyEntry = Key.Key & {
  label: string | null;
  madeAtMs: number;
  revokedAtMs: number | null;
  /** Valid secrets, the latest last. A secret without an end is valid until the next rotation. */
  secrets: { madeAtMs: number; endsAtMs: number | null }[];
};

/** Change of a key. Null fields are kept. A new plan starts a new period with its full allowance. */
export type Change = {
  plan: Plan.Plan | null;
  status: Key.PlanStatus | null;
  allowedApis: readonly string[] | 'all' | null;
};

/** Manages the keys, for operators. */
export type KeyStore = {
  /** Returns false, and stores nothing, if the id exists. */
  make(key: Key.NewKey): Promise<boolean>;
  /** Up to `limit` keys created after the key `after`, in order of creation, without secrets expired at `nowMs`. */
  list(after: string | null, limit: number, nowMs: number): Promise<KeyEntry[]>;
  find(id: string, nowMs: number): Promise<KeyEntry | null>;
  /** Adds a secret. Earlier secrets expire at `earlierEndAtMs` at the latest. Returns false if the key is unknown or revoked. */
  rotate(id: string, digest: string, nowMs: number, earlierEndAtMs: number): Promise<boolean>;
  /** Does nothing if the key is unknown, as does `change`. */
  revoke(id: string, nowMs: number): Promise<void>;
  change(id: string, change: Change, nowMs: number): Promise<void>;
};

/** Result of a command. `secret` is only returned here and not stored; null if none was created. */
export type Outcome =
  | { kind: 'done'; key: KeyEntry; secret: string | null }
  | { kind: 'missing' }
  | { kind: 'revoked' }
  | { kind: 'invalid'; faults: readonly FieldError[] };

/**
 * Creates a key as described by `body`. `apis` lists all operations. With an `id`, a repetition creates nothing: it returns the key that
 * exists, without a secret.
 */
export async function make(
  store: KeyStore,
  apis: readonly string[],
  body: unknown,
  nowMs: number,
  id: string | null = null,
): Promise<Outcome> {
  const reading = Read.read(KeyCommands.make(apis), body);
  if (reading.kind === 'invalid') return reading;
  const { label, plan, allowed_apis: allowed } = reading.value;
  const meant = Plan.resolve(plan);
  if (meant.kind === 'invalid') return meant;
  const secret = Key.draw();
  const key = Key.issue(secret, meant.plan, nowMs, allowed === 'all' ? null : allowed, label);
  const named = { ...key, id: id ?? key.id };
  const isNew = await store.make(named);
  return outcome(store, named.id, nowMs, isNew ? secret : null);
}

/** Creates a new secret for the key. Earlier ones expire after the overlap given in `body`. */
export async function rotate(store: KeyStore, id: string, body: unknown, nowMs: number): Promise<Outcome> {
  const reading = Read.read(KeyCommands.rotate, body);
  if (reading.kind === 'invalid') return reading;
  const secret = Key.draw();
  const earlierEndAtMs = nowMs + reading.value.overlap_seconds * 1_000;
  const isDone = await store.rotate(id, Key.digest(secret), nowMs, earlierEndAtMs);
  if (isDone) return outcome(store, id, nowMs, secret);
  return { kind: (await store.find(id, nowMs)) ? 'revoked' : 'missing' };
}

/** Changes the plan, status or allowed operations of the key, as described by `body`. */
export async function change(
  store: KeyStore,
  apis: readonly string[],
  id: string,
  body: unknown,
  nowMs: number,
): Promise<Outcome> {
  const reading = Read.read(KeyCommands.change(apis), body);
  if (reading.kind === 'invalid') return reading;
  const { plan, status, allowed_apis: allowed } = reading.value;
  const meant = plan && Plan.resolve(plan);
  if (meant?.kind === 'invalid') return meant;
  await store.change(id, { plan: meant?.plan ?? null, status, allowedApis: allowed }, nowMs);
  return outcome(store, id, nowMs, null);
}

/** Revokes the key and all its secrets, immediately and permanently. Idempotent. */
export async function revoke(store: KeyStore, id: string, nowMs: number): Promise<Outcome> {
  await store.revoke(id, nowMs);
  return outcome(store, id, nowMs, null);
}

/** Returns the key. */
export async function show(store: KeyStore, id: string, nowMs: number): Promise<Outcome> {
  return outcome(store, id, nowMs, null);
}

async function outcome(store: KeyStore, id: string, nowMs: number, secret: string | null): Promise<Outcome> {
  const key = await store.find(id, nowMs);
  return key ? { kind: 'done', key, secret } : { kind: 'missing' };
}

/** Formats a key for the CLI and the admin API. */
export function shown(key: KeyEntry, nowMs: number) {
  const balance = Allowance.balance(key, nowMs);
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: key.id,
    label: key.label,
    plan: {
      name: key.plan,
      status: key.planStatus,
      started_at: moment(key.startedAtMs),
      requests_per_second: key.requestsPerSecond,
      records_per_month: key.recordsAllowance ?? ('unlimited' as const),
    },
    ...Allowance.shown(balance),
    records_remaining: balance.recordsRemaining ?? ('unlimited' as const),
    allowed_apis: key.allowedApis ?? ('all' as const),
    made_at: moment(key.madeAtMs),
    revoked_at: moment(key.revokedAtMs),
    secrets: key.secrets.map((secret) => ({
      made_at: moment(secret.madeAtMs),
      ends_at: moment(secret.endsAtMs),
    })),
  };
}
