import type { JobCondition } from '../filters/job-filter.ts';
import type { Job } from '../records/job.ts';

/** Sort keys of a posting: newest first, then by id. */
export type JobKeys = { postedMs: number; id: number };
export type FoundJob = { keys: JobKeys; job: Job };

/** A company and how many of its postings meet a condition. */
export type Employer = { companyId: number; matchedJobs: number };
/** One stretch of the companies in order. */
export type EmployerPage = {
  employers: Employer[];
  /** The last company that was looked at, if there may be more after it. */
  resumeAfter: number | null;
};

/** The postings of one generation of the data. */
export type Jobs = {
  /** How many postings meet the condition, exactly. */
  count(condition: JobCondition): Promise<number>;
  /** Those after `after`, in order, at most `limit`. `total` is what `count` gave, and decides how to look for them. */
  page(condition: JobCondition, total: number, after: JobKeys | null, limit: number): Promise<FoundJob[]>;
  countOfCompany(companyId: number, condition: JobCondition): Promise<number>;
  pageOfCompany(
    companyId: number,
    condition: JobCondition,
    after: JobKeys | null,
    limit: number,
  ): Promise<FoundJob[]>;
  /**
   * Companies after `after` with at least `jobsMin` postings that meet the condition, the largest first, at most
   * `limit`. It looks at a bounded number of postings, so a page may fall short although more are to come.
   */
  employers(condition: JobCondition, jobsMin: number, after: number, limit: number): Promise<EmployerPage>;
};
