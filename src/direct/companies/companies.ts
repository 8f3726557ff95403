import type { CompanyCondition } from '../filters/company-filter.ts';
import type { JobCondition } from '../filters/job-filter.ts';
import type { CompanyRef } from '../filters/network-url.ts';
import type { Company } from '../records/company.ts';
import type { Headcount } from '../records/distribution.ts';

/** Enough of a company to ask about it. */
type Found = { id: number; slug: string };
type Hiring = { company: Company; matchedJobs: number };
/** One stretch of the companies in order. */
type HiringPage = {
  hiring: Hiring[];
  /** The last company that was looked at, if there may be more after it. */
  resumeAfter: number | null;
};

/** The companies of one generation of the data. Their ids are their order: from the largest to the smallest. */
export type Companies = {
  find(ref: CompanyRef): Promise<Found | null>;
  /**
   * Companies after `after` with at least `jobsMin` postings that meet the conditions, at most `limit`. It looks at a
   * bounded number of companies, so a page may fall short although more are to come.
   */
  hiring(question: {
    jobs: JobCondition;
    companies: CompanyCondition;
    jobsMin: number;
    after: number;
    limit: number;
  }): Promise<HiringPage>;
  /** Employees by country code, `unknown` for those without one; the most first. */
  headcountByCountry(companyId: number): Promise<Headcount[]>;
};
