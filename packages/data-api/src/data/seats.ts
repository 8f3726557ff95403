import type { SampleCompany } from './company.ts';
import * as Prng from './prng.ts';
import * as Shares from './shares.ts';

/**
 * Employer of each person, so that any person can be generated independently. Eight bytes per person: the index of the
 * company, or `free` for people without an employer in the sample, and the employee's number (staffing.ts); 0 is its head.
 */
export type Seats = {
  company: Int32Array;
  number: Int32Array;
  /** People stored of each company: its employees with the first numbers. */
  stored: Int32Array;
};
export const free = -1;
const freeShare = 0.05;
/** Exponent of a company's stored people: of a company a hundred times as large, four times as many people are stored. */
const selection = 0.3;
const wholeStaffBelow = 500;

/**
 * Assigns `count` people to companies. Of small companies all employees are stored, of larger ones a selection, which
 * grows with the company. Small known companies are always stored completely.
 */
export function assign(seed: number, companies: readonly SampleCompany[], count: number): Seats {
  const stored = storedOf(companies, Math.floor(count * (1 - freeShare)));
  const seats: Seats = {
    company: new Int32Array(count).fill(free),
    number: new Int32Array(count),
    stored,
  };
  let at = 0;
  for (const [index, wanted] of stored.entries()) {
    const share = Math.min(wanted, count - at);
    stored[index] = share;
    for (let number = 0; number < share; number++, at++) {
      seats.company[at] = index;
      seats.number[at] = number;
    }
  }
  shuffle(Prng.create(seed, 3), seats);
  return seats;
}

/** Number of stored people of each company, `count` in all. */
function storedOf(companies: readonly SampleCompany[], count: number): Int32Array {
  return Shares.divide(companies, count, ({ known, employees }, scale) =>
    known !== null && employees < wholeStaffBelow
      ? employees
      : Math.min(employees, scale * employees ** selection),
  );
}

/** Moves a stored employee of the company to `position`. */
export function call({ company, number }: Seats, position: number, index: number, wanted: number): void {
  const found = company.findIndex((each, at) => each === index && number[at] === wanted);
  if (found < 0) throw new RangeError(`employee ${wanted} of company ${index} is not stored`);
  swap({ company, number }, found, position);
}

function shuffle(prng: Prng.Prng, seats: Seats): void {
  for (let last = seats.company.length - 1; last > 0; last--) {
    swap(seats, last, Math.floor(prng() * (last + 1)));
  }
}

function swap({ company, number }: Pick<Seats, 'company' | 'number'>, one: number, other: number): void {
  for (const values of [company, number]) {
    const kept = values[one] ?? free;
    values[one] = values[other] ?? free;
    values[other] = kept;
  }
}
