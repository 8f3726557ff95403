import * as Read from '../schema/read.ts';
import type { Fault } from '../schema/wording.ts';
import * as Allowance from './allowance.ts';
import * as Key from './key.ts';
import * as Order from './order.ts';
import * as Plan from './plan.ts';

/** A key as those who run the interface see it. */
export type Entry = Key.Key & {
  label: string | null;
  madeAtMs: number;
  revokedAtMs: number | null;
  /** What opens it, the latest last; a secret without an end is open until the next rotation. */
  secrets: { madeAtMs: number; endsAtMs: number | null }[];
};

/** What becomes of a key; what is null stays. A plan begins anew: its first period, all of its records. */
export type Change = {
  plan: Plan.Plan | null;
  status: Key.PlanStatus | null;
  allowedApis: readonly string[] | 'all' | null;
};

/** All keys, for those who run the interface. */
export type Register = {
  make(key: Key.NewKey): Promise<void>;
  /** Keys in the order they were made, after the one named. Secrets that have ended by `nowMs` are left out. */
  list(after: string | null, limit: number, nowMs: number): Promise<Entry[]>;
  find(id: string, nowMs: number): Promise<Entry | null>;
  /** Adds a secret; all before it end at `earlierEndAtMs`, or when they would have. False where no key of that id is open. */
  rotate(id: string, digest: string, nowMs: number, earlierEndAtMs: number): Promise<boolean>;
  /** Both change nothing where there is no such key. */
  revoke(id: string, nowMs: number): Promise<void>;
  change(id: string, change: Change, nowMs: number): Promise<void>;
};

/** `secret` is shown this once and kept nowhere; null where none was drawn. */
export type Outcome =
  | { kind: 'done'; key: Entry; secret: string | null }
  | { kind: 'missing' }
  | { kind: 'revoked' }
  | { kind: 'invalid'; faults: readonly Fault[] };

/** Draws a key as `body`, an order to make one, wants it. `apis` are the operations that there are. */
export async function make(
  register: Register,
  apis: readonly string[],
  body: unknown,
  nowMs: number,
): Promise<Outcome> {
  const reading = Read.read(Order.make(apis), body);
  if (reading.kind === 'invalid') return reading;
  const { label, plan, allowed_apis: allowed } = reading.value;
  const meant = Plan.of(plan);
  if (meant.kind === 'invalid') return meant;
  const secret = Key.draw();
  const key = Key.issue(secret, meant.plan, nowMs, allowed === 'all' ? null : allowed, label);
  await register.make(key);
  return outcome(register, key.id, nowMs, secret);
}

/** Gives the key a new secret; the earlier ones end after the overlap that `body` names. */
export async function rotate(register: Register, id: string, body: unknown, nowMs: number): Promise<Outcome> {
  const reading = Read.read(Order.rotate, body);
  if (reading.kind === 'invalid') return reading;
  const secret = Key.draw();
  const earlierEndAtMs = nowMs + reading.value.overlap_seconds * 1_000;
  const isDone = await register.rotate(id, Key.digest(secret), nowMs, earlierEndAtMs);
  if (isDone) return outcome(register, id, nowMs, secret);
  return { kind: (await register.find(id, nowMs)) ? 'revoked' : 'missing' };
}

/** Changes the plan of the key, its status or its operations as `body` wants it. */
export async function change(
  register: Register,
  apis: readonly string[],
  id: string,
  body: unknown,
  nowMs: number,
): Promise<Outcome> {
  const reading = Read.read(Order.change(apis), body);
  if (reading.kind === 'invalid') return reading;
  const { plan, status, allowed_apis: allowed } = reading.value;
  const meant = plan && Plan.of(plan);
  if (meant?.kind === 'invalid') return meant;
  await register.change(id, { plan: meant?.plan ?? null, status, allowedApis: allowed }, nowMs);
  return outcome(register, id, nowMs, null);
}

/** Ends the key and with it every secret, at once and for good. A second time changes nothing. */
export async function revoke(register: Register, id: string, nowMs: number): Promise<Outcome> {
  await register.revoke(id, nowMs);
  return outcome(register, id, nowMs, null);
}

/** The key as it stands. */
export async function show(register: Register, id: string, nowMs: number): Promise<Outcome> {
  return outcome(register, id, nowMs, null);
}

async function outcome(
  register: Register,
  id: string,
  nowMs: number,
  secret: string | null,
): Promise<Outcome> {
  const key = await register.find(id, nowMs);
  return key ? { kind: 'done', key, secret } : { kind: 'missing' };
}

/** A key as commands print it and the admin route answers it. */
export function shown(key: Entry, nowMs: number) {
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
    ...Allowance.shown(Allowance.balance(key, nowMs)),
    allowed_apis: key.allowedApis ?? ('all' as const),
    made_at: moment(key.madeAtMs),
    revoked_at: moment(key.revokedAtMs),
    secrets: key.secrets.map((secret) => ({
      made_at: moment(secret.madeAtMs),
      ends_at: moment(secret.endsAtMs),
    })),
  };
}
