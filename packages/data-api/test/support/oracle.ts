import { type CompanyEntry, sizeOf } from '../../src/entries/company.ts';
import type { JobEntry } from '../../src/entries/job.ts';
import * as Geography from '../../src/filters/geography.ts';

/** Reference implementation of the filters over entries in memory: slow, simple, and independent of the tested code. */
export type List = { include?: string[]; exclude?: string[] };
export type Range = { min?: number; max?: number };
export type JobFilter = {
  title?: List;
  description?: List;
  ai_keywords?: List;
  field?: List;
  seniority?: List;
  employment_type?: List;
  work_arrangement?: List;
  location?: { city?: List; country_code?: List };
  date_posted?: { last_days: number };
};
export type EmployerFilter = {
  is_agency?: boolean | null;
  industry?: List;
  employee_count?: Range;
  size?: { include?: string[] };
  keywords?: List;
  hq?: { city?: List; state?: List; country_code?: List };
};
export type CompanyFilter = {
  name?: List;
  industry?: List;
  type?: List;
  employee_range?: string[];
  employee_count?: Range;
  min_network_followers?: number;
  revenue?: Range;
  naics_code?: List;
  sic_code?: List;
  web_traffic?: Range;
  ad_spend?: Range;
  total_funding?: Range;
  last_funding_amount?: Range;
  last_funding_year?: Range;
  last_funding_type?: List;
  lead_investors?: List;
  keywords?: List;
  founded_year?: Range;
  hq?: { city?: List; state?: List; country_code?: string[]; continent?: string[]; sales_region?: string[] };
};

/** All companies in the order of results. */
export function ordered(companies: readonly CompanyEntry[]): CompanyEntry[] {
  const size = (company: CompanyEntry) => company.employees_on_network ?? -1;
  return [...companies].sort((a, b) => size(b) - size(a) || (a.network_id ?? 0) - (b.network_id ?? 0));
}

/** All postings in the order of results. */
export function newestFirst(jobs: readonly JobEntry[]): JobEntry[] {
  return [...jobs].sort((a, b) => Date.parse(b.posted_at) - Date.parse(a.posted_at) || b.id - a.id);
}

/** Company that posted a job; null if it is not in the data set. */
export function employers(companies: readonly CompanyEntry[]): (job: JobEntry) => CompanyEntry | null {
  const byUrl = new Map(companies.map((company) => [company.network_url, company]));
  return (job) => byUrl.get(job.company_network_url ?? '') ?? null;
}

export function jobMatches(job: JobEntry, filter: JobFilter, nowMs: number): boolean {
  const texts = [job.title, job.description, ...job.skills, ...job.taxonomies];
  return (
    passes(filter.title, (value) =>
      value.startsWith('[') ? plain(job.title) === plain(value.slice(1, -1)) : has([job.title], value),
    ) &&
    passes(filter.description, (value) => has([job.description], value)) &&
    passes(filter.ai_keywords, (value) => has(texts, value)) &&
    passes(filter.field, (value) => has([job.field], value)) &&
    passes(filter.seniority, (value) => job.seniority === value) &&
    passes(filter.employment_type, (value) => job.employment_type === value) &&
    passes(filter.work_arrangement, (value) => job.work_arrangement === value) &&
    passes(filter.location?.city, (value) => job.city !== null && plain(job.city) === plain(value)) &&
    passes(filter.location?.country_code, (value) => job.country_code === value) &&
    (!filter.date_posted || Date.parse(job.posted_at) >= nowMs - filter.date_posted.last_days * 86_400_000)
  );
}

/** Filter on the employer of a posting; the employer is null if unknown. */
export function employerMatches(company: CompanyEntry | null, filter: EmployerFilter): boolean {
  const agency = filter.is_agency ?? null;
  return (
    (agency === null || agency === (company?.is_agency === true)) &&
    passes(filter.industry, (value) => (company?.industry ?? 'Unknown') === value) &&
    within(company?.employees_on_network, filter.employee_count) &&
    passes(filter.size, (value) => company !== null && sizeOf(company) === value) &&
    passes(filter.keywords, (value) => describedBy(company, value)) &&
    passes(filter.hq?.city, (value) => has([company?.hq?.city], value)) &&
    passes(filter.hq?.state, (value) => has([company?.hq?.state], value)) &&
    passes(filter.hq?.country_code, (value) => company?.hq?.country_code === value)
  );
}

