import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describe as describeInterface } from '../src/http/description.ts';
import { operations } from '../src/http/operations.ts';
import type { Operation } from '../src/operation.ts';
import type { Schema } from '../src/schema/schema.ts';
import * as Bodies from './support/arbitrary-bodies.ts';
import * as Described from './support/described-responses.ts';
import * as SampleService from './support/sample-service.ts';

const described = Described.read(JSON.parse(JSON.stringify(describeInterface('http://127.0.0.1'))));
const rightRuns = 80;
const oddRuns = 80;
const pagesMax = 5;

let service: SampleService.SampleService;
let words: string[];
beforeAll(async () => {
  service = await SampleService.start();
  words = Bodies.vocabulary(service.world);
});
afterAll(() => service.close());

/** Values that the operation may still refuse: the schema does not list the time zones. */
const wordsFor = ({ id }: Operation) => (id === 'utils.current_date' ? zones : words);
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC'];

const asking = operations.flatMap((operation) =>
  operation.request ? [{ ...operation, request: operation.request }] : [],
);
const paged = asking.filter(({ request }) => has(request, 'cursor') || has(request, 'page'));

function has(schema: Schema, name: string): boolean {
  return schema.kind === 'object' && name in schema.fields;
}

/** Checks that the response matches the API description, whatever its status. */
function expectAsDescribed(operation: Operation, { status, headers, body }: SampleService.Answer): void {
  expect(status, JSON.stringify(body)).toBeLessThan(500);
  Described.expectValid(described.answer(operation, status), body);
  expect(headers.get('x-request-id')).toMatch(/^req_/);
  if (status !== 200) expect([body.success, 'errors' in body]).toEqual([false, status === 422]);
}

/** Bodies about people or companies that are not in the data set. */
const nobody = {
  company_network_url: 'https://www.network.example/company/nobody-at-all',
  person_network_url: 'https://www.network.example/in/nobody-at-all',
  email: 'nobody@at-all.example',
  phone: '+12065550100',
  domain: 'at-all.example',
};

/** Expected cost of a response: one record per result, or one if something was found. */
function price(body: SampleService.Body): number {
  if ('results' in body) {
    expect(body.results_length).toBe(body.results.length);
    return body.results.length;
  }
  return Number(body.found === true || body.total_employees > 0);
}

/** Sends a request and checks all invariants of responses. `balance` returns the remaining records of the key. */
async function ask(operation: Operation, body: unknown, key: string, balance: { left: number }) {
  const answer = await service.post(operation.path, body, key);
  expectAsDescribed(operation, answer);
  if (answer.status === 200) {
    const used = Number(answer.headers.get('x-records-used'));
    expect(used).toBe(price(answer.body));
    balance.left -= used;
    expect(Number(answer.headers.get('x-records-remaining'))).toBe(balance.left);
    if (!operation.usageOnlyInHeaders) expect(answer.body.fair_usage.records_used).toBe(used);
  }
  return answer;
}

/** The body without null items and without a null body: they mean "not given", and the description does not list them. */
function given({ bodyIsOptional }: Operation, sent: unknown): unknown {
  const withoutNull = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNull);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutNull(inner)]));
  };
  return withoutNull(bodyIsOptional ? (sent ?? {}) : sent);
}

describe.each(asking)('$path', (operation) => {
  it('answers every right request as described, and most of them with something', async () => {
    const key = await service.issue();
    const balance = { left: await service.remaining(key) };
    const started = balance.left;
    await fc.assert(
      fc.asyncProperty(Bodies.right(operation.request, wordsFor(operation)), async (body) => {
        expect(described.request(operation)(body), JSON.stringify(body)).toBe(true);
        const { status } = await ask(operation, body, key, balance);
        expect(status, JSON.stringify(body)).toBe(200);
      }),
      { numRuns: rightRuns, seed: 31 },
    );
    expect(await service.remaining(key)).toBe(balance.left);
    if (operation.cost !== 'Free.') expect(started - balance.left).toBeGreaterThan(rightRuns / 10);
  });

  it('answers every odd request as described, refuses what the description refuses, and charges nothing for it', async () => {
    const key = await service.issue();
    const balance = { left: await service.remaining(key) };
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(Bodies.odd(operation.request, words), async (body) => {
        const sent: unknown = JSON.parse(JSON.stringify(body));
        const { status } = await ask(operation, sent, key, balance);
        seen.add(status);
        // The description says what to send. Null items of lists count as left out, so they are accepted too.
        if (!described.request(operation)(given(operation, sent)))
          expect(status, JSON.stringify(sent)).toBe(422);
      }),
      { numRuns: oddRuns, seed: 32 },
    );
    expect(seen).toEqual(new Set([200, 422]));
    expect(await service.remaining(key)).toBe(balance.left);
  });
});

