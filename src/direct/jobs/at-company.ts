import * as Cursor from '../filters/cursor.ts';
import * as JobFilter from '../filters/job-filter.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { type Call, define, type Outcome } from '../operation.ts';
import * as Job from '../records/job.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';
import type { FoundJob } from './jobs.ts';

/** How many postings one query can page through; the rest is cut without a word. */
const jobsPerQueryMax = 5_000;
const id = 'jobs.company';

const request = Schema.named(
  'JobsAtCompanyRequest',
  Schema.object({
    company_network_url: NetworkUrl.companyField,
    job: Schema.optionalObject(JobFilter.jobFilter),
    ...Page.requestFields,
  }),
);

type Request = Schema.Value<typeof request>;

/** `POST /v2/jobs/company`: the open jobs of one company, newest first. */
export const atCompany = define({
  id,
  method: 'POST',
  path: '/v2/jobs/company',
  api: '/jobs/company',
  summary: 'Jobs at one company',
  about:
    'Lists the job postings of one company, the newest first, narrowed down by any of the job filters. A company that is not in the data set has an empty list, which costs nothing. One query pages through at most 5,000 postings; `total_results` counts all matches, also those beyond. The body may be JSON, or a form whose names are dotted paths (`job.title.include=Data Engineer`).',
  cost: '1 record for each posting returned.',
  acceptsForms: true,
  limited: true,
  request,
  answer: Schema.named(
    'JobsAtCompanyAnswer',
    Schema.object({ total_results: Page.totalField, results: Page.results(Job.job), ...Page.answerFields }),
  ),
  example: {
    request: {
      company_network_url: 'https://www.network.example/company/northwind-analytics',
      job: { title: { include: ['Engineer'] }, date_posted: { last_days: 90 } },
      max_results: 1,
    },
    answer: {
      total_results: 14,
      results: [
        {
          date_posted: '2026-07-08 23:00:07+02',
          title: 'Senior Data Engineer',
          url: 'https://www.network.example/jobs/view/4100000017',
          company_name: 'Northwind Analytics',
          company_network_url: 'https://www.network.example/company/northwind-analytics',
          ai_summary:
            'Northwind Analytics is hiring a Senior Data Engineer in Berlin to build its batch and streaming pipelines, with five to ten years of experience in Python and dbt.',
          location: { city: 'Berlin', country_code: 'DE' },
        },
      ],
      results_length: 1,
      max_results: 1,
      cursor: 'eyJoIjoi...In0.6mPz...hE4',
    },
  },
  prepare(body, call) {
    const ref = NetworkUrl.parsed(body.company_network_url);
    const scope = scopeOf(ref, body, call);
    const place = Cursor.placeOf(call.data.cursorSecret, scope, body.cursor, call.nowMs);
    if (place === null) return { kind: 'invalid', faults: [Cursor.fault] };
    return {
      kind: 'ready',
      recordsMax: Math.min(body.max_results, jobsPerQueryMax - place.delivered),
      run: (granted) => run(ref, body, place, granted, call, scope),
    };
  },
});

function scopeOf(ref: NetworkUrl.CompanyRef, body: Request, call: Call): Cursor.Scope {
  const filters = { ref, job: body.job };
  return { operation: id, keyId: call.key.id, generation: call.data.generation, filters };
}

async function run(
  ref: NetworkUrl.CompanyRef,
  body: Request,
  place: Cursor.Place,
  granted: number,
  call: Call,
  scope: Cursor.Scope,
): Promise<Outcome> {
  const { jobs, companies, cursorSecret } = call.data;
  const condition = JobFilter.condition(body.job, place.asOfMs);
  const [postedMs, jobId] = place.after;
  const after = postedMs === undefined || jobId === undefined ? null : { postedMs, id: jobId };
  const company = await companies.find(ref);
  const [total, found] =
    company === null
      ? [0, []]
      : await Promise.all([
          place.total ?? jobs.countOfCompany(company.id, condition),
          jobs.ofCompany(company.id, condition, after, granted + 1),
        ]);
  const shown = found.slice(0, granted);
  const last = nextAfter(found, shown, place.delivered);
  const next =
    last === null
      ? null
      : Cursor.seal(cursorSecret, scope, {
          ...place,
          total,
          delivered: place.delivered + shown.length,
          after: last,
        });
  return {
    body: {
      total_results: total,
      results: shown.map((item) => item.job),
      results_length: shown.length,
      max_results: body.max_results,
      cursor: next,
    },
    recordsUsed: shown.length,
  };
}

/** The sort keys of the last posting shown, or null at the end of the matches or of what one query may see. */
function nextAfter(found: FoundJob[], shown: FoundJob[], delivered: number): number[] | null {
  const last = shown.at(-1);
  const goesOn = found.length > shown.length && delivered + shown.length < jobsPerQueryMax;
  return goesOn && last ? [last.keys.postedMs, last.keys.id] : null;
}
