import * as JobFilter from '../filters/job-filter.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { define } from '../operation.ts';
import { paged } from '../paging.ts';
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

/** `POST /v2/jobs/company`: the open jobs of one company, newest first. */
export const atCompany = define({
  id,
  method: 'POST',
  path: '/v2/jobs/company',
  summary: 'Jobs at one company',
  about:
    'Lists the job postings of one company that meet the job filters, the newest first. If the company is not in the data set, the list is empty and the call costs nothing. One query pages through at most 5,000 postings; `total_results` counts all matches, including those beyond the limit. The body may be JSON, or a form whose names are dotted paths (`job.title.include=Data Engineer`).',
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
      company_network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
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
    const { jobs, companies } = call.data;
    const ref = NetworkUrl.parsed(body.company_network_url);
    const request = {
      operation: id,
      filters: { ref, job: body.job },
      cursor: body.cursor,
      maxResults: body.max_results,
      perQueryMax: PostingPage.jobsPerQueryMax,
    };
    return paged(call, request, async (place, granted) => {
      const condition = JobFilter.condition(body.job, null, place.asOfMs);
      const company = await companies.find(ref);
      if (company === null) return PostingPage.pageOf(0, [], granted);
      const [total, found] = await Promise.all([
        place.total ?? jobs.countOfCompany(company.id, condition),
        jobs.pageOfCompany(company.id, condition, PostingPage.after(place), granted + 1),
      ]);
      return PostingPage.pageOf(total, found, granted);
    });
  },
});