export function companyMatches(company: CompanyEntry, filter: CompanyFilter): boolean {
  const country = Geography.country(company.hq?.country_code ?? '');
  return (
    passes(filter.name, (value) => has([company.name], value)) &&
    passes(filter.industry, (value) => (company.industry ?? 'Unknown') === value) &&
    passes(filter.type, (value) => company.type === value) &&
    passes({ include: filter.employee_range ?? [] }, (value) => sizeOf(company) === value) &&
    within(company.employees_on_network, filter.employee_count) &&
    within(company.followers, { min: filter.min_network_followers ?? 0 }) &&
    within(company.revenue, filter.revenue) &&
    passes(filter.naics_code, (value) => company.naics_codes.includes(value)) &&
    passes(filter.sic_code, (value) => company.sic_codes.includes(value)) &&
    within(company.web_traffic, filter.web_traffic) &&
    within(company.ad_spend, filter.ad_spend) &&
    within(company.total_funding, filter.total_funding) &&
    within(company.last_funding_amount, filter.last_funding_amount) &&
    within(company.last_funding_year, filter.last_funding_year) &&
    passes(filter.last_funding_type, (value) => company.last_funding_type === value) &&
    passes(filter.lead_investors, (value) => company.lead_investors.some((name) => has([name], value))) &&
    passes(filter.keywords, (value) => describedBy(company, value)) &&
    within(company.founded_year, filter.founded_year) &&
    passes(filter.hq?.city, (value) => has([company.hq?.city], value)) &&
    passes(filter.hq?.state, (value) => has([company.hq?.state], value)) &&
    passes({ include: filter.hq?.country_code ?? [] }, (value) => company.hq?.country_code === value) &&
    passes({ include: filter.hq?.continent ?? [] }, (value) => country?.continent === value) &&
    passes({ include: filter.hq?.sales_region ?? [] }, (value) => country?.sales_region === value)
  );
}

function describedBy(company: CompanyEntry | null, value: string): boolean {
  if (company === null) return false;
  const fields = [[company.about], company.specialties ?? [], company.activities, company.categories];
  return fields.some((texts) => has(texts, value));
}

export function passes(list: List | undefined, matches: (value: string) => boolean): boolean {
  const include = list?.include ?? [];
  return (include.length === 0 || include.some(matches)) && !(list?.exclude ?? []).some(matches);
}

function within(value: number | null | undefined, { min = 0, max = 0 }: Range = {}): boolean {
  if (min === 0 && max === 0) return true;
  return typeof value === 'number' && value >= min && (max === 0 || value <= max);
}

export function plain(text: string): string {
  const letters: Record<string, string> = {
    ł: 'l',
    ø: 'o',
    đ: 'd',
    ß: 'ss',
    æ: 'ae',
    ı: 'i',
    þ: 'th',
    ð: 'd',
  };
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[łøđßæıþð]/g, (letter) => letters[letter] ?? letter);
}

/** Words with the symbols that belong to them; `test/words.test.ts` covers the finer rules, which the sample does not need. */
const wordsByText = new Map<string, string[]>();

function wordsIn(text: string): string[] {
  const known = wordsByText.get(text);
  if (known) return known;
  const words = split(text);
  wordsByText.set(text, words);
  return words;
}

function split(text: string): string[] {
  return (
    plain(text).match(/(?<![a-z0-9])[a-z](?:\+\+|#|&[a-z])|[a-z]{2,}\.[a-z]{2,3}(?![a-z])|[\p{L}\p{N}]+/gu) ??
    []
  );
}

export function has(texts: readonly (string | null | undefined)[], value: string): boolean {
  const present = texts.flatMap((text) => wordsIn(text ?? '').flatMap((word) => [word, ...word.split('.')]));
  return wordsIn(value).every((word) => present.includes(word));
}
