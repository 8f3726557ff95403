import * as AccountFilter from '../filters/account-filter.ts';
import * as IncludeExclude from '../filters/include-exclude.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { define, type Operation } from '../operation.ts';
import { paged } from '../paging.ts';
import * as Company from '../records/company.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';

/** Maximum number of companies over all pages of a query. Companies beyond it are not returned. */
const companiesPerQueryMax = 50_000;
const peopleMinMax = 25;
const id = 'company.tam_by_people';

const peopleFilter = Schema.named(
  'TamPersonFilter',
  Schema.object({
    ...Schema.fieldsOf(PersonFilter.personFilter),
    network_url: Schema.about('Any of these people, by URL.', IncludeExclude.anyOf(PersonUrl.personField)),
    min_per_company: Schema.about(
      'Only companies with at least this many matching people; 0 for no minimum.',
      Schema.optional(Schema.integer(0, peopleMinMax), 0),
    ),
  }),
);

const request = Schema.named(
  'TamByPeopleRequest',
  Schema.object({
    company: Schema.optionalObject(AccountFilter.accountFilter),
    people: Schema.optionalObject(peopleFilter),
    ...Page.requestFields,
  }),
);

const result = Schema.named(
  'EmployingCompany',
  Schema.object({
    company: Company.company,
    matched_people: Schema.about(
      'People at the company whose profiles are in the data set and meet the filters.',
      Schema.integer(1, Number.MAX_SAFE_INTEGER),
    ),
  }),
);

/** `POST /v2/company/tam-by-people`: companies that employ the matching people. */
export const tamByPeople = limitedTo(companiesPerQueryMax);

/** The operation with a limit of `perQueryMax` companies per query. Exported for tests. */
export function limitedTo(perQueryMax: number): Operation {
  return define({
    id,
    method: 'POST',
    path: '/v2/company/tam-by-people',
    summary: 'Companies that employ matching people',
    about:
      'Sizes a market by headcount: the distinct companies where people work who match the people filters, each with the count of those people, the largest company first. With `min_per_company` a page may hold fewer results than asked for, or none, while its `cursor` is not null: continue until it is null. One query pages through at most 50,000 companies.',
    cost: '1 record for each company returned.',
    acceptsForms: false,
    limited: true,
    request,
    answer: Schema.named(
      'TamByPeopleAnswer',
      Schema.object({ results: Page.results(result), ...Page.answerFields }),
    ),
    example: {
      request: {
        company: { hq: { continent: ['Europe'] }, employee_range: ['201-500'] },
        people: { job_title: { include: ['Data'] }, job_level: ['Staff', 'Manager'], min_per_company: 2 },
        max_results: 10,
      },
      answer: {
        results: [
          {
            company: Company.example,
            matched_people: 9,
          },
        ],
        results_length: 1,
        max_results: 10,
        cursor: null,
      },
    },
    prepare(body, call) {
      const { people, companies } = call.data;
      const { network_url, min_per_company, ...wanted } = body.people;
      const request = {
        operation: id,
        filters: { company: body.company, people: body.people },
        cursor: body.cursor,
        maxResults: body.max_results,
        perQueryMax,
      };
      return paged(call, request, async (place, granted) => {
        const question = {
          people: PersonFilter.condition(wanted),
          accounts: AccountFilter.condition(body.company),
          refs: network_url.map(PersonUrl.parsed),
        };
        const after = place.after[0] ?? -1;
        const { employers, resumeAfter } = await people.employers(question, min_per_company, after, granted);
        const found = await companies.byIds(employers.map(({ companyId }) => companyId));
        const results = employers.map(({ companyId, matchedPeople }) => ({
          company: found.get(companyId),
          matched_people: matchedPeople,
        }));
        return { results, total: null, resumeAfter: resumeAfter === null ? null : [resumeAfter] };
      });
    },
  });
}
