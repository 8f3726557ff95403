import * as Schema from '../schema/schema.ts';

const text = Schema.text();
const summaryCharactersMax = 20_000;

/** A job posting as every operation returns it. */
export const job = Schema.named(
  'Job',
  Schema.object({
    date_posted: Schema.about('`YYYY-MM-DD HH:MM:SS+ZZ`, local to the job.', text),
    title: text,
    url: text,
    company_name: text,
    company_network_url: Schema.about('Empty where the employer is not in the data set.', text),
    ai_summary: Schema.text({ max: summaryCharactersMax }),
    location: Schema.object({
      city: text,
      country_code: Schema.about('ISO 3166-1 alpha-2; empty where unknown, as the city is.', text),
    }),
  }),
);
export type Job = Schema.Value<typeof job>;

/** `2026-07-08 23:00:07+02`: the moment as clocks show it at that whole-hour offset. */
export function datePosted(postedMs: number, offsetHours: number): string {
  const local = new Date(postedMs + offsetHours * 3_600_000).toISOString();
  const sign = offsetHours < 0 ? '-' : '+';
  const offset = String(Math.abs(offsetHours)).padStart(2, '0');
  return `${local.slice(0, 10)} ${local.slice(11, 19)}${sign}${offset}`;
}

export const example: Job = {
  date_posted: '2026-07-08 23:00:07+02',
  title: 'Senior Data Engineer',
  url: 'https://www.network.example/jobs/view/4100000017',
  company_name: 'Northwind Analytics',
  company_network_url: 'https://www.network.example/company/northwind-analytics',
  ai_summary:
    'Northwind Analytics is hiring a Senior Data Engineer in Berlin to build its batch and streaming pipelines, with five to ten years of experience in Python and dbt.',
  location: { city: 'Berlin', country_code: 'DE' },
};
