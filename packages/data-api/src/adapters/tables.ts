import * as Company from '../entries/company.ts';
import type { EmailEntry } from '../entries/email.ts';
import * as Job from '../entries/job.ts';
import * as Person from '../entries/person.ts';
import type { PhoneEntry } from '../entries/phone.ts';
import * as AccountFilter from '../filters/account-filter.ts';
import * as CompanyFilter from '../filters/company-filter.ts';
import * as EmployerFilter from '../filters/employer-filter.ts';
import * as JobFilter from '../filters/job-filter.ts';
import * as Lexeme from '../filters/lexeme.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import { headline } from '../records/person.ts';
import type { Table } from './copy.ts';
import type { PlacedCompany } from './reference-resolver.ts';

/** The company's part of the search vectors of its people and postings. Computed once and cached with the company. */
const accountVector = cachedVector(AccountFilter.lexemes);
const employerVector = cachedVector(EmployerFilter.lexemes);

function cachedVector(lexemes: (company: Company.CompanyEntry | null) => Lexeme.Lexeme[]) {
  const none = Lexeme.vector(lexemes(null));
  const cache = new WeakMap<PlacedCompany, string>();
  return (company: PlacedCompany | null): string => {
    if (company === null) return none;
    const known = cache.get(company);
    if (known !== undefined) return known;
    const vector = Lexeme.vector(lexemes(company.entry));
    cache.set(company, vector);
    return vector;
  };
}

export const company: Table<PlacedCompany> = {
  name: 'company',
  columns: {
    id: ({ id }) => id,
    slug: ({ slug }) => slug,
    network_id: ({ entry }) => entry.network_id,
    name: ({ entry }) => entry.name,
    about: ({ entry }) => entry.about,
    specialties: ({ entry }) => entry.specialties,
    industry: ({ entry }) => entry.industry,
    type: ({ entry }) => entry.type,
    size: ({ entry }) => Company.sizeOf(entry),
    employees_on_network: ({ entry }) => entry.employees_on_network,
    employees_by_country: ({ entry }) => json(entry.employees_by_country),
    employees_by_department: ({ entry }) => json(entry.employees_by_department),
    followers: ({ entry }) => entry.followers,
    founded_year: ({ entry }) => entry.founded_year,
    hq_city: ({ entry }) => entry.hq?.city ?? null,
    hq_state: ({ entry }) => entry.hq?.state ?? null,
    hq_country_code: ({ entry }) => entry.hq?.country_code ?? null,
    domain: ({ entry }) => entry.domain,
    website: ({ entry }) => entry.website,
    email_domain: ({ entry }) => Company.emailDomainOf(entry),
    other_domains: ({ entry }) => entry.other_domains,
    is_agency: ({ entry }) => entry.is_agency,
    revenue: ({ entry }) => entry.revenue,
    naics_codes: ({ entry }) => entry.naics_codes,
    sic_codes: ({ entry }) => entry.sic_codes,
    activities: ({ entry }) => entry.activities,
    categories: ({ entry }) => entry.categories,
    web_traffic: ({ entry }) => entry.web_traffic,
    ad_spend: ({ entry }) => entry.ad_spend,
    total_funding: ({ entry }) => entry.total_funding,
    last_funding_amount: ({ entry }) => entry.last_funding_amount,
    last_funding_year: ({ entry }) => entry.last_funding_year,
    last_funding_type: ({ entry }) => entry.last_funding_type,
    lead_investors: ({ entry }) => entry.lead_investors,
    search: ({ entry }) => Lexeme.vector(CompanyFilter.lexemes(entry)),
  },
};

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

export const companyDomain: Table<{ domain: string; companyId: number; rank: number }> = {
  name: 'company_domain',
  columns: {
    domain: ({ domain }) => domain,
    company_id: ({ companyId }) => companyId,
    rank: ({ rank }) => rank,
  },
};

export type PlacedPerson = {
  id: number;
  slug: string;
  entry: Person.PersonEntry;
  company: PlacedCompany | null;
};

