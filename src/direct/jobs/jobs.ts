import type { JobCondition } from '../filters/job-filter.ts';
import type { Job } from '../records/job.ts';

/** Sort keys of a posting: newest first, then by id. */
type JobKeys = { postedMs: number; id: number };
export type FoundJob = { keys: JobKeys; job: Job };

/** The postings of one generation of the data. */
export type Jobs = {
  /** Postings of one company that meet the condition, in order, those after `after`, at most `limit`. */
  ofCompany(
    companyId: number,
    condition: JobCondition,
    after: JobKeys | null,
    limit: number,
  ): Promise<FoundJob[]>;
  /** How many postings of the company meet the condition. */
  countOfCompany(companyId: number, condition: JobCondition): Promise<number>;
};
