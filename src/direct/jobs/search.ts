import * as Cursor from '../filters/cursor.ts';
import * as EmployerFilter from '../filters/employer-filter.ts';
import * as JobFilter from '../filters/job-filter.ts';
import { define, type Outcome } from '../operation.ts';
import * as Job from '../records/job.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';
import * as PostingPage from './posting-page.ts';

const id = 'jobs.search';

const request = Schema.named(
  'JobSearchRequest',
  Schema.object({
    job: Schema.optionalObject(JobFilter.jobFilter),
    company: Schema.optionalObject(EmployerFilter.employerFilter),
    ...Page.requestFields,
  }),
);
type Request = Schema.Value<typeof request>;

/** `POST /v2/jobs/search`: postings of all companies, newest first. */
export const search = define({
  id,
  method: 'POST',
  path: '/v2/jobs/search',
  api: '/jobs/search',
  summary: 'Jobs at any company',
  about:
    'Finds the job postings that meet the job filters and whose employers meet the company filters, the newest first. A posting whose employer is not in the data set is one of an `Unknown` industry and meets no other company filter, though it is dropped by none that only excludes; its `company_network_url` is empty. One query pages through at most 5,000 postings; `total_results` counts all matches, also those beyond.',
  cost: '1 record for each posting returned.',
  acceptsForms: false,
  limited: true,
  request,
  answer: Schema.named(
    'JobSearchAnswer',
    Schema.object({ total_results: Page.totalField, results: Page.results(Job.job), ...Page.answerFields }),
  ),
  example: {
    request: {
      job: { title: { include: ['Data Engineer'] }, date_posted: { last_days: 30 } },
      company: {
        industry: { include: ['Data Infrastructure and Analytics'] },
        size: { include: ['201-500'] },
      },
      max_results: 1,
    },
    answer: {
      total_results: 231,
      results: [Job.example],
      results_length: 1,
      max_results: 1,
      cursor: 'eyJoIjoi...In0.6mPz...hE4',
    },
  },
  prepare(body, call) {
    const filters = { job: body.job, company: body.company };
    const scope = { operation: id, keyId: call.key.id, generation: call.data.generation, filters };
    const place = Cursor.placeOf(call.data.cursorSecret, scope, body.cursor, call.nowMs);
    if (place === null) return { kind: 'invalid', faults: [Cursor.fault] };
    return {
      kind: 'ready',
      recordsMax: Math.min(body.max_results, PostingPage.jobsPerQueryMax - place.delivered),
      run: (granted) => run(body, { place, granted, call, scope, maxResults: body.max_results }),
    };
  },
});

async function run(body: Request, stand: PostingPage.Stand): Promise<Outcome> {
  const { place, granted, call } = stand;
  const { jobs } = call.data;
  const condition = JobFilter.condition(body.job, body.company, place.asOfMs);
  const total = place.total ?? (await jobs.count(condition));
  const found = await jobs.page(condition, total, PostingPage.after(place), granted + 1);
  return PostingPage.outcome(total, found, stand);
}
