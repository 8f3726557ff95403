import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@sluice/kernel/clock';
import { id } from '@sluice/kernel/id';
import type { ConnectionSlot, ConnectionSlots } from './connection-slots.ts';
import type { EmailCounters } from './counters.ts';
import type { Claimed, EmailStore } from './email-store.ts';
import * as Probe from './probe.ts';
import * as Route from './route.ts';
import type { Settings } from './settings.ts';
import * as VerificationStatus from './verification-status.ts';

export type WorkerContext = {
  settings: Settings;
  store: EmailStore;
  slots: ConnectionSlots;
  resolver: Route.Resolver;
  transport: Probe.Transport;
  clock: Clock;
  /** Waits `ms`, or until the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  counters: EmailCounters;
  /** Called with the number of addresses after each test. */
  tested?(count: number): void;
};

/** Addresses of one domain, tested in one SMTP session. */
type Job = { domain: string; claimed: readonly Claimed[]; untilMs: number };

const addressesPerConversationMax = 10;
const claimedAtOnceMax = 100;
/** Maximum duration of a job, including DNS lookups and unresponsive servers. */
const jobMsMax = 120_000;
/** Longer than a job: a slot held for longer belongs to a process that died. */
const lineLeaseMs = jobMsMax + 30_000;
const claimLeaseMs = 15 * 60_000;
/** Minimum pause after a failed session. */
const troubledRestMs = 60_000;
/** Typical duration of a session, to estimate when a slot becomes free. */
const usualMs = 3_000;
const waitMsMax = 15 * 60_000;
const pollMs = 15_000;
const operatorsMax = 10_000;

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/**
 * Tests due addresses until `signal` is aborted or, if `isOnce`, until no address is due. On abort it finishes running
 * jobs, which takes at most two minutes. The claims of a killed worker expire, and other workers take them over.
 * Rethrows database errors.
 */
export async function run(context: WorkerContext, signal: AbortSignal, isOnce: boolean): Promise<void> {
  const { settings, store, clock, wait } = context;
  const active = new Set<Promise<void>>();
  const queue: Job[] = [];
  const turns = new TurnEstimator(settings);
  const failures: unknown[] = [];
  let last = { askedMs: 0, hasAll: false };
  while (!signal.aborted && failures.length === 0) {
    const nowMs = clock();
    // Poll at most every `pollMs` while there are no more due addresses.
    if (queue.length === 0 && !(last.hasAll && nowMs < last.askedMs + pollMs)) {
      await store.sync(nowMs);
      const claimed = await store.claim(claimedAtOnceMax, nowMs, nowMs + claimLeaseMs);
      queue.push(...jobs(claimed, nowMs + claimLeaseMs));
      last = { askedMs: nowMs, hasAll: claimed.length < claimedAtOnceMax };
    }
    while (active.size < settings.conversationsMax) {
      const job = queue.shift();
      if (job === undefined) break;
      const running: Promise<void> = verify(job, context, turns)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => active.delete(running));
      active.add(running);
    }
    if (active.size > 0) await Promise.race(active);
    else if (!isOnce) await wait(pollMs, signal);
    else if (last.hasAll && last.askedMs >= turns.lastMs) break;
    else {
      await wait(usualMs, signal);
      last.hasAll = false;
    }
  }
  await Promise.all(active);
  if (failures.length > 0) throw failures[0];
}

/** Groups addresses by domain, into jobs of at most `addressesPerConversationMax`. */
function jobs(claimed: readonly Claimed[], untilMs: number): Job[] {
  return [...Map.groupBy(claimed, ({ domain }) => domain)].flatMap(([domain, ofDomain]) =>
    Array.from({ length: Math.ceil(ofDomain.length / addressesPerConversationMax) }, (_, at) => ({
      domain,
      claimed: ofDomain.slice(at * addressesPerConversationMax, (at + 1) * addressesPerConversationMax),
      untilMs,
    })),
  );
}

/** Tests the addresses of one job and stores the results. */
async function verify(job: Job, context: WorkerContext, turns: TurnEstimator): Promise<void> {
  const { store, clock, counters, tested } = context;
  // The job waited so long in the queue that the claim could expire while it runs.
  if (clock() + jobMsMax > job.untilMs) return;
  const found = await ask(job, context);
  const nowMs = clock();
  if (found.kind === 'busy') {
    const dueAtMs = turns.next(found.operator, nowMs);
    counters.waits += job.claimed.length;
    await store.keep(job.claimed.map(({ before, ...each }) => ({ ...each, status: { ...before, dueAtMs } })));
    return;
  }
  const results = job.claimed.map(({ email, claim, before }) => {
    const result = found.of(email);
    counters.tests[result.kind === 'conclusive' ? result.state : 'later']++;
    return { email, claim, status: VerificationStatus.after(before, email, result, nowMs) };
  });
  counters.late += await store.keep(results);
  tested?.(results.length);
}

