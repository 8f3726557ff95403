import * as Companies from './company.ts';
import * as People from './people.ts';
import * as Postings from './posting.ts';

export type Sizes = { companies: number; people: number; jobs: number };
export type Options = Sizes & {
  /** Another seed gives another world. */
  seed: number;
  /** The day that postings are dated back from, in milliseconds. The data depend on nothing else. */
  todayMs: number;
};
/** A made-up data set. People and jobs are made while they are read. */
export type Sample = {
  companies: readonly Companies.SampleCompany[];
  people: Iterable<People.SamplePerson>;
  jobs: Iterable<Postings.SampleJob>;
};

/** The sample is always this one; only its dates follow the day of the load. */
export const seed = 20_110_401;
export const sizes: Sizes = { companies: 3_000, people: 30_000, jobs: 20_000 };

/** The same options give the same data, to the letter. */
export function generate({ seed, todayMs, companies: count, people, jobs }: Options): Sample {
  const companies = Companies.companies(seed, count, new Date(todayMs).getUTCFullYear());
  return {
    companies,
    people: People.people(seed, companies, people),
    jobs: Postings.postings(seed, companies, jobs, todayMs),
  };
}
