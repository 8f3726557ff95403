import * as AccountFilter from '../filters/account-filter.ts';
import * as Cursor from '../filters/cursor.ts';
import * as Leaf from '../filters/leaf.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { type Call, define, type Operation, type Outcome } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';

/** How many companies one query can page through; the rest is cut without a word. */
const companiesPerQueryMax = 50_000;
const peopleMinMax = 25;
const id = 'company.tam_by_people';

const peopleFilter = Schema.named(
  'TamPersonFilter',
  Schema.object({
    ...Schema.fieldsOf(PersonFilter.personFilter),
    network_url: Schema.about('Any of these very people.', Leaf.anyOf(PersonUrl.personField)),
    min_per_company: Schema.about(
      'Only companies with at least so many matching people; 0 asks nothing.',
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
type Request = Schema.Value<typeof request>;

const result = Schema.named(
  'EmployingCompany',
  Schema.object({
    company: Company.company,
    matched_people: Schema.about(
      'People at the company who meet the filters.',
      Schema.integer(1, Number.MAX_SAFE_INTEGER),
    ),
  }),
);

/** `POST /v2/company/tam-by-people`: who employs the matching people. */
export const tamByPeople = limitedTo(companiesPerQueryMax);

/** The operation with `perQueryMax` companies to one query. */
export function limitedTo(perQueryMax: number): Operation {
  return define({
    id,
    method: 'POST',
    path: '/v2/company/tam-by-people',
    api: '/company/tam-by-people',
    summary: 'Companies that employ matching people',
    about:
      'Sizes a market by headcount: the distinct companies where people work who match the people filters, each with the count of those people, the largest company first. With `min_per_company` a page may hold fewer results than asked for, or none, while its `cursor` is not null: go on until it is. One query pages through at most 50,000 companies.',
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
  const { network_url, min_per_company, ...wanted } = body.people;
  const question = {
    people: PersonFilter.condition(wanted),
    accounts: AccountFilter.condition(body.company),
    refs: network_url.map(PersonUrl.parsed),
  };
  const after = place.after[0] ?? -1;
  const { employers, resumeAfter } = await data.people.employers(question, min_per_company, after, granted);
  const companies = await data.companies.byIds(employers.map(({ companyId }) => companyId));
  const delivered = place.delivered + employers.length;
  const goesOn = resumeAfter !== null && delivered < perQueryMax;
  return {
    body: {
      results: employers.map(({ companyId, matchedPeople }) => ({
        company: companies.get(companyId),
        matched_people: matchedPeople,
      })),
      results_length: employers.length,
      max_results: body.max_results,
      cursor: goesOn
        ? Cursor.seal(data.cursorSecret, scope, { ...place, delivered, after: [resumeAfter] })
        : null,
    },
    recordsUsed: employers.length,
  };
}
