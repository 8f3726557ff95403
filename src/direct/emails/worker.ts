import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import { id } from '../../kernel/id.ts';
import type { Book, Claimed } from './book.ts';
import type { Line, Lines } from './lines.ts';
import * as Route from './route.ts';
import type { Settings } from './settings.ts';
import * as Standing from './standing.ts';
import type { Tally } from './tally.ts';
import * as Visit from './visit.ts';

export type Surroundings = {
  settings: Settings;
  book: Book;
  lines: Lines;
  resolver: Route.Resolver;
  wire: Visit.Wire;
  clock: Clock;
  /** Waits, or less where the signal says so. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  tally: Tally;
  /** Hears how many addresses were tested. */
  tested?(count: number): void;
};

/** Addresses of one domain, asked for in one conversation. */
type Job = { domain: string; claimed: readonly Claimed[]; untilMs: number };

const addressesPerConversationMax = 10;
const claimedAtOnceMax = 100;
/** The most that all that is done for one conversation may take, waits for the DNS and for silent servers included. */
const jobMsMax = 120_000;
/** Longer than a job, so that whoever holds a line or an address this long is dead. */
const lineLeaseMs = jobMsMax + 30_000;
const claimLeaseMs = 15 * 60_000;
/** A server in trouble is left alone for longer. */
const troubledRestMs = 60_000;
/** What a conversation usually takes, to tell when a line will be free. */
const usualMs = 3_000;
const waitMsMax = 15 * 60_000;
const pollMs = 15_000;
const operatorsMax = 10_000;

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/**
 * Tests what is due: until `signal`, or, where `isOnce`, until nothing is due any more. What is under way when it is
 * told to stop is brought to its end (two minutes at most); a worker that is killed loses nothing, as its claims run
 * out. Throws what the database threw.
 */
