import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as Page from '../../src/discovery/openapi-page.ts';
import * as Reference from '../../src/discovery/reference.ts';
import * as Described from './described.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const baseUrl = 'https://shop.example.com';
const plain: Page.ReferenceQuery = { page: 1, words: null, path: null, method: null, service: null };

async function open(catalogPath: string, document?: unknown): Promise<Reference.Reference> {
  const catalog = await CatalogFile.load(root + catalogPath);
  const described = await Description.read(catalog.upstream.description);
  if (!described.ok) throw new Error(described.reason);
  const offers = { claim: true, x402: true };
  return Reference.openReference(catalog, document ?? described.document, { baseUrl, offers });
}

function read(reference: Reference.Reference, query: Partial<Page.ReferenceQuery> = {}): Described.Document {
  const answer = Page.pageOf(reference, { ...plain, ...query });
  if (answer.kind !== 'page') throw new Error(`no such page of ${answer.pages}`);
  return JSON.parse(answer.json);
}

const ids = (document: Described.Document) => Described.operations(document).map(({ id }) => id);

function allPages(
  reference: Reference.Reference,
  query: Partial<Page.ReferenceQuery> = {},
): Described.Document[] {
  const { pages } = read(reference, query)['x-navigation'];
  return Array.from({ length: pages }, (_, at) => read(reference, { ...query, page: at + 1 }));
}

describe.each([
  ['the shipped catalogue', 'openapi/catalog.yaml'],
  ['a catalogue whose upstream has no description', 'test/fixtures/notes.yaml'],
  ['a catalogue on a description of OpenAPI 3.0', 'packages/advisor/test/fixtures/parcels.yaml'],
])('the pages of %s', (_, path) => {
  let reference: Reference.Reference;
  beforeAll(async () => {
    reference = await open(path);
  });

  test('stand alone: valid, with the components that they name and no others', async () => {
    const pages = [
      ...allPages(reference),
      read(reference, { page: 'all' }),
      read(reference, { words: 'plan' }),
    ];
    for (const page of pages) {
      expect(await new Validator().validate(structuredClone(page))).toMatchObject({ valid: true });
      const there = Object.entries(page.components as object).flatMap(([kind, parts]) =>
        Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
      );
      expect(there.sort()).toEqual([...Described.named(page)].sort());
    }
  });

  test('are small, and hold ten operations at most', () => {
    for (const page of allPages(reference)) {
      expect(ids(page).length).toBeLessThanOrEqual(10);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(64 * 1024);
    }
  });

  test('begin and end with the way through them', () => {
    const pages = allPages(reference);
    for (const [at, page] of pages.entries()) {
      const keys = [Object.keys(page), Object.keys(page.info)];
      expect([keys[0]?.slice(0, 2), keys[0]?.at(-1), keys[1]?.[0]]).toEqual([
        ['openapi', 'info'],
        'x-navigation',
        'x-navigation',
      ]);
      expect(page.info['x-navigation']).toEqual(page['x-navigation']);
      const next = at + 1 < pages.length ? `${baseUrl}/openapi.json?page=${at + 2}` : null;
      expect([page.info['x-next'], page['x-navigation'].next]).toEqual([next, next]);
    }
  });

  test('hold all that is sold, and purchase and quote first', () => {
    expect(ids(read(reference)).slice(0, 2)).toEqual(['plans.purchase', 'advice.quote']);
    const sold = allPages(reference).flatMap((page) =>
      Described.operations(page).filter(({ operation }) => operation['x-payment-info']?.access === 'plan'),
    );
    const wanted = reference.catalog.operations.map((it) => `${it.method} ${it.path}`);
    expect(sold.map((it) => `${it.method.toUpperCase()} ${it.path}`).sort()).toEqual(wanted.sort());
    for (const { operation } of sold) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '402', '403']));
      expect(operation.security).toEqual([{ planAccess: [] }]);
    }
  });

  test('tell prices as their schema says', async () => {
    const file = new URL('../../openapi/payment-info.schema.json', import.meta.url);
    const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(await readFile(file, 'utf8')));
    const priced = Described.operations(read(reference, { page: 'all' })).filter(
      ({ operation }) => operation['x-payment-info'],
    );
    expect(priced.length).toBeGreaterThan(reference.catalog.operations.length);
    for (const { operation } of priced)
      expect([validate(operation['x-payment-info']), validate.errors]).toEqual([true, null]);
  });

  test('of one service hold its operations alone', () => {
    for (const { slug } of reference.catalog.services) {
      const own = reference.entries.filter(({ service }) => service === slug).map(({ id }) => id);
      expect(allPages(reference, { service: slug }).flatMap(ids)).toEqual(own);
    }
  });
});

