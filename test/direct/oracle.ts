import fc from 'fast-check';
import type { SampleCompany } from '../../src/direct/data/company.ts';
import type { SampleJob } from '../../src/direct/data/posting.ts';
import * as Enums from '../../src/direct/filters/enums.ts';

/** The filter grammar read plainly over records in memory: slow, obvious, and written apart from what it checks. */
export type Job = SampleJob;
export type Company = SampleCompany;
type List = { include?: string[]; exclude?: string[] };
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
export type CompanyFilter = {
  is_agency?: boolean | null;
  industry?: List;
  employee_count?: { min?: number; max?: number };
  size?: { include?: string[] };
  keywords?: List;
  hq?: { city?: List; state?: List; country_code?: List };
};

export function jobMatches(job: Job, filter: JobFilter, nowMs: number): boolean {
  const texts = [job.title, job.description, ...job.skills, ...job.taxonomies];
  return (
    passes(filter.title, (value) =>
      value.startsWith('[') ? plain(job.title) === plain(value.slice(1, -1)) : has([job.title], value),
    ) &&
    passes(filter.description, (value) => has([job.description], value)) &&
    passes(filter.ai_keywords, (value) => has(texts, value)) &&
    passes(filter.field, (value) => has([job.field], value)) &&
    passes(filter.seniority, (value) => job.seniority === value) &&
    passes(filter.employment_type, (value) => job.employmentType === value) &&
    passes(filter.work_arrangement, (value) => job.workArrangement === value) &&
    passes(filter.location?.city, (value) => plain(job.city) === plain(value)) &&
    passes(filter.location?.country_code, (value) => job.countryCode === value) &&
    (!filter.date_posted || job.postedMs >= nowMs - filter.date_posted.last_days * 86_400_000)
  );
}

export function companyMatches(company: Company, filter: CompanyFilter): boolean {
  const agency = filter.is_agency ?? null;
  const { min = 0, max = 0 } = filter.employee_count ?? {};
  const fields = [[company.about], company.specialties ?? [], company.activities, company.categories];
  return (
    (agency === null || agency === (company.isAgency === true)) &&
    passes(filter.industry, (value) => (company.industry ?? 'Unknown') === value) &&
    (min === 0 || company.employees >= min) &&
    (max === 0 || company.employees <= max) &&
    passes(filter.size, (value) => company.size === value) &&
    passes(filter.keywords, (value) => fields.some((texts) => has(texts, value))) &&
    passes(filter.hq?.city, (value) => has([company.hq?.city ?? null], value)) &&
    passes(filter.hq?.state, (value) => has([company.hq?.state ?? null], value)) &&
    passes(filter.hq?.country_code, (value) => company.hq?.countryCode === value)
  );
}

function passes(list: List | undefined, matches: (value: string) => boolean): boolean {
  const include = list?.include ?? [];
  return (include.length === 0 || include.some(matches)) && !(list?.exclude ?? []).some(matches);
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function wordsIn(text: string): string[] {
  return plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

function has(texts: readonly (string | null)[], value: string): boolean {
  const present = texts.flatMap((text) => (text === null ? [] : wordsIn(text)));
  return wordsIn(value).every((word) => present.includes(word));
}

function list(values: fc.Arbitrary<string>): fc.Arbitrary<List> {
  return fc.record(
    { include: fc.array(values, { maxLength: 3 }), exclude: fc.array(values, { maxLength: 2 }) },
    { requiredKeys: [] },
  );
}

function from(values: readonly (string | null)[]): fc.Arbitrary<string> {
  return fc.constantFrom(...new Set(values.filter((value) => value !== null)));
}

/** Some words of the values, now and then in another case. */
function fragments(values: readonly (string | null)[]): fc.Arbitrary<string> {
  return fc
    .tuple(from(values), fc.nat(), fc.integer({ min: 1, max: 2 }), fc.boolean())
    .map(([text, at, count, loud]) => {
      const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      const start = at % words.length;
      const chosen = words
        .slice(start, start + count)
        .reverse()
        .join(' ');
      return loud ? chosen.toUpperCase() : chosen;
    });
}

/** Filters made of what postings really say, so that they match now and then. */
export function jobFilter(jobs: readonly Job[]): fc.Arbitrary<JobFilter> {
  const titles = jobs.map((job) => job.title);
  return fc.record(
    {
      title: list(
        fc.oneof(
          fragments(titles),
          from(titles).map((title) => `[${title.toUpperCase()}]`),
        ),
      ),
      description: list(fragments(jobs.map((job) => job.description))),
      ai_keywords: list(fragments(jobs.flatMap((job) => [...job.skills, ...job.taxonomies, job.title]))),
      field: list(fragments(jobs.map((job) => job.field))),
      seniority: list(fc.constantFrom(...Enums.seniorities)),
      employment_type: list(fc.constantFrom(...Enums.employmentTypes)),
      work_arrangement: list(fc.constantFrom(...Enums.workArrangements)),
      location: fc.record(
        {
          city: list(from(jobs.map((job) => job.city)).map(plain)),
          country_code: list(from(jobs.map((job) => job.countryCode))),
        },
        { requiredKeys: [] },
      ),
      date_posted: fc.record({ last_days: fc.integer({ min: 1, max: 120 }) }),
    },
    { requiredKeys: [] },
  );
}

/** Filters made of what companies really are. */
export function companyFilter(companies: readonly Company[]): fc.Arbitrary<CompanyFilter> {
  const industries = from([...companies.map((company) => company.industry), 'Unknown']);
  return fc.record(
    {
      is_agency: fc.constantFrom(true, false, null),
      industry: list(industries),
      employee_count: fc.constantFrom({ min: 50 }, { max: 200 }, { min: 20.5, max: 900 }, { min: 0, max: 0 }),
      size: fc.record(
        { include: fc.array(fc.constantFrom(...Enums.sizes), { maxLength: 4 }) },
        { requiredKeys: [] },
      ),
      keywords: list(
        fragments(
          companies.flatMap((company) => [
            company.about,
            ...(company.specialties ?? []),
            ...company.categories,
          ]),
        ),
      ),
      hq: fc.record(
        {
          city: list(fragments(companies.map((company) => company.hq?.city ?? null))),
          state: list(fragments(companies.map((company) => company.hq?.state ?? null))),
          country_code: list(from(companies.map((company) => company.hq?.countryCode ?? null))),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
}
