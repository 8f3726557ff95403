import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';
import { exampleOperation, smallBody } from '../../src/catalog/example-request.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as OpenapiPage from '../../src/discovery/openapi-page.ts';
import { openReference } from '../../src/discovery/reference.ts';
import * as Examples from '../../src/http/pages/reference/examples.ts';
import { operation } from '../../src/http/pages/reference/operation.ts';
import { type OperationPage, pagesOf } from '../../src/http/pages/reference/outline.ts';
import * as Overview from '../../src/http/pages/reference/overview.ts';
import { responseExamples } from '../../src/http/pages/reference/response-examples.ts';
import type { ReferenceWriter } from '../../src/http/pages/reference/writer.ts';
import { referencePages } from '../../src/http/pages/routes/docs.ts';
import { english } from '../../src/text/texts.ts';

const publicUrl = 'https://shop.example';
let write: ReferenceWriter;
let pages: OperationPage[];
// biome-ignore lint/suspicious/noExplicitAny: a test walks a document by what it says.
let document: any;
let errorsAt: (pointer: string, value: unknown) => unknown;

beforeAll(async () => {
  const catalog = await CatalogFile.load('openapi/catalog.yaml');
  const described = await Description.read('packages/data-api/openapi/data-api.yaml');
  if (!described.ok) throw new Error(described.reason);
  const offers = { claim: true, x402: true };
  const reference = await openReference(catalog, described.document, { baseUrl: publicUrl, offers });
  const { outline, write: writer } = referencePages({ reference, catalog, publicUrl, texts: english });
  write = writer;
  pages = pagesOf(outline);
  const query = { page: 'all', words: null, path: null, method: null, service: null } as const;
  const page = OpenapiPage.pageOf(reference, query);
  if (page.kind !== 'page') throw new Error('no page');
  document = JSON.parse(page.json);
  errorsAt = validator(document);
});

/** Returns a function that finds the errors of a value by the schema at a JSON Pointer of a document. */
function validator(root: object) {
  const ajv = new Ajv2020({
    strict: false,
    formats: {
      'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
      uri: URL.canParse,
      email: /@/,
      date: true,
      uuid: true,
    },
  });
  ajv.addSchema({ $id: 'document', ...root } as AnySchema);
  return (pointer: string, value: unknown) => {
    const check = ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
    return check(value) ? [] : check.errors?.map((it) => `${it.instancePath} ${it.message}`);
  };
}

const key = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every schema with examples, and every body or parameter with an example of its schema, as pointers. */
function* exampled(
  value: unknown,
  at: string,
  isNamed: boolean,
): Generator<[pointer: string, example: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  const { example, examples, schema } = value as Record<string, unknown>;
  if (!isNamed && !Array.isArray(value)) {
    if (Array.isArray(examples)) for (const one of examples) yield [at, one];
    if (example !== undefined && schema !== undefined) yield [`${at}/schema`, example];
  }
  for (const [name, child] of Object.entries(value))
    if (isNamed || !['example', 'examples', 'default', 'const', 'enum'].includes(name))
      yield* exampled(child, `${at}/${key(name)}`, !isNamed && name === 'properties');
}

test('every example of the OpenAPI document is valid by its schema', () => {
  const found = [...exampled(document, '', false)];
  expect(found.length).toBeGreaterThan(100);
  for (const [pointer, example] of found)
    expect([pointer, errorsAt(pointer, example)]).toEqual([pointer, []]);
});