describe('questions', () => {
  let reference: Reference.Reference;
  beforeAll(async () => {
    reference = await open('openapi/catalog.yaml');
  });

  test.each([
    ['work email', 'enrichment.email'],
    ['emials', 'enrichment.email'],
    ['mobile numbers', 'enrichment.phone'],
    ['phnoe', 'enrichment.phone'],
    ['companies that hire', 'company.tam_by_jobs'],
    ['domain to network', 'enrichment.domain_to_network'],
    ['headcounts by country', 'enrichment.company_distribution_by_country'],
    ['buying a plan', 'plans.purchase'],
    ['receipts', 'account.receipts'],
    ['/v2/jobs/search', 'jobs.search'],
    ['time zone', 'utils.current_date'],
  ])('%s are found, the best first', (words, first) => {
    expect(ids(read(reference, { words }))[0]).toBe(first);
  });

  test('that nothing answers get a page with nothing on it', async () => {
    for (const query of [{ words: 'qqqqqqqqq' }, { path: '/nowhere' }, { words: '!!!' }]) {
      const page = read(reference, query);
      expect([page.paths, page['x-navigation'].operations.all, page.info['x-next']]).toEqual([{}, 0, null]);
      expect(await new Validator().validate(structuredClone(page))).toMatchObject({ valid: true });
    }
  });

  test('are combined, and kept by the links to further pages', () => {
    const path = '/account/keys';
    expect(ids(read(reference, { path }))).toEqual(['account.keys', 'account.make_key']);
    expect(ids(read(reference, { path, method: 'post' }))).toEqual(['account.make_key']);
    expect(ids(read(reference, { path, method: 'POST', words: 'emails' }))).toEqual([]);
    const found = read(reference, { words: 'company', method: 'POST' });
    expect(found.info['x-next']).toBe(`${baseUrl}/openapi.json?q=company&method=POST&page=2`);
    const all = read(reference, { words: 'company', method: 'POST', page: 'all' });
    expect(allPages(reference, { words: 'company', method: 'POST' }).flatMap(ids)).toEqual(ids(all));
  });

  test('of the longest kind leave a page below its bytes', () => {
    const words = `company ${'é'.repeat(192)}`;
    for (const page of allPages(reference, { words }))
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(64 * 1024);
  });

  test('take less than a millisecond of the processor, before they are kept', () => {
    const asked = ['email', 'who hires engineers', 'companys by size', 'zzzz zzzz'];
    const rounds = 200;
    const ask = (times: number) => {
      for (let at = 0; at < times; at += 1) Page.pageOf(reference, { ...plain, words: asked[at % 4] ?? '' });
    };
    ask(rounds);
    const before = process.cpuUsage();
    ask(rounds);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000 / rounds).toBeLessThan(1);
  });
});

describe('what an upstream says', () => {
  const schema = { type: 'string', nullable: true, minimum: 1, exclusiveMinimum: true };
  const document = {
    openapi: '3.0.3',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/posts/{post}': {
        parameters: [
          { name: 'post', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'X-Notes-Token', in: 'header', required: true, schema: { type: 'string' } },
        ],
        get: {
          operationId: 'plans.purchase',
          security: [{ token: [] }],
          servers: [{ url: 'http://inside.example' }],
          responses: {
            '200': { $ref: '#/components/responses/Post' },
            '401': { description: 'The operator forgot his key.' },
          },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'x-notes-token' } },
      responses: {
        Post: {
          description: 'A post.',
          headers: { 'x-records-remaining': { schema: { type: 'integer' } } },
          links: { author: { operationId: 'author' } },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/StorefrontError' } } },
        },
      },
      schemas: {
        StorefrontError: {
          type: 'object',
          properties: { nullable: schema, example: { $ref: '#/components/schemas/Kind' } },
          example: { nullable: true },
        },
        Kind: { type: 'string', enum: ['a'], nullable: true },
        Unused: { type: 'object' },
      },
    },
  };

  test('is taken over in the words of 3.1, without its key, its host and what does not reach a caller', async () => {
    const reference = await open('test/fixtures/notes.yaml', document);
    const page = read(reference, { path: '/posts/{post}', page: 'all' });
    expect(await new Validator().validate(structuredClone(page))).toMatchObject({ valid: true });
    const { get } = page.paths['/posts/{post}'];
    expect(get.operationId).toBe('plans.purchase_2');
    expect(JSON.stringify(page)).not.toMatch(/notes-token|inside\.example|x-records-remaining|his key/i);
    expect(get.responses['401'].$ref).toContain('StorefrontBearerRequired');
    expect(Object.keys(get.responses['200'].headers)).toContain('storefront-units');
    const { StorefrontError, StorefrontError_of_the_storefront, Kind, Unused } = page.components.schemas;
    expect(StorefrontError.properties.nullable).toEqual({ type: ['string', 'null'], exclusiveMinimum: 1 });
    expect(StorefrontError.example).toEqual({ nullable: true });
    expect(Kind).toEqual({ type: ['string', 'null'], enum: ['a', null] });
    expect([StorefrontError_of_the_storefront.required, Unused]).toEqual([
      ['success', 'code', 'message'],
      undefined,
    ]);
  });
});
