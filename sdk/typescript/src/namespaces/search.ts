import type { CallOptions, Connection } from '../connection.ts';
import type { Continent, JobFunction, JobLevel, SalesRegion } from '../enums.ts';
import type {
  CascadeStep,
  CompanyFilter,
  CountedJobFilter,
  CountedPeopleFilter,
  JobCompanyFilter,
  NamedCompanyFilter,
  PeopleFilter,
} from '../filters.ts';
import * as Operation from '../operation.ts';
import type { CountedPage, CursorPage, PagePromise } from '../page.ts';
import type { RealTimeProfile } from '../real-time-profile.ts';
import type { Company, FairUsage, Person } from '../records.ts';

interface PageParams {
  /** Items a page, 1 to 50. Default 10. */
  max_results?: number | null;
  /** Cursor of the page to start from. Default: the first page. */
  cursor?: string | null;
}

export interface PeopleSearchParams extends PageParams {
  company?: NamedCompanyFilter | null;
  people?: PeopleFilter | null;
}

export interface CompanySearchParams extends PageParams {
  company?: CompanyFilter | null;
}

export interface EmployeeFinderParams {
  company_network_url: string;
  /** ISO 3166-1 alpha-2, such as `DE`. */
  country_code?: string[] | null;
  continent?: Continent[] | null;
  sales_region?: SalesRegion[] | null;
  job_level?: JobLevel[] | null;
  job_function?: JobFunction[] | null;
  /** 0 to 500. */
  min_connections_count?: number | null;
  /** People a page, 1 to 50. Default 10. */
  max_results?: number | null;
  /** Page number, from 1. */
  page?: number | null;
}

/** A page of the employees of a company. */
export interface EmployeePage {
  company_network_url: string;
  max_results: number;
  results_length: number;
  page: number;
  total_pages: number;
  results: Person[];
  fair_usage: FairUsage;
}

export interface WaterfallParams {
  company_network_url: string;
  /** 1 to 10 steps, the preferred ones first. */
  cascade: CascadeStep[];
  profile_min_connections?: number | null;
  /** People in all, 1 to 100. Default 10. */
  max_results?: number | null;
}

export interface WaterfallAnswer {
  company_network_url: string;
  max_results: number;
  results_length: number;
  results: RankedPerson[];
  fair_usage: FairUsage;
}

export interface RankedPerson {
  /** The step that matched, from 1. */
  icp: number;
  /** Place in the list, from 1. */
  ranking: number;
  person: Person;
}

export interface RealTimeWaterfallParams {
  company_network_url: string;
  /** 1 to 10 steps, the preferred ones first. */
  cascade: CascadeStep[];
  /** People in all, 1 to 100. */
  max_results: number;
}

export interface RealTimeWaterfallAnswer {
  company_network_url: string;
  max_results: number;
  results_length: number;
  results: RealTimeProfile[];
}

export interface TamByJobsParams extends PageParams {
  job?: CountedJobFilter | null;
  company?: JobCompanyFilter | null;
}

export interface HiringCompany {
  company: Company;
  /** Its postings that match. */
  matched_jobs: number;
}

export interface TamByPeopleParams extends PageParams {
  company?: NamedCompanyFilter | null;
  people?: CountedPeopleFilter | null;
}

export interface StaffedCompany {
  company: Company;
  /** Its people that match. */
  matched_people: number;
}

/** People, companies and markets. */
export class Search {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * People by title, rank, field and place, in companies that fit. At most 50,000 of one query. 1 record each.
   *
   * ```ts
   * const founders = await sluice.search.people({
   *   company: { industry: { include: ['Software Development'] }, hq: { country_code: ['DE'] } },
   *   people: { job_title: { include: ['[CEO]', 'Founder'] } },
   * });
   * ```
   */
  people(fields: PeopleSearchParams = {}, options?: CallOptions): PagePromise<CountedPage<Person>> {
    return Operation.cursorList(this.#connection, '/v2/search/people', fields, options);
  }

  /**
   * Companies by what they do, where, and how large they are. At most 50,000 of one query. 1 record each.
   *
   * ```ts
   * const { total_results } = await sluice.search.companies({
   *   company: { keywords: { include: ['SaaS'] }, hq: { continent: ['Europe'] }, employee_range: ['51-200'] },
   * });
   * ```
   */
  companies(fields: CompanySearchParams = {}, options?: CallOptions): PagePromise<CountedPage<Company>> {
    return Operation.cursorList(this.#connection, '/v2/search/companies', fields, options);
  }

  /**
   * The employees of one company, in numbered pages. At most 10,000. 1 record each.
   *
   * ```ts
   * const company_network_url = 'https://www.network.example/company/northwind-analytics';
   * const managers = await sluice.search.employee_finder({ company_network_url, job_level: ['Manager'] }).collect();
   * ```
   */
  employee_finder(fields: EmployeeFinderParams, options?: CallOptions): PagePromise<EmployeePage> {
    return Operation.numberedList(this.#connection, '/v2/search/employee-finder', fields, options);
  }

  /**
   * The best decision makers of one company: the matches of the first step, then those of the next, up to `max_results`. 1 record each.
   *
   * ```ts
   * const { results } = await sluice.search.waterfall_icp({
   *   company_network_url: 'https://www.network.example/company/northwind-analytics',
   *   cascade: [{ include_title: ['CMO'] }, { include_title: ['Head of Marketing'] }],
   *   max_results: 3,
   * });
   * ```
   */
  waterfall_icp(fields: WaterfallParams, options?: CallOptions): Promise<WaterfallAnswer> {
    return Operation.call(this.#connection, '/v2/search/waterfall-icp-keyword', fields, options);
  }

  /**
   * Like `waterfall_icp`, but reads profiles in real time, for companies without a match there. Stops at the first step that matches.
   * 1 record each.
   *
   * ```ts
   * const { results } = await sluice.search.waterfall_icp_real_time({
   *   company_network_url: 'https://www.network.example/company/northwind-analytics',
   *   cascade: [{ include_title: ['CMO'], include_headline_search: true }],
   *   max_results: 3,
   * });
   * ```
   */
  waterfall_icp_real_time(
    fields: RealTimeWaterfallParams,
    options?: CallOptions,
  ): Promise<RealTimeWaterfallAnswer> {
    return Operation.call(this.#connection, '/api/search/waterfall-icp-real-time', fields, options);
  }

  /**
   * The companies that hire for given jobs, each with the count of its postings. At most 50,000. 1 record each.
   *
   * ```ts
   * const hiring = sluice.search.tam_by_jobs({ job: { title: { include: ['Engineer'] }, min_per_company: 5 } });
   * for await (const { company, matched_jobs } of hiring) console.log(company.name, matched_jobs);
   * ```
   */
  tam_by_jobs(fields: TamByJobsParams = {}, options?: CallOptions): PagePromise<CursorPage<HiringCompany>> {
    return Operation.cursorList(this.#connection, '/v2/company/tam-by-jobs', fields, options);
  }

  /**
   * The companies that employ given people, each with their count. At most 50,000. 1 record each.
   *
   * ```ts
   * const staffed = sluice.search.tam_by_people({ people: { job_function: ['Engineering'], min_per_company: 10 } });
   * for await (const { company, matched_people } of staffed) console.log(company.name, matched_people);
   * ```
   */
  tam_by_people(
    fields: TamByPeopleParams = {},
    options?: CallOptions,
  ): PagePromise<CursorPage<StaffedCompany>> {
    return Operation.cursorList(this.#connection, '/v2/company/tam-by-people', fields, options);
  }
}
