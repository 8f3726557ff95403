import type { CompanyEntry } from '../entries/company.ts';
import type { EmailEntry } from '../entries/email.ts';
import type { JobEntry } from '../entries/job.ts';
import type { PersonEntry } from '../entries/person.ts';
import type { PhoneEntry } from '../entries/phone.ts';
import type { World } from './career.ts';
import * as Companies from './company.ts';
import * as Contacts from './contacts.ts';
import { knownPeople } from './known-people.ts';
import { people } from './people.ts';
import * as Postings from './posting.ts';
import * as Seats from './seats.ts';

export type Sizes = { companies: number; people: number; jobs: number };
export type Options = Sizes & {
  /** Another seed gives another world. */
  seed: number;
  /** The day that everything is dated back from, in milliseconds. The data depend on nothing else. */
  todayMs: number;
};
/** A made-up data set. But for the companies everything is made while it is read, again each time. */
export type Sample = {
  companies: Iterable<CompanyEntry>;
  people: Iterable<PersonEntry>;
  jobs: Iterable<JobEntry>;
  emails: Iterable<EmailEntry>;
  phones: Iterable<PhoneEntry>;
};

/** The sample is always this one; only its dates follow the day of the load. */
export const seed = 20_110_401;
export const sizes: Sizes = { companies: 3_000, people: 30_000, jobs: 20_000 };

/** To be raised where the same options come to give other data. */
const version = 1;

/** What tells this sample from others, kind by kind. */
export function digests(options: Options): { [K in keyof Sample]: string } {
  const digest = `${name(options)} ${new Date(options.todayMs).toISOString().slice(0, 10)}`;
  return { companies: digest, people: digest, jobs: digest, emails: digest, phones: digest };
}

/** The usual sample, so many times as large. */
export function sized(scale: number): Sizes {
  const { companies, people, jobs } = sizes;
  const scaled = (count: number) => Math.max(1, Math.round(count * scale));
  return { companies: scaled(companies), people: scaled(people), jobs: scaled(jobs) };
}

/** The day that a sample with these sizes is dated back from, in milliseconds; null where `digest` is of something else. */
export function dayOf(digest: string | undefined, sizes: Sizes): number | null {
  const prefix = `${name({ seed, ...sizes })} `;
  return digest?.startsWith(prefix) ? Date.parse(digest.slice(prefix.length)) : null;
}

function name({ seed, companies, people, jobs }: Sizes & { seed: number }): string {
  return `sample ${version} ${seed} ${companies} ${people} ${jobs}`;
}

/** The same options give the same data, to the letter. */
export function generate({ seed, todayMs, companies: count, people: heads, jobs }: Options): Sample {
  const companies = Companies.companies(seed, count, new Date(todayMs).getUTCFullYear());
  const world: World = {
    seed,
    todayMs,
    companies,
    bySector: Map.groupBy(companies, (company) => company.sector),
    seats: seated(seed, companies, heads),
  };
  return {
    companies: companies.map((company) => company.entry),
    people: again(() => people(world)),
    jobs: again(() => Postings.postings(seed, companies, jobs, todayMs)),
    emails: again(() => Contacts.emails(world)),
    phones: again(() => Contacts.phones(world)),
  };
}

/** Seats with those of the known people in front. */
function seated(seed: number, companies: readonly Companies.SampleCompany[], count: number): Seats.Seats {
  const seats = Seats.assign(seed, companies, count);
  for (const [position, { company, isHead }] of knownPeople.entries()) {
    const index = companies.findIndex((candidate) => candidate.slug === company);
    if (position < count) Seats.call(seats, position, index, isHead);
  }
  return seats;
}

function again<T>(iterate: () => Iterator<T>): Iterable<T> {
  return { [Symbol.iterator]: iterate };
}