test('every request and response that the reference shows is valid by its schema, and no value is a stand-in', () => {
  for (const page of pages) {
    const { method, path, operation: described } = page.entry;
    const at = `/paths/${key(path)}/${method.toLowerCase()}`;
    const { body } = Examples.requestOf(write, page);
    const media = 'content/application~1json/schema';
    if (body?.kind === 'json')
      expect([at, errorsAt(`${at}/requestBody/${media}`, body.value)]).toEqual([at, []]);
    for (const { language: status, code } of responseExamples(write, page)) {
      expect([at, status, code]).not.toEqual([at, status, expect.stringContaining('"example"')]);
      const { $ref } = Object(Object(described.responses)[status]);
      const response = typeof $ref === 'string' ? $ref.slice(1) : `${at}/responses/${status}`;
      const content = response
        .split('/')
        .slice(1)
        .reduce((node, name) => node[name.replaceAll('~1', '/')], document);
      const [type = ''] = Object.keys(content.content).filter(Examples.isJson);
      const pointer = `${response}/content/${key(type)}/schema`;
      if (code.endsWith('\n...')) continue;
      expect([at, status, errorsAt(pointer, JSON.parse(code))]).toEqual([at, status, []]);
    }
  }
});

const pageOf = (path: string): OperationPage => {
  const page = pages.find(({ entry }) => entry.path === path);
  if (page === undefined) throw new Error(`${path} has no page`);
  return page;
};
const textOf = (path: string) => String(operation(write, pageOf(path))).replace(/<[^>]*>/g, '');

test('a priced operation shows the 402 that the shop sends, and a free one shows none', () => {
  const shown = responseExamples(write, pageOf('/v2/search/people'));
  const { code = '' } = shown.find(({ language }) => language === '402') ?? {};
  expect(JSON.parse(code)).toMatchObject({
    success: false,
    code: 'credit_exhausted',
    required_usd: '0.05',
    available_usd: '0.00',
    plans: [{ purchase: { url: expect.stringContaining(`${publicUrl}/plans/`) } }],
  });
  expect(shown.map(({ language }) => language)).toEqual(['200', '402', '422', '429']);
  const free = responseExamples(write, pageOf('/v2/utils/current-date'));
  expect(free.map(({ language }) => language)).not.toContain('402');
});

test('an operation for wallets shows the unsigned request, its 402 and the signed request', () => {
  const text = textOf('/advisor/quote');
  expect(text).not.toContain('YOUR_API_KEY');
  expect(text.match(/-H 'Payment-Signature: SIGNED_PAYMENT'/g)).toHaveLength(1);
  expect(responseExamples(write, pageOf('/advisor/quote')).map(({ language }) => language)).toEqual([
    '402',
    '200',
  ]);
});

/** A shop whose API is not described: two operations with one name, and a limit of results in the body. */
async function undescribed() {
  const catalog = await CatalogFile.load('openapi/catalog.yaml');
  const [first] = catalog.operations;
  if (first === undefined) throw new Error('nothing is sold');
  const limited = { ...first.unitsMax, kind: 'pointer' as const, pointer: ['max'], ceiling: 50, default: 10 };
  const operations = ['/posts', '/posts/{id}'].map((path) => ({
    ...first,
    id: `POST ${path}`,
    path,
    unitsMax: limited,
  }));
  const sold = { ...catalog, services: [first.service], operations } as typeof catalog;
  const offers = { claim: true, x402: true };
  const reference = await openReference(sold, null, { baseUrl: publicUrl, offers });
  return { sold, ...referencePages({ reference, catalog: sold, publicUrl, texts: english }) };
}

test('operations with the same name are told apart by their paths, and their service says how many it has', async () => {
  const { outline, write } = await undescribed();
  const titles = outline.sold.flatMap(({ chapters }) =>
    chapters.flatMap(({ pages }) => pages.map(({ title }) => title)),
  );
  expect(titles).toEqual(['/posts', '/posts/{id}']);
  expect(String(Overview.overview(write, outline))).toContain('<div class="soft">2 operations</div>');
});

test('an operation that is not described has the same example as on the front page', async () => {
  const { outline, write, sold } = await undescribed();
  const [page] = pagesOf(outline);
  if (page?.sold === null || page === undefined) throw new Error('no page');
  const { body } = Examples.requestOf(write, page);
  expect(body).toEqual({ kind: 'json', value: JSON.parse(smallBody(page.sold, Description.none)) });
  const quickStart = String(Overview.overview(write, outline)).replace(/<[^>]*>/g, '');
  expect(quickStart).toContain(`'${publicUrl}${exampleOperation(sold).path}'`);
});