describe.each(asking.filter(({ request }) => Object.keys(nobody).some((name) => has(request, name))))(
  '$path',
  (operation) => {
    it('answers as described, and for nothing, about somebody who is not there', async () => {
      const asked = Object.entries(nobody).filter(([name]) => has(operation.request, name));
      const balance = { left: await service.remaining() };
      const body = { ...operation.example.request, ...Object.fromEntries(asked) };
      const { status, headers } = await ask(operation, body, service.key, balance);
      expect(status).toBe(200);
      expect(headers.get('x-records-used')).toBe('0');
    });
  },
);

describe.each(paged)('$path', (operation) => {
  it('pages as described, and shows nothing twice', async () => {
    const key = await service.issue();
    const balance = { left: await service.remaining(key) };
    let turned = 0;
    await fc.assert(
      fc.asyncProperty(Bodies.right(operation.request, wordsFor(operation)), async (wanted) => {
        let body = { ...(wanted as object), max_results: 3 };
        const shown: string[] = [];
        for (let page = 1; page <= pagesMax; page++) {
          const answer = await ask(operation, body, key, balance);
          expect(answer.status, JSON.stringify(body)).toBe(200);
          shown.push(...answer.body.results.map(nameOf));
          const next = following(body, answer.body);
          if (next === null) break;
          body = next;
          turned++;
        }
        expect(new Set(shown).size).toBe(shown.length);
      }),
      { numRuns: 25, seed: 33 },
    );
    expect(turned).toBeGreaterThan(10);
    expect(await service.remaining(key)).toBe(balance.left);
  });
});

/** Request for the next page; null if there is none. */
function following(body: object, answer: SampleService.Body) {
  const { page, total_pages, cursor } = answer;
  if (page !== undefined) return page < total_pages ? { ...body, max_results: 3, page: page + 1 } : null;
  return cursor === null ? null : { ...body, max_results: 3, cursor };
}

function nameOf(result: SampleService.Body): string {
  const { network_url, url } = result.company ?? result.person ?? result;
  return network_url ?? url;
}

describe.each(operations)('$method $path', (operation) => {
  const send = (key: string | null, body: string | null) =>
    service.send(operation.path, {
      method: operation.method,
      headers: { ...(key !== null && { 'x-api-key': key }), 'content-type': 'application/json' },
      body: operation.method === 'GET' ? null : body,
    });

  it('refuses as described whom it does not know, and what it cannot read', async () => {
    const refused = [
      await send(null, '{}'),
      await send('sk_short', '{}'),
      await send(`sk_${'a'.repeat(43)}`, '{}'),
      ...(operation.request
        ? [await send(service.key, '{'), await send(service.key, ' '.repeat(1024 * 1024 + 1))]
        : []),
    ];
    const reading = operation.request ? [400, 413] : [];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 404, ...reading]);
    for (const answer of refused) expectAsDescribed(operation, answer);
  });

  it('refuses as described what the plan does not open, what is used up, and what comes too fast', async () => {
    if (!operation.limited) return;
    const poor = await service.issue({ name: 'Poor', requestsPerSecond: 4, recordsPerMonth: 1 });
    const elsewhere = operations.filter(({ path }) => path !== operation.path).map(({ path }) => path);
    const closed = await service.issue(SampleService.unlimited, elsewhere);
    const body = JSON.stringify({
      ...operation.example.request,
      ...(limitable(operation) && { max_results: 1 }),
    });
    const statuses: number[] = [];
    for (const key of [closed, poor, poor, poor, poor, poor]) {
      const answer = await send(key, body);
      expectAsDescribed(operation, answer);
      statuses.push(answer.status);
    }
    const spent = operation.cost === 'Free.' ? 200 : 402;
    expect(statuses).toEqual([402, 200, spent, spent, spent, 429]);
    service.clock.nowMs += 2_000;
  });
});

function limitable({ request }: Operation): boolean {
  return request !== null && has(request, 'max_results');
}

it('refuses as described a path that it does not have', async () => {
  const answer = await service.send('/nothing', {});
  expect(answer.status).toBe(404);
  Described.expectValid(described.error, answer.body);
});

it('says of a key what is described, whatever its plan', async () => {
  const keyInfo = operations.find(({ id }) => id === 'account.key_info');
  if (!keyInfo) throw new Error('no such operation');
  const plans = [
    { name: 'Unlimited', requestsPerSecond: 1, recordsPerMonth: null },
    { name: 'Empty', requestsPerSecond: 1, recordsPerMonth: 0 },
  ];
  for (const plan of plans) {
    for (const allowed of [null, [], ['/v2/search/people']]) {
      const answer = await service.keyInfo(await service.issue(plan, allowed));
      expect(answer.status).toBe(200);
      expectAsDescribed(keyInfo, answer);
    }
  }
});
