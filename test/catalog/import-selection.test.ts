import * as Schema from '@sluice/kernel/json-schema';
import { describe, expect, test } from 'vitest';
import { listOperations } from '../../src/catalog/import/found-operation.ts';
import { type Selection, select, unselectedMax } from '../../src/catalog/import/selection.ts';

const everything: Selection = { tags: [], paths: [], include: [] };

function choose(calls: readonly string[], selection: Partial<Selection> = {}, more: object = {}) {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls) {
    const [method = '', path = '', tag] = call.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...(tag && { tags: [tag] }), ...more } };
  }
  const document = { paths };
  const found = listOperations(document, Schema.reader(document), null);
  return select(found, { ...everything, ...selection });
}

function soldOf(selected: ReturnType<typeof choose>): string[] {
  if (selected.kind !== 'selected') throw new Error(JSON.stringify(selected));
  return selected.sold.map(({ call }) => call);
}

describe('operations that manage the account of the seller', () => {
  test.each([
    'POST /v1/api_keys',
    'GET /orgs/{org}/members',
    'PUT /repos/{owner}/{repo}/actions/secrets/{name}',
    'POST /accessTokens',
    'GET /v1/billing/invoices',
    'POST /hooks',
    'GET /organization/rate_limits',
    'GET /organization/projects',
    'GET /user/repos',
    'GET /v2/me',
    'POST /oauth/token',
    'POST /tokens/revoke',
    'POST /invites/count',
    'POST /invites',
    'POST /quotas',
  ])('are left out: %s', (call) => expect(soldOf(choose([call]))).toEqual([]));

  test.each([
    'POST /messages/count_tokens',
    'POST /responses/input_tokens',
    'POST /tokens/count',
    'POST /v2/token-counts',
    'GET /users/{id}',
    'GET /keywords',
    'GET /organizations/{id}',
    'GET /monkeys',
    'GET /tools/{key}',
  ])('do not include %s', (call) => expect(soldOf(choose([call]))).toEqual([call]));

  test('are sold when they are named, by the call or the beginning of the path', () => {
    const calls = ['POST /hooks', 'GET /hooks/{id}', 'POST /tokens'];
    expect(soldOf(choose(calls, { include: ['POST /hooks'] }))).toEqual(['POST /hooks']);
    expect(soldOf(choose(calls, { include: ['/hooks'] }))).toEqual(['POST /hooks', 'GET /hooks/{id}']);
    expect(choose(calls, { include: ['/hook'] })).toMatchObject({ kind: 'unknown' });
  });
});

test('deprecated operations are sold only when they are named', () => {
  expect(soldOf(choose(['GET /a'], {}, { deprecated: true }))).toEqual([]);
  expect(soldOf(choose(['GET /a'], { include: ['GET /a'] }, { deprecated: true }))).toEqual(['GET /a']);
});

describe('a large description', () => {
  const calls = Array.from(
    { length: unselectedMax + 1 },
    (_, at) => `GET /${at % 2 ? 'odd' : 'even'}/${at} Tag${at % 2}`,
  );

  test('is not sold as a whole by oversight', () => {
    expect(choose(calls)).toEqual({
      kind: 'too_many',
      count: unselectedMax + 1,
      tags: [
        { tag: 'Tag0', count: 21 },
        { tag: 'Tag1', count: 20 },
      ],
    });
    expect(soldOf(choose(calls.slice(1)))).toHaveLength(unselectedMax);
  });

  test('is sold by tag, in any case, or by path, as a whole too', () => {
    expect(soldOf(choose(calls, { tags: ['tag1'] }))).toHaveLength(20);
    expect(soldOf(choose(calls, { paths: ['/even'] }))).toHaveLength(21);
    expect(soldOf(choose(calls, { paths: ['/even/2'] }))).toEqual(['GET /even/2']);
    expect(soldOf(choose(calls, { paths: ['/'] }))).toHaveLength(unselectedMax + 1);
    expect(choose(calls, { paths: ['/even'] })).toMatchObject({ others: 20 });
  });

  test('is refused with what there is when the choice means nothing', () => {
    expect(choose(calls, { tags: ['Tag2'] })).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/no operation has the tag Tag2.*Tag[01]/),
    });
    expect(choose(calls, { paths: ['/ev'] })).toMatchObject({ kind: 'unknown' });
  });
});

describe('the server of an operation', () => {
  const serverOf = (document: Schema.Node, address: string | null = null) =>
    listOperations(document, Schema.reader(document), address).map(({ server }) => server);
  const servers = (url: string, variables = {}) => [{ url, variables }];

  test('is that of the operation before that of its path and that of the description', () => {
    const document = {
      servers: servers('https://api.example.com/v1/'),
      paths: {
        '/a': { get: {} },
        '/b': {
          servers: servers('https://files.example.com'),
          get: {},
          post: { servers: servers('https://up.example.com') },
        },
      },
    };
    expect(serverOf(document)).toEqual([
      'https://api.example.com/v1',
      'https://files.example.com',
      'https://up.example.com',
    ]);
  });

  test('has the defaults of its variables, and the address of the description when it is relative', () => {
    const paths = { '/a': { get: {} } };
    const variables = { region: { default: 'eu' } };
    expect(serverOf({ servers: servers('https://{region}.example.com', variables), paths })).toEqual([
      'https://eu.example.com',
    ]);
    expect(serverOf({ servers: servers('https://{region}.example.com'), paths })).toEqual([null]);
    expect(serverOf({ servers: servers('/v2'), paths }, 'https://example.com/docs/api.json')).toEqual([
      'https://example.com/v2',
    ]);
    expect(serverOf({ servers: servers('/v2'), paths })).toEqual([null]);
  });
});
