/** Records used by a call, and the remaining ones. */
export interface FairUsage {
  records_used: number;
  /** 9007199254740991 on plans without a limit. */
  records_remaining: number;
  /** ISO 8601; null on plans without a limit. */
  next_reset_at: string | null;
  /** Quote it to support. */
  request_id: string;
  /** Absent without a rate limit. */
  rate_limit?: { requests_per_second: number; remaining_this_second: number };
}

/** A company. Every member is present; unknown ones are null. */
export interface Company {
  network_url: string | null;
  network_id: number | null;
  name: string | null;
  about: string | null;
  specialties: string[] | null;
  industry: string | null;
  /** Ownership. */
  type: string | null;
  /** Band of headcount, such as `51-200`. */
  size: string | null;
  employees_on_network: number | null;
  followers: number | null;
  founded_year: number | null;
  hq: Headquarters | null;
  domain: string | null;
  website: string | null;
}

export interface Headquarters {
  city: string | null;
  state: string | null;
  country_code: string | null;
  country_name: string | null;
  /** Sales region: NORAM, LATAM, EMEA or APAC. */
  region: string | null;
  continent: string | null;
}

/** A person with the whole career. */
export interface Person {
  first_name: string | null;
  last_name: string | null;
  full_name: string | null;
  nickname: string | null;
  civility_title: string | null;
  headline: string | null;
  about_me: string | null;
  location: PersonLocation | null;
  network_url: string;
  /** The network counts to 500. */
  connections_count: number | null;
  profile_picture_url: string | null;
  experiences: Experience[];
  education: Education[] | null;
  skills: string[] | null;
  certifications: Certification[] | null;
}

export interface PersonLocation {
  city: string | null;
  state_code: string | null;
  country_code: string | null;
  continent: string | null;
  postal_code: string | null;
  street_address: string | null;
}

/** A position; dates are `YYYY-MM-DD`. */
export interface Experience {
  job_title: string | null;
  company_name: string | null;
  company_network_url: string | null;
  company_network_id: string | null;
  company_domain: string | null;
  job_description: string | null;
  job_start_date: string | null;
  job_end_date: string | null;
  job_is_current: boolean;
  job_contract_type: string | null;
  job_work_arrangement: string | null;
  job_location: { city: string | null; state_code: string | null; country_code: string | null } | null;
}

/** Dates are `YYYY-MM-DD`; the degree names its field. */
export interface Education {
  school_name: string | null;
  degree: string | null;
  start_date: string | null;
  end_date: string | null;
}

export interface Certification {
  authority: string | null;
  name: string | null;
  url: string | null;
}

/** A job posting. */
export interface Job {
  /** `YYYY-MM-DD HH:MM:SS+ZZ` */
  date_posted: string;
  title: string;
  url: string;
  company_name: string;
  company_network_url: string;
  ai_summary: string;
  location: { city: string; country_code: string };
}
