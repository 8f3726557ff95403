import { personExample } from '../enrichment/found.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import * as Tsquery from '../filters/tsquery.ts';
import { type Call, define, type Operation, type Outcome } from '../operation.ts';
import * as Page from '../records/page.ts';
import * as Person from '../records/person.ts';
import * as Schema from '../schema/schema.ts';

/** Maximum number of employees over all pages of a company. Employees beyond it are not returned. */
const employeesPerCompanyMax = 10_000;

const { max_results } = Page.requestFields;
const { results_length } = Page.answerFields;

const request = Schema.named(
  'EmployeeFinderRequest',
  Schema.object({
    company_network_url: NetworkUrl.companyField,
    ...PersonFilter.areas,
    job_level: PersonFilter.levels,
    job_function: PersonFilter.functions,
    min_connections_count: PersonFilter.minConnections,
    max_results,
    page: Schema.about(
      'Page number, from 1. Pages after the last one are empty and cost nothing.',
      Schema.optional(Schema.integer(1, Number.MAX_SAFE_INTEGER), 1),
    ),
  }),
);
type Request = Schema.Value<typeof request>;

/** `POST /v2/search/employee-finder`: the people of one company, the best connected first. */
export const employeeFinder = limitedTo(employeesPerCompanyMax);

/** The operation with a limit of `perCompanyMax` people per company. Exported for tests. */
export function limitedTo(perCompanyMax: number): Operation {
  return define({
    id: 'search.employee_finder',
    method: 'POST',
    path: '/v2/search/employee-finder',
    summary: 'Employees of one company',
    about:
      'Lists the current employees of one company whose profiles are in the data set, the best connected first, filtered by location, level and function. A company may have more employees: see `employees_on_network` and the distributions. Pages are numbered; at most 10,000 people of a company can be reached, and `total_pages` counts the pages up to that limit. If the company is not in the data set, the list is empty and the call costs nothing.',
    cost: '1 record for each person returned.',
    acceptsForms: false,
    limited: true,
    request,
    answer: Schema.named(
      'EmployeeFinderAnswer',
      Schema.object({
        company_network_url: Schema.text(),
        max_results: Page.answerFields.max_results,
        results_length,
        page: Schema.integer(1, Number.MAX_SAFE_INTEGER),
        total_pages: Schema.about(
          'Pages of `max_results` that can be reached.',
          Schema.integer(0, perCompanyMax),
        ),
        results: Page.results(Person.person),
      }),
    ),
    example: {
      request: {
        company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
        continent: ['North America'],
        job_level: ['Director', 'VP'],
        max_results: 3,
        page: 1,
      },
      answer: {
        company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
        max_results: 3,
        results_length: 1,
        page: 1,
        total_pages: 1,
        results: [personExample],
      },
    },
    prepare(body, call) {
      const reachable = Math.floor(perCompanyMax / body.max_results);
      return {
        kind: 'ready',
        recordsMax: body.page <= reachable ? body.max_results : 0,
        run: (granted) => run(body, granted, call, reachable),
      };
    },
  });
}

async function run(body: Request, granted: number, { data }: Call, reachable: number): Promise<Outcome> {
  const condition = {
    search: Tsquery.all([PersonFilter.grades(body), PersonFilter.within(body)]),
    connectionsMin: body.min_connections_count,
  };
  const ref = NetworkUrl.parsed(body.company_network_url);
  const company = await data.companies.find(ref);
  const total = company === null ? 0 : await data.people.countAt(company.id, condition);
  const pages = Math.min(Math.ceil(total / body.max_results), reachable);
  const offset = (body.page - 1) * body.max_results;
  const found =
    company === null || body.page > pages
      ? []
      : await data.people.pageAt(company.id, condition, offset, granted);
  return {
    body: {
      company_network_url: NetworkUrl.companyUrl(company ? { kind: 'slug', slug: company.slug } : ref),
      max_results: body.max_results,
      results_length: found.length,
      page: body.page,
      total_pages: pages,
      results: found.map(({ record }) => Person.toPerson(record)),
    },
    recordsUsed: found.length,
  };
}
