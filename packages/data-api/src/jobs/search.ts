import * as EmployerFilter from '../filters/employer-filter.ts';
import * as JobFilter from '../filters/job-filter.ts';
import { define } from '../operation.ts';
import { paged } from '../paging.ts';
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

/** `POST /v2/jobs/search`: postings of all companies, newest first. */
export const search = define({
  id,
  method: 'POST',
  path: '/v2/jobs/search',
  summary: 'Jobs at any company',
  about:
    'Finds the job postings that meet the job filters and whose employers meet the company filters, the newest first. If the employer is not in the data set, its industry is `Unknown`, no other company filter includes or excludes the posting, and `company_network_url` is empty. One query pages through at most 5,000 postings; `total_results` counts all matches, including those beyond the limit.',
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
    const { jobs } = call.data;
    const request = {
      operation: id,
      filters: { job: body.job, company: body.company },
      cursor: body.cursor,
      maxResults: body.max_results,
      perQueryMax: PostingPage.jobsPerQueryMax,
    };
    return paged(call, request, async (place, granted) => {
      const condition = JobFilter.condition(body.job, body.company, place.asOfMs);
      const total = place.total ?? (await jobs.count(condition));
      const found = await jobs.page(condition, total, PostingPage.after(place), granted + 1);
      return PostingPage.pageOf(total, found, granted);
    });
  },
});
