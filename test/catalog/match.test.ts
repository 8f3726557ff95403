import { operationKey } from '@sluice/kernel/operation-key';
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as Match from '../../src/catalog/match.ts';
import { shop } from './todo.ts';

function found(matcher: Match.Matcher, method: string, path: string): string {
  const match = Match.find(matcher, method, path);
  switch (match.kind) {
    case 'operation':
      return match.operation.id;
    case 'method_not_allowed':
      return `allow ${match.allow.join(', ')}`;
    case 'not_found':
      return 'not found';
  }
}

/** Returns a matcher over the sold operations and the others that the upstream has. */
function selling(calls: string[], besides: string[] = []): Match.Matcher {
  const [model, ...others] = shop().operations;
  if (model === undefined) throw new Error(`a shop without operations, ${others.length}`);
  const operations = calls.map((id) => ({
    ...model,
    id,
    method: id.split(' ')[0] ?? '',
    path: id.split(' ')[1] ?? '',
  }));
  const catalog: Catalog = { ...shop(), operations };
  const paths = [...calls, ...besides].map((call) => {
    const [method = '', path = ''] = call.split(' ');
    return [operationKey(method, path), { method, path, summary: null }] as const;
  });
  return Match.compile(catalog, new Map(paths));
}

const matcher = Match.compile(shop());

test('HEAD calls what is sold for GET, and nothing else', () => {
  const kindOf = (method: string, path: string) => Match.findCall(matcher, method, path).kind;
  expect(kindOf('HEAD', '/v1/todos')).toBe('operation');
  expect(kindOf('HEAD', '/v1/todos/search')).toBe('operation');
  expect(kindOf('DELETE', '/v1/todos')).toBe('method_not_allowed');
  expect(kindOf('HEAD', '/v1/unknown')).toBe('not_found');
});

test('a path calls an operation only when no other one matches it better', () => {
  const [list, one] = shop().operations;
  if (list === undefined || one === undefined) throw new Error('the shop has other operations');
  const own = Match.compile({ ...shop(), operations: [list, one] });
  expect(Match.isCallOf(own, list, list.path)).toBe(true);
  expect(Match.isCallOf(own, one, '/v1/todos/7')).toBe(true);
  expect(Match.isCallOf(own, one, list.path)).toBe(false);
  expect(Match.isCallOf(own, one, '/v1/unknown')).toBe(false);
});

describe('finds', () => {
  test.each([
    ['GET', '/v1/todos', 'GET /v1/todos'],
    ['GET', '/v1/todos/17', 'GET /v1/todos/{id}'],
    ['PUT', '/v1/todos/17', 'PUT /v1/todos/{id}'],
    ['GET', '/v1/todos/a%20b', 'GET /v1/todos/{id}'],
    ['GET', '/v1/todos/caf%C3%A9', 'GET /v1/todos/{id}'],
    ['GET', '/v1/todos/%FF', 'GET /v1/todos/{id}'],
    ['GET', '/v1/todos/...a', 'GET /v1/todos/{id}'],
    ['POST', '/v1/todos/search', 'POST /v1/todos/search'],
  ])('%s %s', (method, path, id) => expect(found(matcher, method, path)).toBe(id));

  test('the fixed path before the template that would take it too', () => {
    const both = selling(['GET /a/{x}', 'GET /a/mine']);
    expect(found(both, 'GET', '/a/mine')).toBe('GET /a/mine');
    expect(found(both, 'GET', '/a/yours')).toBe('GET /a/{x}');
  });

  test('text beside parameters, with values that an upstream cannot read in another way', () => {
    const selling1 = selling(['GET /a/{x}.json', 'GET /a/{x}', 'GET /b/{lat},{lng}', 'GET /c/v{n}']);
    expect(found(selling1, 'GET', '/a/acme.com.json')).toBe('GET /a/{x}.json');
    expect(found(selling1, 'GET', '/a/acme.com')).toBe('GET /a/{x}');
    expect(found(selling1, 'GET', '/b/1.5,-2')).toBe('GET /b/{lat},{lng}');
    expect(found(selling1, 'GET', '/c/v2')).toBe('GET /c/v{n}');
    for (const path of ['/a/x%2F.json', '/a/x;y.json', '/b/1,2,3', '/b/1,', '/c/v', '/c/V2'])
      expect(found(selling1, 'GET', path)).toBe('not found');
  });

  test('the closer of two templates', () => {
    const both = selling(['GET /a/{x}/{y}', 'GET /a/b/{y}']);
    expect(found(both, 'GET', '/a/b/c')).toBe('GET /a/b/{y}');
    expect(found(both, 'GET', '/a/c/c')).toBe('GET /a/{x}/{y}');
  });

  test('an exact path without making anything', () => {
    expect(Match.find(matcher, 'GET', '/v1/todos')).toBe(Match.find(matcher, 'GET', '/v1/todos'));
  });
});

