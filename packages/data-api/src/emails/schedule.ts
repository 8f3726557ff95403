import { createHash } from 'node:crypto';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Each address has a fixed position in a cycle of this many days and is tested at that time of each cycle. */
const cycleDays = 24;
/**
 * Minimum time between two tests, so that an address tested outside its position (a new one) is not tested again at
 * once. Rest and cycle together are the maximum time between two tests: 26 days. A verification counts for 30 days,
 * which leaves four for retries and for a backlog.
 */
const restDays = 2;
/** Delay after each inconclusive attempt, 45 hours in total. Greylisting usually ends within the first delay. */
const retriesMs = [10 / 60, 0.5, 2, 6, 12, 24].map((hours) => hours * hourMs);

/** Time of the next test of an address last tested at `testedAtMs`, at most 26 days after it. */
export function next(email: string, testedAtMs: number): number {
  const cycleMs = cycleDays * dayMs;
  const earliest = testedAtMs + restDays * dayMs;
  const place = placeMs(email);
  return place + (Math.floor((earliest - place) / cycleMs) + 1) * cycleMs;
}

/** Time of the next attempt after `attempts` inconclusive ones; null if there are no more attempts. */
export function retry(attempts: number, nowMs: number): number | null {
  const wait = retriesMs[attempts - 1];
  return wait === undefined ? null : nowMs + wait;
}

/**
 * Position in the cycle: the day depends on the address, the time of day on its domain. This spreads addresses evenly
 * over the days, and tests the addresses of one domain that fall on the same day in one SMTP session.
 */
function placeMs(email: string): number {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return (hash(email) % cycleDays) * dayMs + Math.floor(share(domain) * dayMs);
}

/** Hashes a text to a number from 0 up to 1. */
function share(text: string): number {
  return hash(text) / 2 ** 32;
}

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
