import type { JobCondition } from '../filters/job-filter.ts';
import type { Job } from '../records/job.ts';

/** Sort keys of a posting: newest first, then by id. */
export type JobKeys = { postedMs: number; id: number };
export type FoundJob = { keys: JobKeys; job: Job };

/** A company and the number of its postings that meet a condition. */
export type Employer = { companyId: number; matchedJobs: number };
/** A page of companies in order. */
export type EmployerPage = {
  employers: Employer[];
  /** Id of the last company that was checked; null if there are no more. */
  resumeAfter: number | null;
};

/** The postings of one data-set version. */
export type Jobs = {
  /** Counts the postings that meet the condition, exactly. */
  count(condition: JobCondition): Promise<number>;
  /** Up to `limit` matches that follow `after`, in order. `total` is the result of `count`; it selects the query plan. */
  page(condition: JobCondition, total: number, after: JobKeys | null, limit: number): Promise<FoundJob[]>;
  countOfCompany(companyId: number, condition: JobCondition): Promise<number>;
  pageOfCompany(
    companyId: number,
    condition: JobCondition,
    after: JobKeys | null,
    limit: number,
  ): Promise<FoundJob[]>;
  /**
   * Up to `limit` companies with ids above `after` and at least `jobsMin` matching postings, the largest first. Checks a
   * bounded number of postings, so a page can be short although more follow.
   */
  employers(condition: JobCondition, jobsMin: number, after: number, limit: number): Promise<EmployerPage>;
};
