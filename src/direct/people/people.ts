import type { AccountCondition } from '../filters/account-filter.ts';
import type { PersonCondition } from '../filters/person-filter.ts';
import type { PersonRef } from '../filters/person-url.ts';
import type { Search } from '../filters/search.ts';
import type { PersonRecord } from '../records/person.ts';

/** Which people are meant, by themselves and by the companies that they work at. */
export type Question = { people: PersonCondition; accounts: AccountCondition; refs: readonly PersonRef[] };

export type FoundPerson = { id: number; record: PersonRecord };
/** Someone found by a cascade: by its step `icp`, counted from 1, under that title. */
export type Candidate = FoundPerson & { icp: number; title: string | null };
/** A company and how many of its people are meant. */
export type Employer = { companyId: number; matchedPeople: number };
/** One stretch of the companies in order. */
export type EmployerPage = {
  employers: Employer[];
  /** The last company that was looked at, if there may be more after it. */
  resumeAfter: number | null;
};

/** The people of one generation of the data. Their ids are their order: from the most connections to the fewest. */
export type People = {
  /** How many there are, exactly. */
  count(question: Question): Promise<number>;
  /** Those after `after`, in order, at most `limit`. `total` is what `count` gives, and decides how to look for them. */
  page(question: Question, total: number, after: number, limit: number): Promise<FoundPerson[]>;
  countAt(companyId: number, condition: PersonCondition): Promise<number>;
  /** People at one company, in order, `offset` of them left out. */
  pageAt(
    companyId: number,
    condition: PersonCondition,
    offset: number,
    limit: number,
  ): Promise<FoundPerson[]>;
  /** People at one company by the first step that finds them: those of the first step first, and each only once. */
  cascade(
    companyId: number,
    steps: readonly Search[],
    connectionsMin: number,
    limit: number,
  ): Promise<Candidate[]>;
  /**
   * Companies after `after` with at least `peopleMin` people meant, at most `limit`. It looks at a bounded number of
   * companies, so a page may fall short although more are to come.
   */
  employers(question: Question, peopleMin: number, after: number, limit: number): Promise<EmployerPage>;
};
