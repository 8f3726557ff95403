import * as EmployerFilter from '../filters/employer-filter.ts';
import * as JobFilter from '../filters/job-filter.ts';
import { define } from '../operation.ts';
import { paged } from '../paging.ts';
import * as Company from '../records/company.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';

/** Maximum number of companies over all pages of a query. Companies beyond it are not returned. */
const companiesPerQueryMax = 50_000;
const jobsMinMax = 25;
const id = 'company.tam_by_jobs';

const jobFilter = Schema.named(
  'TamJobFilter',
  Schema.object({
    ...Schema.fieldsOf(JobFilter.jobFilter),
    min_per_company: Schema.about(
      'Only companies with at least this many matching jobs; 0 for no minimum.',
      Schema.optional(Schema.integer(0, jobsMinMax), 0),
    ),
  }),
);

const request = Schema.named(
  'TamByJobsRequest',
  Schema.object({
    job: Schema.optionalObject(jobFilter),
    company: Schema.optionalObject(EmployerFilter.employerFilter),
    ...Page.requestFields,
  }),
);

const result = Schema.named(
  'HiringCompany',
  Schema.object({
    company: Company.company,
    matched_jobs: Schema.about(
      'Postings of the company that meet the job filters.',
      Schema.integer(1, Number.MAX_SAFE_INTEGER),
    ),
  }),
);

/** `POST /v2/company/tam-by-jobs`: companies that hire for the matching jobs. */
export const tamByJobs = define({
  id,
  method: 'POST',
  path: '/v2/company/tam-by-jobs',
  summary: 'Companies that hire for matching jobs',
  about:
    'Sizes a market by hiring: the distinct companies that have postings matching the job filters, each with the count of those postings, the largest company first. With `min_per_company` a page may hold fewer results than asked for, or none, while its `cursor` is not null: continue until it is null. One query pages through at most 50,000 companies.',
  cost: '1 record for each company returned.',
  acceptsForms: false,
  limited: true,
  request,
  answer: Schema.named(
    'TamByJobsAnswer',
    Schema.object({ results: Page.results(result), ...Page.answerFields }),
  ),
  example: {
    request: {
      job: {
        title: { include: ['Engineer', '[Data Analyst]'], exclude: ['Intern'] },
        location: { country_code: { include: ['DE', 'BR'] } },
        date_posted: { last_days: 60 },
        min_per_company: 2,
      },
      company: { employee_count: { min: 50 }, is_agency: false },
      max_results: 10,
    },
    answer: {
      results: [{ company: Company.example, matched_jobs: 7 }],
      results_length: 1,
      max_results: 10,
      cursor: null,
    },
  },
  prepare(body, call) {
    const { companies, jobs } = call.data;
    const request = {
      operation: id,
      filters: { job: body.job, company: body.company },
      cursor: body.cursor,
      maxResults: body.max_results,
      perQueryMax: companiesPerQueryMax,
    };
    return paged(call, request, async (place, granted) => {
      const condition = JobFilter.condition(body.job, body.company, place.asOfMs);
      const after = place.after[0] ?? 0;
      const { employers, resumeAfter } = await jobs.employers(
        condition,
        body.job.min_per_company,
        after,
        granted,
      );
      const found = await companies.byIds(employers.map(({ companyId }) => companyId));
      const results = employers.flatMap(({ companyId, matchedJobs }) => {
        const company = found.get(companyId);
        return company ? [{ company, matched_jobs: matchedJobs }] : [];
      });
      return { results, total: null, resumeAfter: resumeAfter === null ? null : [resumeAfter] };
    });
  },
});
