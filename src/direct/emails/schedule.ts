import { createHash } from 'node:crypto';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Each address has a place of its own in a cycle of so many days, and is tested when the cycle comes to it. */
const cycleDays = 24;
/**
 * After a test an address is left alone for so long, so that one which is tested outside its place (a new one) is not
 * tested again at once. Rest and cycle together are the longest between two tests: 26 days, which leaves four of the
 * thirty for retries and for a backlog.
 */
const restDays = 2;
/** How long to wait after each try that came to nothing. Greylisting passes within the first; all of them are 45 hours. */
const retriesMs = [10 / 60, 0.5, 2, 6, 12, 24].map((hours) => hours * hourMs);

/** When an address is tested again whose last test ended at `testedAtMs`. Never later than 26 days after it. */
export function next(email: string, testedAtMs: number): number {
  const cycleMs = cycleDays * dayMs;
  const earliest = testedAtMs + restDays * dayMs;
  const place = placeMs(email);
  return place + (Math.floor((earliest - place) / cycleMs) + 1) * cycleMs;
}

/** When to try again after the `attempts`-th try that came to nothing; null where that was the last one. */
export function retry(attempts: number, nowMs: number): number | null {
  const wait = retriesMs[attempts - 1];
  return wait === undefined ? null : nowMs + wait;
}

/**
 * The day by the address, the time of the day by its domain: as many addresses on each day, and those of a domain that
 * share a day in one conversation.
 */
function placeMs(email: string): number {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return (hash(email) % cycleDays) * dayMs + Math.floor(share(domain) * dayMs);
}

/** A number from 0 to 1 that a text always has, and others rarely: an even spread without chance. */
function share(text: string): number {
  return hash(text) / 2 ** 32;
}

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
