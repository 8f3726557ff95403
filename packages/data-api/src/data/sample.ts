import { sha256Hex } from '@sluice/kernel/digest';
import type { CompanyEntry } from '../entries/company.ts';
import type { EmailEntry } from '../entries/email.ts';
import type { JobEntry } from '../entries/job.ts';
import type { PersonEntry } from '../entries/person.ts';
import type { PhoneEntry } from '../entries/phone.ts';
import { pastEmployers, type World } from './career.ts';
import * as Companies from './company.ts';
import { entryOf } from './company-entry.ts';
import * as Contacts from './contacts.ts';
import { type KnownPerson, knownPeople } from './known-people.ts';
import { people } from './people.ts';
import * as Postings from './posting.ts';
import * as Seats from './seats.ts';
import * as Staffing from './staffing.ts';

export type Sizes = { companies: number; people: number; jobs: number };
export type Options = Sizes & {
  /** A different seed gives different data. */
  seed: number;
  /** Day that all dates are relative to, in milliseconds. The data depend on these options only. */
  todayMs: number;
};
/** A fictional data set. It is generated while it is read, again each time. */
export type Sample = {
  companies: Iterable<CompanyEntry>;
  people: Iterable<PersonEntry>;
  jobs: Iterable<JobEntry>;
  emails: Iterable<EmailEntry>;
  phones: Iterable<PhoneEntry>;
};

/** Seed and sizes of the default sample. Only its dates depend on the day of the load. */
export const seed = 20_110_401;
export const sizes: Sizes = { companies: 3_000, people: 30_000, jobs: 20_000 };

/** Increase it when the same options give other data than before. */
const version = 2;

/** Identifies the sample, for each kind of data. */
export function digests(options: Options): { [K in keyof Sample]: string } {
  const digest = `${name(options)} ${new Date(options.todayMs).toISOString().slice(0, 10)}`;
  return { companies: digest, people: digest, jobs: digest, emails: digest, phones: digest };
}

/** Sizes of the default sample, multiplied by `scale`. */
export function sized(scale: number): Sizes {
  const { companies, people, jobs } = sizes;
  const scaled = (count: number) => Math.max(1, Math.round(count * scale));
  return { companies: scaled(companies), people: scaled(people), jobs: scaled(jobs) };
}

/** Day of a default sample with these sizes, in milliseconds, by its digest; null if `digest` is of other data. */
export function dayOf(digest: string | undefined, sizes: Sizes): number | null {
  const prefix = `${name({ seed, ...sizes })} `;
  return digest?.startsWith(prefix) ? Date.parse(digest.slice(prefix.length)) : null;
}

/** Digest of fictional data with other options than the default sample. */
export function generatedDigest(options: Options): string {
  return `generated ${sha256Hex(JSON.stringify(options))}`;
}

/** Returns true for the digests of this module, whose data describe no real people or companies. */
export function isFictional(digest: string | undefined): boolean {
  return /^(sample|generated) /.test(digest ?? '');
}

function name({ seed, companies, people, jobs }: Sizes & { seed: number }): string {
  return `sample ${version} ${seed} ${companies} ${people} ${jobs}`;
}

/** Sizes of a sample with this number of companies, in the proportions of the default sample. */
export function inProportion(companies: number): Sizes {
  return { ...sized(companies / sizes.companies), companies };
}

/** Generates a sample. The same options always give exactly the same data. */
export function generate({ seed, todayMs, companies: count, people: heads, jobs }: Options): Sample {
  const thisYear = new Date(todayMs).getUTCFullYear();
  const companies = Companies.companies(seed, count, thisYear);
  const seats = Seats.assign(seed, companies, heads);
  const known = seatKnownPeople(companies, seats);
  const world: World = { seed, todayMs, companies, pastEmployers: pastEmployers(companies), seats, known };
  return {
    companies: repeatable(function* () {
      for (const company of companies)
        yield entryOf(seed, company, thisYear, seats.stored[company.index] ?? 0);
    }),
    people: repeatable(() => people(world)),
    jobs: repeatable(() => Postings.postings(seed, companies, jobs, todayMs)),
    emails: repeatable(() => Contacts.emails(world)),
    phones: repeatable(() => Contacts.phones(world)),
  };
}

/** Moves the known people to the first seats. In a small sample, some of them may be missing. */
function seatKnownPeople(
  companies: readonly Companies.SampleCompany[],
  seats: Seats.Seats,
): Map<number, KnownPerson> {
  const seated = new Map<number, KnownPerson>();
  for (const person of knownPeople) {
    const company = companies.find((candidate) => candidate.slug === person.company);
    const stored = seats.stored[company?.index ?? -1] ?? 0;
    if (!company || stored === 0) continue;
    const number = person.isHead ? 0 : Staffing.numberOf(company, person, stored);
    if (number === null) continue;
    Seats.call(seats, seated.size, company.index, number);
    seated.set(seated.size, person);
  }
  return seated;
}

function repeatable<T>(iterate: () => Iterator<T>): Iterable<T> {
  return { [Symbol.iterator]: iterate };
}
