import type {
  CompanyType,
  Continent,
  EmploymentType,
  FundingType,
  JobFunction,
  JobLevel,
  SalesRegion,
  Seniority,
  SizeBand,
  WorkArrangement,
} from './enums.ts';
import type { Industry } from './industry.ts';

/** Any of `include` and none of `exclude`; at most 50 values each. */
export interface ValueFilter<Value extends string> {
  include?: Value[] | null;
  exclude?: Value[] | null;
}

/** Words to find. In titles `[CEO]` in brackets is the whole title, `CEO` without them any title with that word. */
export type KeywordFilter = ValueFilter<string>;

/** From `min` to `max`, both included; 0 leaves a side open. */
export interface RangeFilter {
  min?: number | null;
  max?: number | null;
}

/** Company filters of company search, people search and market size by headcount. All of them must match. */
export interface CompanyFilter {
  name?: KeywordFilter | null;
  industry?: ValueFilter<Industry> | null;
  type?: ValueFilter<CompanyType> | null;
  /** Bands of headcount. */
  employee_range?: SizeBand[] | null;
  employee_count?: RangeFilter | null;
  min_network_followers?: number | null;
  /** In USD. */
  revenue?: RangeFilter | null;
  /** Codes such as `541511`. */
  naics_code?: KeywordFilter | null;
  /** Codes such as `7372`. */
  sic_code?: KeywordFilter | null;
  /** Visits a month. */
  web_traffic?: RangeFilter | null;
  /** Search advertising, USD a month. */
  ad_spend?: RangeFilter | null;
  /** In USD. */
  total_funding?: RangeFilter | null;
  /** In USD. */
  last_funding_amount?: RangeFilter | null;
  last_funding_year?: RangeFilter | null;
  last_funding_type?: ValueFilter<FundingType> | null;
  lead_investors?: KeywordFilter | null;
  /** Description, specialties and categories: all words of one value in one of them. */
  keywords?: KeywordFilter | null;
  founded_year?: RangeFilter | null;
  hq?: HeadquartersFilter | null;
}

/** Headquarters of a company. */
export interface HeadquartersFilter {
  city?: KeywordFilter | null;
  state?: KeywordFilter | null;
  /** ISO 3166-1 alpha-2, such as `DE`. */
  country_code?: string[] | null;
  continent?: Continent[] | null;
  sales_region?: SalesRegion[] | null;
}

/** A company filter that can also name the companies. */
export interface NamedCompanyFilter extends CompanyFilter {
  /** Company pages; at most 50. */
  network_url?: string[] | null;
}

/** People filters. All of them must match. */
export interface PeopleFilter {
  job_title?: TitleFilter | null;
  job_function?: JobFunction[] | null;
  job_level?: JobLevel[] | null;
  /** 0 to 500. */
  min_connections?: number | null;
  location?: PeopleLocationFilter | null;
  /** All words of one value in one entry of the education: `Stanford 2025`. */
  education?: KeywordFilter | null;
}

/** Words of a job title; `[CEO]` in brackets is the whole title. */
export interface TitleFilter extends KeywordFilter {
  /** Search the headline of the profile too. */
  include_network_headline?: boolean | null;
}

/** Location of people. */
export interface PeopleLocationFilter {
  city?: KeywordFilter | null;
  /** ISO 3166-1 alpha-2, such as `DE`. */
  country_code?: string[] | null;
  continent?: Continent[] | null;
  sales_region?: SalesRegion[] | null;
}

/** A people filter that counts people by company. */
export interface CountedPeopleFilter extends PeopleFilter {
  /** Profiles; at most 50. */
  network_url?: string[] | null;
  /** Only companies with at least so many of these people; 0 to 25. */
  min_per_company?: number | null;
}

/** Job filters. All of them must match. */
export interface JobFilter {
  /** Words of the title; `[Data Analyst]` in brackets is the whole title. */
  title?: KeywordFilter | null;
  description?: KeywordFilter | null;
  /** A theme, looked for in title, description, skills and taxonomies. */
  ai_keywords?: KeywordFilter | null;
  /** Label of a professional field. */
  field?: KeywordFilter | null;
  /** Years of experience. */
  seniority?: ValueFilter<Seniority> | null;
  employment_type?: ValueFilter<EmploymentType> | null;
  work_arrangement?: ValueFilter<WorkArrangement> | null;
  /** Place of work, not of the company. */
  location?: JobLocationFilter | null;
  date_posted?: PostedFilter | null;
}

/** Location of a job: the full city name, and countries in ISO 3166-1 alpha-2. */
export interface JobLocationFilter {
  city?: KeywordFilter | null;
  country_code?: KeywordFilter | null;
}

/** When a job was posted. */
export interface PostedFilter {
  /** 1 to 3650; all postings without it. */
  last_days?: number | null;
}

/** A job filter that counts postings by company. */
export interface CountedJobFilter extends JobFilter {
  /** Only companies with at least so many of these postings; 0 to 25. */
  min_per_company?: number | null;
}

/** Filters of the posting companies. */
export interface JobCompanyFilter {
  /** `true`: staffing agencies only. `false`: no staffing agencies. */
  is_agency?: boolean | null;
  industry?: ValueFilter<Industry> | null;
  employee_count?: RangeFilter | null;
  size?: SizeFilter | null;
  keywords?: KeywordFilter | null;
  hq?: JobHeadquartersFilter | null;
}

/** Bands of headcount; they cannot be excluded. */
export interface SizeFilter {
  include?: SizeBand[] | null;
}

/** Headquarters of the posting company. */
export interface JobHeadquartersFilter {
  city?: KeywordFilter | null;
  state?: KeywordFilter | null;
  country_code?: KeywordFilter | null;
}

/** One step of a waterfall; earlier steps are preferred. */
export interface CascadeStep {
  include_title: string[];
  exclude_title?: string[] | null;
  /** ISO 3166-1 alpha-2 codes, or `WORLD`. */
  location?: string[] | null;
  /** Match the titles against the headline too. */
  include_headline_search?: boolean | null;
}
