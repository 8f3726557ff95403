import fc from 'fast-check';
import type { CompanyEntry } from '../../src/entries/company.ts';
import type { PersonEntry } from '../../src/entries/person.ts';
import * as Enums from '../../src/filters/enums.ts';
import * as Geography from '../../src/filters/geography.ts';
import * as Filters from './arbitrary-filters.ts';
import * as Oracle from './oracle.ts';

/** Reference implementation of the people filters over entries in memory, independent of the tested code. */
export type PersonFilter = {
  job_title?: Oracle.List & { include_network_headline?: boolean };
  job_function?: string[];
  job_level?: string[];
  min_connections?: number;
  location?: { city?: Oracle.List; country_code?: string[]; continent?: string[]; sales_region?: string[] };
  education?: Oracle.List;
};
export type Step = {
  include_title: string[];
  exclude_title?: string[];
  location?: string[];
  include_headline_search?: boolean;
};

/** All people in the order of results: by connections, descending, unknown last. */
export function ordered(people: readonly PersonEntry[]): PersonEntry[] {
  return [...people].sort((a, b) => (b.connections_count ?? -1) - (a.connections_count ?? -1));
}

function nowAt(person: PersonEntry) {
  return person.experiences.find((position) => position.job_is_current ?? position.job_end_date === null);
}

/** Current employer of a person; null if it is not in the data set. */
export function employers(companies: readonly CompanyEntry[]): (person: PersonEntry) => CompanyEntry | null {
  const byUrl = new Map(companies.map((company) => [company.network_url, company]));
  return (person) => byUrl.get(nowAt(person)?.company_network_url ?? '') ?? null;
}

export function titleOf(person: PersonEntry): string | null {
  return (nowAt(person) ?? person.experiences[0])?.job_title ?? null;
}

export function headlineOf(person: PersonEntry): string | null {
  const first = person.experiences[0];
  const employer = first?.company_name ? `@${first.company_name}` : null;
  return person.headline ?? ([first?.job_title, employer].filter(Boolean).join(' | ') || null);
}

export function personMatches(person: PersonEntry, filter: PersonFilter): boolean {
  const code = person.location?.country_code ?? '';
  const country = Geography.country(code);
  const among = (list: string[] | undefined, value: string | null | undefined) =>
    !list || list.length === 0 || list.some((wanted) => wanted === value);
  const schools = (person.education ?? []).map((entry) =>
    [
      entry.school_name,
      entry.degree,
      entry.field_of_study,
      entry.start_date?.slice(0, 4),
      entry.end_date?.slice(0, 4),
    ].join(' '),
  );
  return (
    titlesMatch(person, filter.job_title ?? {}, filter.job_title?.include_network_headline ?? false) &&
    among(filter.job_function, person.job_function) &&
    among(filter.job_level, person.job_level) &&
    (!filter.min_connections || (person.connections_count ?? -1) >= filter.min_connections) &&
    Oracle.passes(filter.location?.city, (value) => Oracle.has([person.location?.city], value)) &&
    among(filter.location?.country_code, code) &&
    among(filter.location?.continent, country?.continent) &&
    among(filter.location?.sales_region, country?.sales_region) &&
    Oracle.passes(filter.education, (value) => schools.some((school) => Oracle.has([school], value)))
  );
}

function titlesMatch(person: PersonEntry, titles: Oracle.List, withHeadline: boolean): boolean {
  const texts = [titleOf(person), ...(withHeadline ? [headlineOf(person)] : [])];
  return Oracle.passes(titles, (value) => texts.some((text) => text !== null && isFound(text, value)));
}

function isFound(text: string, value: string): boolean {
  return value.startsWith('[')
    ? Oracle.plain(text) === Oracle.plain(value.slice(1, -1))
    : Oracle.has([text], value);
}

const nowhere: CompanyEntry = {
  ...({} as CompanyEntry),
  name: '',
  industry: null,
  type: null,
  size: null,
  employees_on_network: null,
  specialties: null,
  about: null,
  naics_codes: [],
  sic_codes: [],
  activities: [],
  categories: [],
  lead_investors: [],
  hq: null,
};

/** Filter on the current employer; an unknown company has no known fields. */
export function accountMatches(
  company: CompanyEntry | null,
  { network_url, ...filter }: Oracle.CompanyFilter & { network_url?: string[] },
): boolean {
  if (network_url && network_url.length > 0 && !network_url.includes(company?.network_url ?? ''))
    return false;
  return Oracle.companyMatches(company ?? nowhere, filter);
}

/** Result of a cascade: by step, then in id order, each person once. */
export function cascade(
  people: readonly PersonEntry[],
  steps: readonly Step[],
): { person: PersonEntry; icp: number }[] {
  const taken = new Set<PersonEntry>();
  return steps.flatMap((step, index) =>
    ordered(people)
      .filter((person) => !taken.has(person) && stepMatches(person, step))
      .map((person) => {
        taken.add(person);
        return { person, icp: index + 1 };
      }),
  );
}

function stepMatches(person: PersonEntry, step: Step): boolean {
  const places = step.location ?? [];
  const titles = { include: step.include_title, exclude: step.exclude_title ?? [] };
  return (
    titlesMatch(person, titles, step.include_headline_search ?? false) &&
    (places.length === 0 ||
      places.includes('WORLD') ||
      places.includes(person.location?.country_code ?? 'nowhere'))
  );
}

/** Filters built from the values of existing people. */
export function personFilter(people: readonly PersonEntry[]): fc.Arbitrary<PersonFilter> {
  const schools = people.flatMap((person) =>
    (person.education ?? []).map(
      (entry) => `${entry.school_name} ${entry.field_of_study} ${entry.end_date?.slice(0, 4)}`,
    ),
  );
  return Filters.some({
    job_title: Filters.some({
      include: fc.array(titles(people), { maxLength: 3 }),
      exclude: fc.array(titles(people), { maxLength: 2 }),
      include_network_headline: fc.boolean(),
    }),
    job_function: Filters.anyOf(fc.constantFrom(...Enums.jobFunctions)),
    job_level: Filters.anyOf(fc.constantFrom(...Enums.jobLevels)),
    min_connections: fc.constantFrom(0, 1, 120.5, 400, 500),
    location: Filters.some({
      city: Filters.list(Filters.fragments(people.map((person) => person.location?.city ?? null))),
      country_code: Filters.anyOf(
        Filters.from(people.map((person) => person.location?.country_code ?? null)),
      ),
      continent: Filters.anyOf(fc.constantFrom(...Geography.continents)),
      sales_region: Filters.anyOf(fc.constantFrom(...Geography.salesRegions)),
    }),
    education: Filters.list(Filters.fragments(schools)),
  });
}

export function step(people: readonly PersonEntry[]): fc.Arbitrary<Step> {
  const codes = Filters.from([...people.map((person) => person.location?.country_code ?? null), 'WORLD']);
  return fc.record(
    {
      include_title: fc.array(titles(people), { maxLength: 3 }),
      exclude_title: fc.array(titles(people), { maxLength: 2 }),
      location: fc.array(codes, { maxLength: 3 }),
      include_headline_search: fc.boolean(),
    },
    { requiredKeys: ['include_title'] },
  );
}

function titles(people: readonly PersonEntry[]): fc.Arbitrary<string> {
  const said = people.flatMap((person) => [titleOf(person), headlineOf(person)]);
  return fc.oneof(
    Filters.fragments(said),
    Filters.from(said).map((title) => `[${title.toUpperCase()}]`),
  );
}