type Found =
  | { kind: 'results'; of(email: string): VerificationStatus.Result }
  | { kind: 'busy'; operator: string };

const forAll = (result: VerificationStatus.Result): Found => ({ kind: 'results', of: () => result });

/** Asks the domain's mail servers in order, each on a slot of its operator, until one answers. */
async function ask(job: Job, context: WorkerContext): Promise<Found> {
  const route = await Route.find(job.domain, id('mx'), context.resolver);
  if (route.kind === 'none') return forAll({ kind: 'conclusive', state: 'invalid', reason: route.reason });
  if (route.kind === 'failing') return forAll({ kind: 'later', trouble: 'dns' });
  const held = new Map<string, Held>();
  try {
    return await askHosts(job, route.hosts, held, context);
  } finally {
    for (const each of held.values()) await releaseSlot(each, context);
  }
}

/** A slot held by a job, used for all hosts of the operator, and the result so far. */
type Held = { slot: ConnectionSlot; startedMs: number; hasSession: boolean; isTroubled: boolean };

async function askHosts(
  { domain, claimed }: Job,
  hosts: readonly string[],
  held: Map<string, Held>,
  { settings, slots, resolver, transport, clock }: WorkerContext,
): Promise<Found> {
  const signal = AbortSignal.timeout(jobMsMax);
  const emails = claimed.map(({ email }) => email);
  const troubles: string[] = [];
  for (const host of hosts) {
    const operator = Route.operator(host);
    const startedMs = clock();
    const slot =
      held.get(operator)?.slot ??
      (await slots.take(operator, settings.connectionsPerOperatorMax, startedMs, startedMs + lineLeaseMs));
    // If an earlier host failed, count this as an attempt. Otherwise a dead server before a busy one is retried forever.
    if (slot === null)
      return troubles.length === 0 ? { kind: 'busy', operator } : forAll(unanswered(troubles));
    const current = held.get(operator) ?? { slot, startedMs, hasSession: false, isTroubled: false };
    held.set(operator, current);
    const probed = await Probe.probe(host, domain, emails, { ...settings, resolver, transport, signal });
    if (probed.kind === 'no_session') troubles.push(probed.why);
    else {
      const { outcome } = probed;
      current.hasSession = true;
      current.isTroubled = outcome.trouble !== null;
      if (Probe.hasAnswered(probed))
        return { kind: 'results', of: (email) => VerificationStatus.resultOf(email, outcome) };
      troubles.push(outcome.trouble ?? 'closed');
    }
    if (signal.aborted) break;
  }
  return forAll(unanswered(troubles));
}

/** Result when no server answered: conclusive if the DNS settles it, otherwise the reason of the first failure. */
function unanswered(troubles: readonly string[]): VerificationStatus.Result {
  if (troubles.every((trouble) => trouble === 'no_address'))
    return { kind: 'conclusive', state: 'invalid', reason: 'no_mail_server' };
  if (troubles.every((trouble) => trouble === 'no_address' || trouble === 'private_address'))
    return { kind: 'conclusive', state: 'unknown', reason: 'private_address' };
  return { kind: 'later', trouble: troubles.find((trouble) => !trouble.endsWith('_address')) ?? 'dns' };
}

async function releaseSlot(
  { slot, startedMs, hasSession, isTroubled }: Held,
  context: WorkerContext,
): Promise<void> {
  const { settings, slots, clock, counters } = context;
  const nowMs = clock();
  if (!hasSession) return slots.release(slot, null, nowMs);
  const ms = nowMs - startedMs;
  counters.conversations++;
  counters.conversationMs += ms;
  if (isTroubled) counters.troubled++;
  const restMs = isTroubled ? Math.max(settings.restMs, troubledRestMs) : settings.restMs;
  await slots.release(slot, { ms, isTroubled }, nowMs + restMs);
}

/** Estimates when postponed addresses of an operator get a slot: one after the other, as slots become free. */
class TurnEstimator {
  readonly #gapMs: number;
  readonly #last = new Map<string, number>();
  lastMs = 0;

  constructor({ restMs, connectionsPerOperatorMax }: Settings) {
    this.#gapMs = (restMs + usualMs) / connectionsPerOperatorMax;
  }

  next(operator: string, nowMs: number): number {
    const after = Math.max(this.#last.get(operator) ?? 0, nowMs) + this.#gapMs;
    const turnMs = Math.min(after, nowMs + waitMsMax);
    if (this.#last.size >= operatorsMax) this.#last.clear();
    this.#last.set(operator, turnMs);
    this.lastMs = Math.max(this.lastMs, turnMs);
    return turnMs;
  }
}