export async function run(around: Surroundings, signal: AbortSignal, isOnce: boolean): Promise<void> {
  const { settings, book, clock, wait } = around;
  const active = new Set<Promise<void>>();
  const queue: Job[] = [];
  const turns = new Turns(settings);
  const failures: unknown[] = [];
  let last = { askedMs: 0, hasAll: false };
  while (!signal.aborted && failures.length === 0) {
    const nowMs = clock();
    // Where there was no more a moment ago there is hardly more now.
    if (queue.length === 0 && !(last.hasAll && nowMs < last.askedMs + pollMs)) {
      await book.sync(nowMs);
      const claimed = await book.claim(claimedAtOnceMax, nowMs, nowMs + claimLeaseMs);
      queue.push(...jobs(claimed, nowMs + claimLeaseMs));
      last = { askedMs: nowMs, hasAll: claimed.length < claimedAtOnceMax };
    }
    while (active.size < settings.conversationsMax) {
      const job = queue.shift();
      if (job === undefined) break;
      const running: Promise<void> = attend(job, around, turns)
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

/** Those of a domain together, as many as a conversation takes. */
function jobs(claimed: readonly Claimed[], untilMs: number): Job[] {
  return [...Map.groupBy(claimed, ({ domain }) => domain)].flatMap(([domain, ofDomain]) =>
    Array.from({ length: Math.ceil(ofDomain.length / addressesPerConversationMax) }, (_, at) => ({
      domain,
      claimed: ofDomain.slice(at * addressesPerConversationMax, (at + 1) * addressesPerConversationMax),
      untilMs,
    })),
  );
}

/** One conversation's worth of addresses, from the DNS to what is kept. */
async function attend(job: Job, around: Surroundings, turns: Turns): Promise<void> {
  const { book, clock, tally, tested } = around;
  // Whoever waited here for so long might still be at it when the claim ends.
  if (clock() + jobMsMax > job.untilMs) return;
  const found = await ask(job, around);
  const nowMs = clock();
  if (found.kind === 'busy') {
    const dueAtMs = turns.next(found.operator, nowMs);
    tally.waits += job.claimed.length;
    await book.keep(
      job.claimed.map(({ before, ...each }) => ({ ...each, standing: { ...before, dueAtMs } })),
    );
    return;
  }
  const results = job.claimed.map(({ email, claim, before }) => {
    const result = found.of(email);
    tally.tests[result.kind === 'told' ? result.state : 'later']++;
    return { email, claim, standing: Standing.after(before, email, result, nowMs) };
  });
  tally.late += await book.keep(results);
  tested?.(results.length);
}

type Found = { kind: 'results'; of(email: string): Standing.Result } | { kind: 'busy'; operator: string };

const forAll = (result: Standing.Result): Found => ({ kind: 'results', of: () => result });

/** Asks the servers of the domain in their order, each on a line of its operator, until one answers. */
async function ask(job: Job, around: Surroundings): Promise<Found> {
  const route = await Route.find(job.domain, id('mx'), around.resolver);
  if (route.kind === 'none') return forAll({ kind: 'told', state: 'invalid', reason: route.reason });
  if (route.kind === 'failing') return forAll({ kind: 'later', trouble: 'dns' });
  const held = new Map<string, Held>();
  try {
    return await askHosts(job, route.hosts, held, around);
  } finally {
    for (const each of held.values()) await giveBack(each, around);
  }
}

/** A line that a job holds, for all hosts of the operator, and how it goes. */
type Held = { line: Line; startedMs: number; hasSpoken: boolean; isTroubled: boolean };

async function askHosts(
  { domain, claimed }: Job,
  hosts: readonly string[],
  held: Map<string, Held>,
  { settings, lines, resolver, wire, clock }: Surroundings,
): Promise<Found> {
  const signal = AbortSignal.timeout(jobMsMax);
  const emails = claimed.map(({ email }) => email);
  const troubles: string[] = [];
  for (const host of hosts) {
    const operator = Route.operator(host);
    const startedMs = clock();
    const line =
      held.get(operator)?.line ??
      (await lines.take(operator, settings.linesMax, startedMs, startedMs + lineLeaseMs));
    // Whoever has tried a host counts as having tried: else a dead server before a busy one would be tried for ever.
    if (line === null)
      return troubles.length === 0 ? { kind: 'busy', operator } : forAll(unanswered(troubles));
    const current = held.get(operator) ?? { line, startedMs, hasSpoken: false, isTroubled: false };
    held.set(operator, current);
    const visit = await Visit.pay(host, domain, emails, { ...settings, resolver, wire, signal });
    if (visit.kind === 'absent') troubles.push(visit.why);
    else {
      const { outcome } = visit;
      current.hasSpoken = true;
      current.isTroubled = outcome.trouble !== null;
      if (Visit.hasAnswered(visit))
        return { kind: 'results', of: (email) => Standing.resultOf(email, outcome) };
      troubles.push(outcome.trouble ?? 'closed');
    }
    if (signal.aborted) break;
  }
  return forAll(unanswered(troubles));
}

/** Where no server could be asked. What the DNS says for certain is the answer; what the first came to is else. */
function unanswered(troubles: readonly string[]): Standing.Result {
  if (troubles.every((trouble) => trouble === 'no_address'))
    return { kind: 'told', state: 'invalid', reason: 'no_mail_server' };
  if (troubles.every((trouble) => trouble === 'no_address' || trouble === 'private_address'))
    return { kind: 'told', state: 'unknown', reason: 'private_address' };
  return { kind: 'later', trouble: troubles.find((trouble) => !trouble.endsWith('_address')) ?? 'dns' };
}

async function giveBack(
  { line, startedMs, hasSpoken, isTroubled }: Held,
  around: Surroundings,
): Promise<void> {
  const { settings, lines, clock, tally } = around;
  const nowMs = clock();
  if (!hasSpoken) return lines.release(line, null, nowMs);
  const ms = nowMs - startedMs;
  tally.conversations++;
  tally.conversationMs += ms;
  if (isTroubled) tally.troubled++;
  const restMs = isTroubled ? Math.max(settings.restMs, troubledRestMs) : settings.restMs;
  await lines.release(line, { ms, isTroubled }, nowMs + restMs);
}

/** When those come again who found all lines taken: one after the other, as the lines become free. */
class Turns {
  readonly #gapMs: number;
  readonly #last = new Map<string, number>();
  lastMs = 0;

  constructor({ restMs, linesMax }: Settings) {
    this.#gapMs = (restMs + usualMs) / linesMax;
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
