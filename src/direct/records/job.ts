import * as Schema from '../schema/schema.ts';

const text = Schema.text();

/** A job posting as every operation returns it. */
export const job = Schema.named(
  'Job',
  Schema.object({
    date_posted: Schema.about('`YYYY-MM-DD HH:MM:SS+ZZ`, local to the job.', text),
    title: text,
    url: text,
    company_name: text,
    company_network_url: text,
    ai_summary: text,
    location: Schema.object({
      city: text,
      country_code: Schema.about('ISO 3166-1 alpha-2.', text),
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
