import type { CallOptions, Connection } from '../connection.ts';
import type { JobCompanyFilter, JobFilter } from '../filters.ts';
import * as Operation from '../operation.ts';
import type { CountedPage, PagePromise } from '../page.ts';
import type { Job } from '../records.ts';

export interface JobSearchParams {
  job?: JobFilter | null;
  company?: JobCompanyFilter | null;
  /** Postings a page, 1 to 50. Default 10. */
  max_results?: number | null;
  /** Cursor of the page to start from. Default: the first page. */
  cursor?: string | null;
}

export interface CompanyJobsParams {
  company_network_url: string;
  job?: JobFilter | null;
  /** Postings a page, 1 to 50. Default 10. */
  max_results?: number | null;
  /** Cursor of the page to start from. Default: the first page. */
  cursor?: string | null;
}

/** Job postings. */
export class Jobs {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Postings by title, place, seniority and date, and by their company. At most 5,000 of one query. 1 record each.
   *
   * ```ts
   * const newest = await sluice.jobs
   *   .search({ job: { title: { include: ['Head of Sales'] }, date_posted: { last_days: 30 } }, max_results: 50 })
   *   .collect({ max_items: 200 });
   * ```
   */
  search(fields: JobSearchParams = {}, options?: CallOptions): PagePromise<CountedPage<Job>> {
    return Operation.cursorList(this.#connection, '/v2/jobs/search', fields, options);
  }

  /**
   * Postings of one company, the newest first. At most 5,000 of one query. 1 record each.
   *
   * ```ts
   * const company_network_url = 'https://www.network.example/company/northwind-analytics';
   * for await (const job of sluice.jobs.company({ company_network_url })) console.log(job.title);
   * ```
   */
  company(fields: CompanyJobsParams, options?: CallOptions): PagePromise<CountedPage<Job>> {
    return Operation.cursorList(this.#connection, '/v2/jobs/company', fields, options);
  }
}