export const person: Table<PlacedPerson> = {
  name: 'person',
  columns: {
    id: ({ id }) => id,
    slug: ({ slug }) => slug,
    member_number: ({ entry }) => entry.member_number,
    profile_token: ({ entry }) => entry.profile_token,
    sales_token: ({ entry }) => entry.sales_token,
    company_id: ({ company }) => company?.id ?? null,
    connections: ({ entry }) => entry.connections_count,
    title: ({ entry }) => PersonFilter.titleOf(entry),
    headline: ({ entry }) => headline(entry),
    job_level: ({ entry }) => entry.job_level,
    job_function: ({ entry }) => entry.job_function,
    country_code: ({ entry }) => entry.location?.country_code ?? null,
    city: ({ entry }) => entry.location?.city ?? null,
    record: ({ entry }) => recordOf(entry),
    search: ({ entry, company }) => `${Lexeme.vector(PersonFilter.lexemes(entry))} ${accountVector(company)}`,
  },
};

/** JSON of the entry without null fields. Every position states explicitly whether it is current. */
function recordOf(entry: Person.PersonEntry): string {
  const experiences = entry.experiences.map((position) =>
    position.job_is_current === null ? { ...position, job_is_current: Person.isCurrent(position) } : position,
  );
  return JSON.stringify(withoutNulls({ ...entry, experiences }));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return typeof value[0] === 'object' ? value.map(withoutNulls) : value;
  if (typeof value !== 'object' || value === null) return value;
  const present: Record<string, unknown> = {};
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name];
    if (field !== null) present[name] = typeof field === 'object' ? withoutNulls(field) : field;
  }
  return present;
}

export const job: Table<{ entry: Job.JobEntry; company: PlacedCompany | null }> = {
  name: 'job',
  columns: {
    id: ({ entry }) => entry.id,
    company_id: ({ company }) => company?.id ?? null,
    company_slug: ({ entry, company }) => company?.slug ?? slugIn(entry.company_network_url),
    company_name: ({ entry, company }) => entry.company_name ?? company?.entry.name ?? null,
    title: ({ entry }) => entry.title,
    field: ({ entry }) => entry.field,
    seniority: ({ entry }) => entry.seniority,
    employment_type: ({ entry }) => entry.employment_type,
    work_arrangement: ({ entry }) => entry.work_arrangement,
    city: ({ entry }) => entry.city,
    country_code: ({ entry }) => entry.country_code,
    posted_at: ({ entry }) => entry.posted_at,
    utc_offset_hours: ({ entry }) => Job.offsetHoursOf(entry.posted_at),
    skills: ({ entry }) => entry.skills,
    taxonomies: ({ entry }) => entry.taxonomies,
    description: ({ entry }) => entry.description,
    ai_summary: ({ entry }) => entry.ai_summary,
    search: ({ entry, company }) => `${Lexeme.vector(JobFilter.lexemes(entry))} ${employerVector(company)}`,
  },
};

export type PlacedEmail = {
  entry: EmailEntry;
  email: string;
  personId: number;
  company: PlacedCompany | null;
  verifiedAt: string | null;
};

export const email: Table<PlacedEmail> = {
  name: 'email',
  columns: {
    person_id: ({ personId }) => personId,
    email: (record) => record.email,
    company_id: ({ company }) => company?.id ?? null,
    company_slug: ({ entry, company }) => company?.slug ?? slugIn(entry.company_network_url),
    email_domain: (record) => record.email.slice(record.email.lastIndexOf('@') + 1),
    job_order: ({ entry }) => entry.job_order ?? 1,
    verified_at: ({ verifiedAt }) => verifiedAt,
  },
};

export const phone: Table<{ entry: PhoneEntry; personId: number }> = {
  name: 'phone',
  columns: {
    person_id: ({ personId }) => personId,
    phone: ({ entry }) => entry.phone,
    kind: ({ entry }) => entry.kind,
  },
};

function slugIn(link: string | null): string | null {
  const ref = link === null ? null : NetworkUrl.company(link);
  return ref?.kind === 'slug' ? ref.slug : null;
}
