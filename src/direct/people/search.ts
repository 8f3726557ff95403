import { personExample } from '../enrichment/found.ts';
import * as AccountFilter from '../filters/account-filter.ts';
import * as Cursor from '../filters/cursor.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import { type Call, define, type Operation, type Outcome } from '../operation.ts';
import * as Page from '../records/page.ts';
import * as Person from '../records/person.ts';
import * as Schema from '../schema/schema.ts';

/** How many people one query can page through; the rest is cut without a word. */
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
type Request = Schema.Value<typeof request>;

/** `POST /v2/search/people`: people by what they are and where they work, the best connected first. */
export const search = limitedTo(peoplePerQueryMax);

/** The operation with `perQueryMax` people to one query. */
export function limitedTo(perQueryMax: number): Operation {
  return define({
    id,
    method: 'POST',
    path: '/v2/search/people',
    api: '/search/people',
    summary: 'People search',
    about:
      'Finds people by title, function, level, place and education within the companies that the company filters name, the best connected first, each with the whole career. Titles and company are those of the current position. `total_results` counts all matches; one query pages through at most 50,000 of them.',
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
          job_title: { include: ['[COO]', 'Director Operations'], include_network_headline: false },
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
      const filters = { company: body.company, people: body.people };
      const scope = { operation: id, keyId: call.key.id, generation: call.data.generation, filters };
      const place = Cursor.placeOf(call.data.cursorSecret, scope, body.cursor, call.nowMs);
      if (place === null) return { kind: 'invalid', faults: [Cursor.fault] };
      return {
        kind: 'ready',
        recordsMax: Math.min(body.max_results, perQueryMax - place.delivered),
        run: (granted) => run(body, place, granted, call, scope, perQueryMax),
      };
    },
  });
}

async function run(
  body: Request,
  place: Cursor.Place,
  granted: number,
  { data }: Call,
  scope: Cursor.Scope,
  perQueryMax: number,
): Promise<Outcome> {
  const question = {
    people: PersonFilter.condition(body.people),
    accounts: AccountFilter.condition(body.company),
    refs: [],
  };
  const total = place.total ?? (await data.people.count(question));
  const found = total === 0 ? [] : await data.people.page(question, total, place.after[0] ?? -1, granted);
  const delivered = place.delivered + found.length;
  const last = found.at(-1);
  const goesOn = last !== undefined && delivered < Math.min(total, perQueryMax);
  return {
    body: {
      total_results: total,
      results: found.map(({ record }) => Person.toPerson(record)),
      results_length: found.length,
      max_results: body.max_results,
      cursor: goesOn
        ? Cursor.seal(data.cursorSecret, scope, { ...place, total, delivered, after: [last.id] })
        : null,
    },
    recordsUsed: found.length,
  };
}
