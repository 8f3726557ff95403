import * as CompanyFilter from '../filters/company-filter.ts';
import { define } from '../operation.ts';
import { paged } from '../paging.ts';
import * as Company from '../records/company.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';

/** Maximum number of companies over all pages of a query. Companies beyond it are not returned. */
const companiesPerQueryMax = 50_000;
const id = 'search.companies';

const request = Schema.named(
  'CompanySearchRequest',
  Schema.object({ company: Schema.optionalObject(CompanyFilter.companyFilter), ...Page.requestFields }),
);

/** `POST /v2/search/companies`: companies that meet the filters, the largest first. */
export const search = define({
  id,
  method: 'POST',
  path: '/v2/search/companies',
  summary: 'Companies',
  about:
    'Finds the companies that meet the filters, the largest first. A filter on a field never matches companies where that field is unknown. One query pages through at most 50,000 companies; `total_results` counts all matches, including those beyond the limit.',
  cost: '1 record for each company returned.',
  acceptsForms: false,
  limited: true,
  request,
  answer: Schema.named(
    'CompanySearchAnswer',
    Schema.object({
      total_results: Page.totalField,
      results: Page.results(Company.company),
      ...Page.answerFields,
    }),
  ),
  example: {
    request: {
      company: {
        keywords: { include: ['data warehousing', 'forecasting'] },
        industry: { include: ['Data Infrastructure and Analytics'] },
        hq: { continent: ['Europe'] },
        employee_range: ['201-500'],
      },
      max_results: 25,
    },
    answer: {
      total_results: 1,
      results: [Company.example],
      results_length: 1,
      max_results: 25,
      cursor: null,
    },
  },
  prepare(body, call) {
    const { companies } = call.data;
    const request = {
      operation: id,
      filters: body.company,
      cursor: body.cursor,
      maxResults: body.max_results,
      perQueryMax: companiesPerQueryMax,
    };
    return paged(call, request, async (place, granted) => {
      const condition = CompanyFilter.condition(body.company);
      const total = place.total ?? (await companies.count(condition));
      const found = await companies.page(condition, total, place.after[0] ?? 0, granted + 1);
      const shown = found.slice(0, granted);
      const last = shown.at(-1);
      return {
        results: shown.map(({ company }) => company),
        total,
        resumeAfter: found.length > shown.length && last ? [last.id] : null,
      };
    });
  },
});
