import * as Cursor from '../filters/cursor.ts';
import * as JobFilter from '../filters/job-filter.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { define, type Outcome } from '../operation.ts';
import * as Job from '../records/job.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';
import * as PostingPage from './posting-page.ts';

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
      results: [Job.example],
      results_length: 1,
      max_results: 1,
      cursor: 'eyJoIjoi...In0.6mPz...hE4',
    },
  },
  prepare(body, call) {
    const ref = NetworkUrl.parsed(body.company_network_url);
    const filters = { ref, job: body.job };
    const scope = { operation: id, keyId: call.key.id, generation: call.data.generation, filters };
    const place = Cursor.placeOf(call.data.cursorSecret, scope, body.cursor, call.nowMs);
    if (place === null) return { kind: 'invalid', faults: [Cursor.fault] };
    return {
      kind: 'ready',
      recordsMax: Math.min(body.max_results, PostingPage.jobsPerQueryMax - place.delivered),
      run: (granted) => run(ref, body, { place, granted, call, scope, maxResults: body.max_results }),
    };
  },
});

async function run(ref: NetworkUrl.CompanyRef, body: Request, stand: PostingPage.Stand): Promise<Outcome> {
  const { place, granted, call } = stand;
  const { jobs, companies } = call.data;
  const condition = JobFilter.condition(body.job, null, place.asOfMs);
  const company = await companies.find(ref);
  if (company === null) return PostingPage.outcome(0, [], stand);
  const [total, found] = await Promise.all([
    place.total ?? jobs.countOfCompany(company.id, condition),
    jobs.pageOfCompany(company.id, condition, PostingPage.after(place), granted + 1),
  ]);
  return PostingPage.outcome(total, found, stand);
}
