import type { CompanyEntry } from '../entries/company.ts';
import type { SampleCompany } from './company.ts';
import distributions from './distributions.json' with { type: 'json' };
import type { Place } from './places.ts';
import * as Roles from './roles.ts';

/**
 * Places and departments of a company's employees, by quota. Employees are numbered from 0, the head of the company. Each
 * number has one place and one department, so the figures of a company are known without its people, and the people that
 * a sample stores are never more than its figures.
 */
export type Post = {
  /** The office. Also set for people whose country is not known. */
  office: Place;
  hasKnownCountry: boolean;
  /** Family of the employee's role (roles.ts). */
  family: string;
  hasKnownDepartment: boolean;
};
type Figures = Pick<CompanyEntry, 'employees_by_country' | 'employees_by_department'>;

/** Shares of employees whose country or department is not known. */
export const unknownShare = distributions.unknown_shares;
/** Share of the employees at the headquarters; the others are spread over all offices. */
const headquartersShare = distributions.headquarters_share;
export const headDepartment = 'General Business & Management';
/** Powers of the plastic ratio: together, their multiples spread evenly over all pairs of place and department. */
const strides = { place: 0.754_877_666_25, department: 0.569_840_290_998 };

/** Place and department of employee `number` of the company. */
export function postOf(company: SampleCompany, number: number): Post {
  const { employees, offices } = company;
  const place = shuffled(number, employees, strides.place);
  const located = employees - unknownCountries(employees);
  const isLocated = place < located;
  const office = isLocated ? offices[officeAt(company, place, located)] : offices[0];
  const department = number === 0 ? 0 : shuffled(number - 1, employees - 1, strides.department);
  const { families } = company.sector;
  const staffed = employees - 1 - unknownDepartments(employees);
  const isStaffed = number === 0 || department < staffed;
  const family = isStaffed ? familyAt(families, department, staffed) : families[number % families.length];
  if (office === undefined || family === undefined) throw new RangeError(`no employee ${number}`);
  return { office, hasKnownCountry: isLocated, family, hasKnownDepartment: isStaffed };
}

/** First employee after the head, below `stored`, in that city and department. If there is none, any; null without any. */
export function numberOf(
  company: SampleCompany,
  { city, function: department }: { city: string; function: string },
  stored: number,
): number | null {
  for (let number = 1; number < stored; number++) {
    const post = postOf(company, number);
    const isThere = post.hasKnownCountry && post.office.city === city;
    if (isThere && post.hasKnownDepartment && Roles.functionOf(post.family) === department) return number;
  }
  return stored > 1 ? 1 : null;
}

/** The company's own figures of its employees, the most frequent first. */
export function figuresOf(company: SampleCompany): Figures {
  const { employees, offices } = company;
  const { families } = company.sector;
  const located = employees - unknownCountries(employees);
  const countries = new Map<string | null, number>();
  for (const [at, office] of offices.entries())
    add(
      countries,
      office.country,
      officeEnd(offices.length, at, located) - officeEnd(offices.length, at - 1, located),
    );
  add(countries, null, employees - located);
  const staffed = employees - 1 - unknownDepartments(employees);
  const departments = new Map<string | null, number>([[headDepartment, 1]]);
  for (const [at, family] of families.entries())
    add(
      departments,
      Roles.functionOf(family),
      familyEnd(families.length, at, staffed) - familyEnd(families.length, at - 1, staffed),
    );
  add(departments, null, employees - 1 - staffed);
  return {
    employees_by_country: sorted(countries).map(([country_code, count]) => ({ country_code, count })),
    employees_by_department: sorted(departments).map(([department, count]) => ({ department, count })),
  };
}

function unknownCountries(employees: number): number {
  return Math.floor(employees * unknownShare.country);
}

function unknownDepartments(employees: number): number {
  return Math.floor((employees - 1) * unknownShare.department);
}

/** End of the numbers of the office at index `at`. */
function officeEnd(offices: number, at: number, located: number): number {
  if (at < 0) return 0;
  return Math.round(located * (headquartersShare + ((1 - headquartersShare) * (at + 1)) / offices));
}

function officeAt({ offices }: SampleCompany, place: number, located: number): number {
  let at = 0;
  while (at < offices.length - 1 && place >= officeEnd(offices.length, at, located)) at++;
  return at;
}

function familyEnd(families: number, at: number, staffed: number): number {
  return Math.round((staffed * (at + 1)) / families);
}

function familyAt(families: readonly string[], department: number, staffed: number): string | undefined {
  let at = Math.min(families.length - 1, Math.floor((department / Math.max(1, staffed)) * families.length));
  while (at > 0 && department < familyEnd(families.length, at - 1, staffed)) at--;
  while (at < families.length - 1 && department >= familyEnd(families.length, at, staffed)) at++;
  return families[at];
}

/** A permutation of the numbers below `count` that maps 0 to 0. */
function shuffled(number: number, count: number, stride: number): number {
  let step = Math.max(1, Math.round(count * stride));
  while (divisor(step, count) !== 1) step++;
  return (number * step) % count;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

function add(counts: Map<string | null, number>, label: string | null, count: number): void {
  if (count > 0) counts.set(label, (counts.get(label) ?? 0) + count);
}

function sorted(counts: ReadonlyMap<string | null, number>): [string | null, number][] {
  return [...counts].sort(([, one], [, other]) => other - one);
}
