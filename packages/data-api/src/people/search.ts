import { personExample } from '../enrichment/found.ts';
import * as AccountFilter from '../filters/account-filter.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import { define, type Operation } from '../operation.ts';
import { paged } from '../paging.ts';
import * as Page from '../records/page.ts';
import * as Person from '../records/person.ts';
import * as Schema from '../schema/schema.ts';

/** Maximum number of people over all pages of a query. People beyond it are not returned. */
const peoplePerQueryMax = 50_000;
const id = 'search.people';

const request = Schema.named(
  'SearchPeopleRequest',
  Schema.object({
    company: Schema.optionalObject(AccountFilter.accountFilter),
    people: Schema.optionalObject(PersonFilter.personFilter),
    ...Page.requestFields,
  }),
);

/** `POST /v2/search/people`: people by profile and employer, the best connected first. */
export const search = limitedTo(peoplePerQueryMax);

/** The operation with a limit of `perQueryMax` people per query. Exported for tests. */
export function limitedTo(perQueryMax: number): Operation {
  return define({
    id,
    method: 'POST',
    path: '/v2/search/people',
    summary: 'People search',
    about:
      'Finds people by title, function, level, location and education, at companies that meet the company filters, the best connected first, each with the full career. Title and company filters apply to the current position. `total_results` counts all matches; one query pages through at most 50,000 of them.',
    cost: '1 record for each person returned.',
    acceptsForms: false,
    limited: true,
    request,
    answer: Schema.named(
      'SearchPeopleAnswer',
      Schema.object({
        total_results: Page.totalField,
        results: Page.results(Person.person),
        ...Page.answerFields,
      }),
    ),
    example: {
      request: {
        company: {
          industry: { include: ['Hospitals and Health Care'] },
          hq: { country_code: ['US'] },
          employee_range: ['1001-5000', '5001-10000'],
        },
        people: {
          job_title: { include: ['COO', 'Director Operations'], include_network_headline: false },
          job_level: ['C-Team', 'Director'],
          location: { continent: ['North America'] },
        },
        max_results: 25,
        cursor: null,
      },
      answer: {
        total_results: 1,
        results: [personExample],
        results_length: 1,
        max_results: 25,
        cursor: null,
      },
    },
    prepare(body, call) {
      const { people } = call.data;
      const request = {
        operation: id,
        filters: { company: body.company, people: body.people },
        cursor: body.cursor,
        maxResults: body.max_results,
        perQueryMax,
      };
      return paged(call, request, async (place, granted) => {
        const question = {
          people: PersonFilter.condition(body.people),
          accounts: AccountFilter.condition(body.company),
          refs: [],
        };
        const total = place.total ?? (await people.count(question));
        const after = place.after[0] ?? -1;
        const found = total === 0 ? [] : await people.page(question, total, after, granted);
        const last = found.at(-1);
        const hasMore = place.delivered + found.length < total;
        return {
          results: found.map(({ record }) => Person.toPerson(record)),
          total,
          resumeAfter: hasMore && last ? [last.id] : null,
        };
      });
    },
  });
}
