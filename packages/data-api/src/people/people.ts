import type { AccountCondition } from '../filters/account-filter.ts';
import type { PersonCondition } from '../filters/person-filter.ts';
import type { PersonRef } from '../filters/person-url.ts';
import type { Search } from '../filters/tsquery.ts';
import type { PersonRecord } from '../records/person.ts';

/** Conditions on people and on their companies. `refs` limits the question to the listed people, if not empty. */
export type Question = { people: PersonCondition; accounts: AccountCondition; refs: readonly PersonRef[] };

export type FoundPerson = { id: number; record: PersonRecord };
/** A person found by step `icp` of a cascade, counted from 1. */
export type Candidate = FoundPerson & { icp: number };
/** A company and the number of its people who match. */
export type Employer = { companyId: number; matchedPeople: number };
/** A page of companies in order. */
export type EmployerPage = {
  employers: Employer[];
  /** Id of the last company that was checked; null if there are no more. */
  resumeAfter: number | null;
};

/** The people of one data-set version. Their ids follow their number of connections, from the most to the fewest. */
export type People = {
  /** Counts matches exactly. */
  count(question: Question): Promise<number>;
  /** Up to `limit` matches with ids above `after`, in order. `total` is the result of `count`; it selects the query plan. */
  page(question: Question, total: number, after: number, limit: number): Promise<FoundPerson[]>;
  countAt(companyId: number, condition: PersonCondition): Promise<number>;
  /** Up to `limit` people at one company, in order, after skipping `offset`. */
  pageAt(
    companyId: number,
    condition: PersonCondition,
    offset: number,
    limit: number,
  ): Promise<FoundPerson[]>;
  /** People at one company, each once and by the first step that matches, ordered by step. */
  cascade(
    companyId: number,
    steps: readonly Search[],
    connectionsMin: number,
    limit: number,
  ): Promise<Candidate[]>;
  /**
   * Up to `limit` companies with ids above `after` and at least `peopleMin` matching people. Checks a bounded number of
   * people, so a page can be short although more follow.
   */
  employers(question: Question, peopleMin: number, after: number, limit: number): Promise<EmployerPage>;
};
