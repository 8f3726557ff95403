import * as NetworkUrl from '../filters/network-url.ts';
import * as Schema from '../schema/schema.ts';

const text = Schema.text();
const summaryCharactersMax = 20_000;

/** A job posting in responses. */
export const job = Schema.named(
  'Job',
  Schema.object({
    date_posted: Schema.about('`YYYY-MM-DD HH:MM:SS+ZZ`, local to the job.', text),
    title: text,
    url: text,
    company_name: text,
    company_network_url: Schema.about('Empty if the employer is not in the data set.', text),
    ai_summary: Schema.text({ max: summaryCharactersMax }),
    location: Schema.object({
      city: text,
      country_code: Schema.about('ISO 3166-1 alpha-2. Empty if unknown, as is the city.', text),
    }),
  }),
);
export type Job = Schema.Value<typeof job>;

/** Formats local time with its whole-hour UTC offset: `2026-07-08 23:00:07+02`. */
export function datePosted(postedMs: number, offsetHours: number): string {
  const local = new Date(postedMs + offsetHours * 3_600_000).toISOString();
  const sign = offsetHours < 0 ? '-' : '+';
  const offset = String(Math.abs(offsetHours)).padStart(2, '0');
  return `${local.slice(0, 10)} ${local.slice(11, 19)}${sign}${offset}`;
}

export const example: Job = {
  date_posted: '2026-07-08 23:00:07+02',
  title: 'Senior Data Engineer',
  url: `${NetworkUrl.origin}/jobs/view/4100000017`,
  company_name: 'Northwind Analytics',
  company_network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
  ai_summary:
    'Northwind Analytics is hiring a Senior Data Engineer in Berlin to build its batch and streaming pipelines, with five to ten years of experience in Python and dbt.',
  location: { city: 'Berlin', country_code: 'DE' },
};
