import * as CompanyFilter from '../filters/company-filter.ts';
import * as Cursor from '../filters/cursor.ts';
import { type Call, define, type Outcome } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Page from '../records/page.ts';
import * as Schema from '../schema/schema.ts';

/** How many companies one query can page through; the rest is cut without a word. */
const companiesPerQueryMax = 50_000;
const id = 'search.companies';

const request = Schema.named(
  'CompanySearchRequest',
  Schema.object({ company: Schema.optionalObject(CompanyFilter.companyFilter), ...Page.requestFields }),
);
type Request = Schema.Value<typeof request>;

/** `POST /v2/search/companies`: a list of accounts. */
export const search = define({
  id,
  method: 'POST',
  path: '/v2/search/companies',
  api: '/search/companies',
  summary: 'Companies',
  about:
    'Finds the companies that meet the filters, the largest first. What is not known of a company meets no filter that asks for it. One query pages through at most 50,000 companies; `total_results` counts all matches, also those beyond.',
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
    const scope = {
      operation: id,
      keyId: call.key.id,
      generation: call.data.generation,
      filters: body.company,
    };
    const place = Cursor.placeOf(call.data.cursorSecret, scope, body.cursor, call.nowMs);
    if (place === null) return { kind: 'invalid', faults: [Cursor.fault] };
    return {
      kind: 'ready',
      recordsMax: Math.min(body.max_results, companiesPerQueryMax - place.delivered),
      run: (granted) => run(body, place, granted, call, scope),
    };
  },
});

async function run(
  body: Request,
  place: Cursor.Place,
  granted: number,
  call: Call,
  scope: Cursor.Scope,
): Promise<Outcome> {
  const { companies, cursorSecret } = call.data;
  const condition = CompanyFilter.condition(body.company);
  const total = place.total ?? (await companies.count(condition));
  const found = await companies.page(condition, total, place.after[0] ?? 0, granted + 1);
  const shown = found.slice(0, granted);
  const delivered = place.delivered + shown.length;
  const last = shown.at(-1);
  const goesOn = found.length > shown.length && delivered < companiesPerQueryMax;
  return {
    body: {
      total_results: total,
      results: shown.map(({ company }) => company),
      results_length: shown.length,
      max_results: body.max_results,
      cursor:
        goesOn && last
          ? Cursor.seal(cursorSecret, scope, { ...place, total, delivered, after: [last.id] })
          : null,
    },
    recordsUsed: shown.length,
  };
}