describe('allows other methods', () => {
  test.each([
    ['PATCH', '/v1/todos/17', 'allow GET, PUT, DELETE'],
    ['GET', '/v1/account/key-info', 'GET /v1/account/key-info'],
    ['POST', '/v1/account/key-info', 'allow GET'],
    ['get', '/v1/todos', 'allow GET'],
    ['HEAD', '/v1/todos', 'allow GET'],
    ['__proto__', '/v1/todos', 'allow GET'],
  ])('%s %s', (method, path, result) => expect(found(matcher, method, path)).toBe(result));
});

describe('does not find', () => {
  test.each(
    Object.entries({
      'what nobody sells': '/v1/lists',
      'a longer path': '/v1/todos/17/items',
      'an empty segment': '/v1/todos/',
      'two slashes': '/v1//todos',
      'two slashes at the start': '//v1/todos/17',
      'two slashes at the end': '/v1/todos//',
      'an encoded slash': '/v1/todos/a%2Fb',
      'an encoded slash in lower case': '/v1/todos/a%2fb',
      'a twice encoded slash': '/v1/todos/a%252Fb',
      'a dot segment': '/v1/todos/.',
      'two dots': '/v1/todos/..',
      'two dots on the way': '/v1/x/../todos/17',
      'encoded dots': '/v1/todos/%2e%2E',
      'half encoded dots': '/v1/todos/.%2e',
      'dots with a parameter': '/v1/todos/..;x=1',
      'a backslash': '/v1/todos/a\\b',
      'an encoded backslash': '/v1/todos/a%5Cb',
      'a line feed': '/v1/todos/a\nb',
      'an encoded line feed': '/v1/todos/a%0Ab',
      'an encoded null': '/v1/todos/%00',
      'a delete character': '/v1/todos/%7F',
      'a space': '/v1/todos/a b',
      'a letter outside ASCII': '/v1/todos/é',
      'an overlong slash': '/v1/todos/a%C0%AFb',
      'nothing but a parameter': '/v1/todos/;x=1',
      'half an escape': '/v1/todos/%4',
      'the absolute form': 'http://example.com/v1/todos',
      'an asterisk': '*',
      nothing: '',
      'no slash': 'v1/todos',
      'a query': '/v1/todos?x=1',
      'a query on a template': '/v1/todos/17?x=1',
      'a fragment': '/v1/todos/17#x',
      'another case': '/V1/todos',
      'another case of a template': '/V1/todos/17',
      'an escaped letter of the path': '/v1/%74odos/17',
    }),
  )('%s', (_, path) => {
    for (const method of ['GET', 'PUT', 'PATCH']) expect(found(matcher, method, path)).toBe('not found');
  });

  test('by a cheap template what an exact path sells dearly, in any spelling', () => {
    const both = selling(['GET /a/{x}', 'GET /a/dear']);
    for (const path of ['/a/DEAR', '/a/d%65ar', '/a/dear;v=1', '/a/dear;{', '/a/dear%3Bv', '/a/%44ear']) {
      expect(found(both, 'GET', path)).toBe('not found');
    }
  });

  test('by a template what the upstream has and the shop does not sell', () => {
    const users = selling(
      ['GET /users/{id}'],
      ['GET /users/me', 'GET /users/{id}.csv', 'POST /users/import'],
    );
    for (const path of ['/users/me', '/users/Me', '/users/m%65', '/users/17.csv']) {
      expect(found(users, 'GET', path)).toBe('not found');
    }
    expect(found(users, 'GET', '/users/17')).toBe('GET /users/{id}');
    expect(found(users, 'GET', '/users/import')).toBe('GET /users/{id}');
  });

  test('what two templates of the upstream could both mean', () => {
    const unsold = selling(['GET /a/{x}'], ['GET /{y}/b']);
    expect(found(unsold, 'GET', '/a/b')).toBe('not found');
    expect(found(unsold, 'GET', '/a/c')).toBe('GET /a/{x}');
  });

  test('nothing less because of a wider template that is not sold', () => {
    const narrow = selling(['GET /a/b/{x}'], ['GET /a/{y}/{z}']);
    expect(found(narrow, 'GET', '/a/b/c')).toBe('GET /a/b/{x}');
    expect(found(narrow, 'GET', '/a/c/c')).toBe('not found');
  });
});
