import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Operation } from '../../src/catalog/operation.ts';
import type { Html } from '../../src/http/pages/frame.ts';
import { navigation } from '../../src/http/pages/reference/navigation.ts';
import { operation as operationPage } from '../../src/http/pages/reference/operation.ts';
import { type Outline, slugOf } from '../../src/http/pages/reference/outline.ts';
import * as Overview from '../../src/http/pages/reference/overview.ts';
import { commonRefusals } from '../../src/http/pages/reference/refusals.ts';
import { emptyForm, requestPage } from '../../src/http/pages/reference/request-form.ts';
import type { Texts } from '../../src/text/texts.ts';

const inner = { title: '‹inner›', type: 'object', properties: { deep: { type: 'string' } } };
const other = { title: '‹other›', type: 'object', properties: { more: { type: 'string' } } };
const schema = {
  type: 'object',
  required: ['max'],
  properties: {
    max: { type: ['integer', 'null'], minimum: 0, maximum: 980_000, default: 10, description: '‹Maximum›' },
    names: { type: 'array', items: { type: 'string', enum: [...'abcdefghijklmn'] }, maxItems: 5 },
    more: { type: 'array', maxItems: 5 },
    word: { type: ['string', 'integer'], maxLength: 5, const: 'x' },
    least: { type: 'number', minimum: 1 },
    most: { type: 'number', maximum: 1, enum: [1, 2] },
    inner,
    either: { oneOf: [inner, other] },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    wide: { type: 'object', properties: Object.fromEntries([...Array(500)].map((_, at) => [`f${at}`, {}])) },
  },
};
const header = { name: 'Storefront-Receipt', in: 'header', schema: { type: 'string' } };
const described = {
  description: '‹Finds›',
  security: [{ planAccess: [] }],
  parameters: [{ name: 'page', in: 'query', required: true, schema: { type: 'string' } }, header],
  requestBody: { content: { 'application/json': { schema, example: { max: 1 } } } },
  responses: {
    200: {
      description: '‹Found›',
      content: { 'application/json': { schema } },
      headers: { 'storefront-units': {} },
    },
    404: { description: '‹Missing›' },
    default: { description: '‹Refused›' },
  },
};

function outlineOf(sold: Operation): Outline {
  const entry = (at: number, id: string, more: object) =>
    ({
      at,
      id,
      method: 'POST',
      path: '/v1/search',
      summary: '‹Find›',
      operation: described,
      ...more,
    }) as never;
  const chapter = (more: object) => ({
    ...{
      slug: 'search',
      name: '‹Search›',
      description: '‹Finds things›',
      path: '/docs/search',
      service: sold.service,
    },
    ...more,
  });
  const service = { ...chapter({}), pages: [] as unknown[] };
  service.pages.push(
    {
      entry: entry(0, 'one', {}),
      title: '‹Find›',
      slug: 'one',
      path: '/docs/search/one',
      chapter: service,
      sold,
    },
    {
      entry: entry(1, 'two', { operation: { responses: {} } }),
      title: '‹Find›',
      slug: 'two',
      path: '/docs/search/two',
      chapter: service,
      sold,
    },
  );
  const own = {
    ...chapter({ slug: 'storefront', path: '/docs/storefront#search', service: null }),
    pages: [] as unknown[],
  };
  own.pages.push({
    entry: entry(2, 'own', {}),
    title: '‹Find›',
    slug: 'own',
    path: '/docs/storefront/own',
    chapter: own,
    sold: null,
  });
  return {
    sold: [{ name: '‹Group›', chapters: [service as never] }],
    own: { name: '‹Shop›', chapters: [own as never] },
  };
}

/** The contents of the reference, with facts that show each of its parts. */
export function referencePages(texts: Texts, catalog: Catalog, sold: Operation): Record<string, Html> {
  const outline = outlineOf(sold);
  const [service] = outline.sold[0]?.chapters ?? [];
  const [own] = outline.own.chapters;
  const [first] = service?.pages ?? [];
  const [ownPage] = own?.pages ?? [];
  if (service === undefined || first === undefined || ownPage === undefined) throw new Error('no pages');
  const schemas = { texts, root: {}, read: (value: unknown) => Object(value) };
  const write = {
    ...schemas,
    catalog,
    publicUrl: 'https://shop.example.com',
    common: commonRefusals(schemas, service.pages),
    commonHeaders: new Set([JSON.stringify(header)]),
  };
  const none = { list: [], keys: new Set<string>() };
  const form = emptyForm(write, first, 'try_1');
  const trial = {
    kind: 'whole',
    status: 200,
    body: '{}',
    figures: { time: '‹time›', size: '‹size›', cost: '‹cost›', left: '‹left›' },
    faults: [],
  } as const;
  return {
    reference: Overview.overview(write, outline),
    'service of the reference': Overview.service(write, service),
    'shop routes of the reference': Overview.own(write, outline.own, slugOf),
    'found in the reference': Overview.found(write, '‹words›', {
      named: service.pages,
      inside: service.pages,
    }),
    'nothing found in the reference': Overview.found(write, '‹words›', { named: [], inside: [] }),
    'navigation of the reference': navigation(texts, outline, { chapter: service, page: first }),
    'operation of the reference': operationPage(write, first),
    'operation with refusals of its own': operationPage({ ...write, common: none }, first),
    'operation of the shop': operationPage(write, ownPage),
    'request to send': requestPage(write, first, form),
    'request with a wrong key': requestPage(write, first, { ...form, fault: '‹fault›', isSignedIn: true }),
    'request that was sent': requestPage(write, first, { ...form, outcome: trial }),
    'request that was refused': requestPage(write, first, {
      ...form,
      outcome: { kind: 'refusal', message: '‹no›' },
    }),
  };
}
