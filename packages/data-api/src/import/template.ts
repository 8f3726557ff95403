import type { Entries, Kind } from '../entries/kind.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as ColumnSchema from './column-schema.ts';
import * as Columns from './columns.ts';
import * as CsvWriter from './csv-writer.ts';
import * as KindSchema from './kind-schema.ts';

/** A fictional entry of each kind. */
const examples: { [K in Kind]: Partial<Entries[K]> } = {
  companies: {
    network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
    name: 'Northwind Analytics',
    network_id: 7000001,
    about: 'Forecasts for wind parks.',
    specialties: ['forecasting', 'energy'],
    industry: 'Software Development',
    type: 'Privately Held',
    size: '201-500',
    employees_on_network: 412,
    followers: 18200,
    founded_year: 2011,
    hq: { city: 'Lisbon', state: 'Lisbon', country_code: 'PT' },
    domain: 'northwind-analytics.example',
    website: 'https://www.northwind-analytics.example',
    email_domain: 'northwind-analytics.example',
    other_domains: ['northwind.example'],
    is_agency: false,
    revenue: 48000000,
    naics_codes: ['541511'],
    sic_codes: ['7371'],
    activities: ['Custom computer programming services'],
    categories: ['Analytics'],
    web_traffic: 52000,
    ad_spend: 14000,
    total_funding: 31000000,
    last_funding_amount: 20000000,
    last_funding_year: 2023,
    last_funding_type: 'Series B',
    lead_investors: ['Halden Ventures'],
  },
  people: {
    network_url: `${NetworkUrl.origin}/in/ana-example`,
    member_number: 90000001,
    first_name: 'Ana',
    last_name: 'Example',
    full_name: 'Ana Example',
    headline: 'Head of Data | @Northwind Analytics',
    location: {
      city: 'Porto',
      state: 'Porto',
      state_code: '13',
      country_code: 'PT',
      postal_code: null,
      street_address: null,
    },
    connections_count: 500,
    followers_count: 1200,
    experiences: [
      {
        job_title: 'Head of Data',
        company_name: 'Northwind Analytics',
        company_network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
        company_domain: 'northwind-analytics.example',
        job_description: null,
        job_start_date: '2021-03-01',
        job_end_date: null,
        job_is_current: true,
        job_contract_type: 'Full-time',
        job_work_arrangement: 'Hybrid',
        job_location: { city: 'Porto', state_code: '13', country_code: 'PT' },
        company_logo_url: 'https://media.example/companies/northwind-analytics.png',
        skills: ['forecasting'],
        skills_url: `${NetworkUrl.origin}/in/ana-example/details/experience/1/skills`,
      },
    ],
    education: [
      {
        school_name: 'University of Porto',
        degree: "Master's degree",
        field_of_study: 'Statistics',
        start_date: '2009-09-01',
        end_date: '2014-07-01',
        school_network_url: `${NetworkUrl.origin}/school/university-of-porto`,
        school_logo_url: 'https://media.example/schools/university-of-porto.png',
        school_id: '3000001',
        description: 'Thesis on wind forecasts.',
        activities: 'Rowing club',
      },
    ],
    skills: ['forecasting', 'sql'],
    languages: [{ language: 'Portuguese', proficiency: 'Native' }],
    job_level: 'Director',
    job_function: 'Engineering',
    is_creator: true,
    is_influencer: false,
    creator_hashtags: ['#forecasting', '#energy'],
    show_follower_count: true,
    created_timestamp: 1262304000000,
    profile_picture_url: 'https://media.example/people/ana-example.jpg',
    background_picture_url: 'https://media.example/people/ana-example-background.jpg',
    profile_email: 'ana.example@inbox.example',
  },
  jobs: {
    id: 4100000001,
    company_network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
    company_name: 'Northwind Analytics',
    title: 'Data Engineer',
    field: 'Engineering',
    seniority: '2-5',
    employment_type: 'FULL_TIME',
    work_arrangement: 'Hybrid',
    city: 'Lisbon',
    country_code: 'PT',
    posted_at: '2026-07-08T23:00:07+02:00',
    skills: ['python', 'sql'],
    taxonomies: ['Software Development'],
    description: 'You build what the forecasts run on.',
    ai_summary: 'Northwind Analytics looks for a data engineer in Lisbon.',
  },
  emails: {
    person_network_url: `${NetworkUrl.origin}/in/ana-example`,
    email: 'ana.example@northwind-analytics.example',
    company_network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
    job_order: 1,
    verified_at: '2026-11-02T08:00:00Z',
  },
  phones: {
    person_network_url: `${NetworkUrl.origin}/in/ana-example`,
    phone: '+12125550123',
    kind: 'mobile',
  },
};

/** Formats the example as a line of JSONL. */
export function jsonl(kind: Kind): string {
  return JSON.stringify(examples[kind]);
}

/** Formats the example as CSV: a header with every column and one row, with the first item of lists of objects. */
export function csv(kind: Kind): string {
  const names = Columns.namesOf(KindSchema.schemaOf(kind), 'first of a list');
  return `${names.join(',')}\n${CsvWriter.line(names, examples[kind])}`;
}

/** Columns that CSV files of the kind may have beside its fields. Those of the company of a person are fields of companies. */
export function moreColumns(kind: Kind): string[] {
  const fields = new Set(Columns.namesOf(KindSchema.schemaOf(kind)));
  const all = Columns.namesOf(ColumnSchema.columnSchemaOf(kind));
  return all.filter((name) => !fields.has(name));
}
