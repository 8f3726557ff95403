import type { SampleCompany } from './company.ts';
import * as Prng from './prng.ts';

/**
 * Where everyone works, four bytes a person, so that each can be made without those before: the index of the company,
 * negated and less one for its head, or `free` for those whom no company of the sample employs.
 */
export type Seats = Int32Array;
export const free = 0x7fffffff;
const freeShare = 0.05;

/** Seats for `count` people: the whole staff of known companies that are not large, of all others a part. */
export function assign(seed: number, companies: readonly SampleCompany[], count: number): Seats {
  const seats: Seats = new Int32Array(count).fill(free);
  const wholeStaff = (company: SampleCompany) => company.fixedJobs !== null && company.employees < 500;
  const fixed = companies.reduce((sum, company) => sum + (wholeStaff(company) ? company.employees : 0), 0);
  const weightOf = (company: SampleCompany) => (wholeStaff(company) ? 0 : company.employees ** 0.45);
  const weight = companies.reduce((sum, company) => sum + weightOf(company), 0);
  const open = Math.max(0, Math.floor(count * (1 - freeShare)) - fixed);
  let at = 0;
  let owed = 0;
  for (const [index, company] of companies.entries()) {
    // Fractions are carried on, so that the shares add up to the whole.
    owed += (weightOf(company) / Math.max(weight, 1)) * open;
    const share = wholeStaff(company) ? company.employees : Math.min(company.employees, Math.floor(owed));
    if (!wholeStaff(company)) owed -= share;
    for (let made = 0; made < share && at < count; made++) seats[at++] = made === 0 ? -index - 1 : index;
  }
  return shuffled(Prng.create(seed, 3), seats);
}

/** Puts someone of that company, or its head, at `position`. */
export function call(seats: Seats, position: number, company: number, isHead: boolean): void {
  const found = seats.indexOf(isHead ? -company - 1 : company, position);
  if (found < 0) return;
  seats[found] = seats[position] ?? free;
  seats[position] = isHead ? -company - 1 : company;
}

function shuffled(prng: Prng.Prng, seats: Seats): Seats {
  for (let last = seats.length - 1; last > 0; last--) {
    const other = Math.floor(prng() * (last + 1));
    const kept = seats[last] ?? free;
    seats[last] = seats[other] ?? free;
    seats[other] = kept;
  }
  return seats;
}
