import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import * as Client from 'sluice-client';
import { Sluice } from 'sluice-client';
import * as SuiteCase from './suite-case.ts';

const base = { api_key: 'sk_secret', base_url: 'https://api.test' };

/** A service that gives pages `aaa`, `bbb`, ... of two items each, and what it was asked. */
function pages(count: number) {
  const sent: unknown[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)));
    const n = sent.length;
    return Response.json({
      results: [{ n: 2 * n - 1 }, { n: 2 * n }],
      cursor: n < count ? `cursor-${n}` : null,
    });
  };
  return { sent, fetch: fetch as typeof globalThis.fetch };
}

function answers(...replies: (() => Response)[]) {
  let count = 0;
  const fetch = async () => (replies[count++] ?? replies.at(-1))?.() as Response;
  return { fetch: fetch as typeof globalThis.fetch, count: () => count };
}

describe('a list', () => {
  it('sends nothing until it is wanted', async () => {
    const { sent, fetch } = pages(3);
    const list = new Sluice({ ...base, fetch }).search.people();
    await Promise.resolve();
    assert.equal(sent.length, 0);
    await list;
    assert.equal(sent.length, 1);
  });

  it('asks for its first page once, awaited, iterated and collected', async () => {
    const { sent, fetch } = pages(2);
    const list = new Sluice({ ...base, fetch }).search.people();
    assert.equal((await list).results.length, 2);
    assert.equal(await list, await list);
    assert.equal((await list.collect({ max_items: 2 })).length, 2);
    assert.equal(sent.length, 1);
    let seen = 0;
    for await (const _ of list) seen += 1;
    assert.equal(seen, 4);
    assert.equal(sent.length, 2);
  });

  it('pays for as many items as are collected', async () => {
    const { sent, fetch } = pages(9);
    const sluice = new Sluice({ ...base, fetch });
    assert.equal((await sluice.search.people({ max_results: 10 }).collect({ max_items: 1 })).length, 1);
    assert.equal((await sluice.search.people().collect({ max_items: 5 })).length, 5);
    assert.deepEqual(
      sent.map((body) => (body as { max_results: number }).max_results),
      [1, 5, 3, 1],
    );
  });

  it('pays once for items that are collected twice', async () => {
    const { sent, fetch } = pages(9);
    const list = new Sluice({ ...base, fetch }).search.people();
    const items = await list.collect({ max_items: 2 });
    assert.deepEqual(await list.collect({ max_items: 2 }), items);
    assert.equal((await list).results.length, 2);
    assert.equal(sent.length, 1);
  });

  it('asks again for a first page that failed', async () => {
    const replies = [new Response('{}', { status: 404 }), Response.json({ results: [{}], cursor: null })];
    const { fetch } = answers(...replies.map((reply) => () => reply));
    const list = new Sluice({ ...base, fetch }).search.people();
    await assert.rejects(list.collect({ max_items: 1 }), Client.NotFoundError);
    assert.equal((await list.collect({ max_items: 1 })).length, 1);
  });

  it('gives what was paid for when a page is refused', async () => {
    const { fetch: give } = pages(9);
    let count = 0;
    const refuse = async () => Response.json({ code: 'plan_required' }, { status: 403 });
    const fetch = ((...args: Parameters<typeof give>) =>
      ++count > 2 ? refuse() : give(...args)) as typeof give;
    const sluice = new Sluice({ ...base, fetch });
    await assert.rejects(sluice.search.people().collect(), (fault) => {
      assert.ok(fault instanceof Client.PlanRequiredError);
      assert.equal(fault.partial?.items.length, 4);
      assert.equal(fault.partial?.cursor, 'cursor-2');
      return true;
    });
  });

  it('asks for no page after a loop is left', async () => {
    const { sent, fetch } = pages(9);
    for await (const { full_name: _ } of new Sluice({ ...base, fetch }).search.people()) break;
    assert.equal(sent.length, 1);
  });

  it('sends nothing for no items and no pages', async () => {
    const { sent, fetch } = pages(9);
    const list = new Sluice({ ...base, fetch }).search.people();
    assert.deepEqual(await list.collect({ max_items: 0 }), []);
    for await (const _ of list.iter_pages({ max_pages: 0 })) assert.fail();
    assert.equal(sent.length, 0);
  });

  it('does not change what the caller passed', async () => {
    const fields = Object.freeze({ max_results: 2 });
    await new Sluice({ ...base, fetch: pages(3).fetch }).search.people(fields).collect();
    assert.deepEqual(fields, { max_results: 2 });
  });

  it('asks for what it was made for, whatever becomes of the fields', async () => {
    const { sent, fetch } = pages(2);
    const fields = { max_results: 2 };
    const list = new Sluice({ ...base, fetch }).search.people(fields);
    fields.max_results = 50;
    await list.collect();
    assert.deepEqual(sent, [{ max_results: 2 }, { max_results: 2, cursor: 'cursor-1' }]);
  });

  it('is a promise for who only catches', async () => {
    const { fetch } = answers(() => new Response('{}', { status: 404 }));
    const list = () => new Sluice({ ...base, fetch }).search.people();
    assert.equal(await list().catch(({ name }) => name), 'NotFoundError');
    let isOver = false;
    await assert.rejects(
      list().finally(() => {
        isOver = true;
      }),
    );
    assert.ok(isOver);
  });
});

describe('an abort', () => {
  const busy = () => Response.json({ message: 'Slow' }, { status: 429 });

  it('ends a call before it is sent', async () => {
    const { fetch, count } = answers(busy);
    const signal = AbortSignal.abort(new Error('changed my mind'));
    await assert.rejects(new Sluice({ ...base, fetch }).account.key_info({ signal }), /changed my mind/);
    assert.equal(count(), 0);
  });

  it('ends the wait for a retry at once', async () => {
    const { fetch, count } = answers(busy);
    const controller = new AbortController();
    const call = new Sluice({ ...base, fetch }).account.key_info({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('changed my mind')), 20);
    await assert.rejects(call, /changed my mind/);
    assert.equal(count(), 1);
  });

  it('ends the wait for the rate limit at once', async () => {
    const { fetch, count } = answers(() => Response.json({ valid: true }));
    const sluice = new Sluice({ ...base, fetch, rate_limit_rps: 0.001 });
    await sluice.account.key_info();
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('changed my mind')), 20);
    await assert.rejects(sluice.account.key_info({ signal: controller.signal }), /changed my mind/);
    assert.equal(count(), 1);
  });

  it('ends a request under way, and is not mistaken for a lost connection', async () => {
    const fetch = (async (_: unknown, init?: RequestInit) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      })) as typeof globalThis.fetch;
    const controller = new AbortController();
    const person = { person_network_url: 'https://www.network.example/in/ada' };
    const call = new Sluice({ ...base, fetch }).enrichment.email(person, { signal: controller.signal });
    const reason = new Error('changed my mind');
    setTimeout(() => controller.abort(reason), 20);
    await assert.rejects(call, (fault) => fault === reason);
  });
});

describe('many calls at once', () => {
  it('start no faster than the rate, and all of them', async () => {
    let now = 0;
    const timers: { at: number; wake: () => void }[] = [];
    const clock = {
      now: () => now,
      sleep: (ms: number) => new Promise<void>((wake) => void timers.push({ at: now + ms, wake })),
    };
    const starts: number[] = [];
    const fetch = (async () => {
      starts.push(now);
      return Response.json({ valid: true });
    }) as typeof globalThis.fetch;
    const sluice = new Sluice({ ...base, fetch, clock, rate_limit_rps: 3 });
    const calls = Promise.all(Array.from({ length: 8 }, () => sluice.account.key_info()));
    while (starts.length < 8) {
      await new Promise(setImmediate);
      timers.sort((a, b) => a.at - b.at);
      const next = timers.shift();
      if (next) {
        now = Math.max(now, next.at);
        next.wake();
      }
    }
    await calls;
    assert.deepEqual(starts, [0, 0, 0, 1000, 1000, 1000, 2000, 2000]);
  });

  it('keep a rate although the clock is set back', async () => {
    let now = 3_600_000;
    const slept: number[] = [];
    const clock = {
      now: () => now,
      sleep: async (ms: number) => {
        slept.push(ms);
        now += ms;
      },
    };
    const { fetch } = answers(() => Response.json({ valid: true }));
    const sluice = new Sluice({ ...base, fetch, clock, rate_limit_rps: 1 });
    await sluice.account.key_info();
    now = 0;
    await sluice.account.key_info();
    await sluice.account.key_info();
    assert.deepEqual(slept, [1000]);
  });
});

describe('a client', () => {
  it('does not show its credential', async () => {
    const sluice = new Sluice({ ...base, fetch: answers(() => new Response('{}', { status: 401 })).fetch });
    assert.doesNotMatch(inspect(sluice, { depth: 9, showHidden: true }), /sk_secret/);
    assert.doesNotMatch(JSON.stringify(sluice), /sk_secret/);
    const fault = await sluice.account.key_info().catch((caught) => caught);
    assert.doesNotMatch(inspect(fault, { depth: 9, showHidden: true }), /sk_secret/);
  });

  it('takes the fetch of the runtime at the time of the call', async () => {
    const { fetch } = globalThis;
    const sluice = new Sluice(base);
    try {
      globalThis.fetch = async () => Response.json({ valid: true });
      assert.deepEqual(await sluice.account.key_info(), { valid: true });
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('waits thirty seconds for an answer unless it is told otherwise', async () => {
    const fetch = async () => {
      throw new DOMException('', 'TimeoutError');
    };
    const { enrichment } = new Sluice({ ...base, fetch });
    const person = { person_network_url: 'https://www.network.example/in/ada' };
    await assert.rejects(enrichment.email(person), / within 30 s$/);
    await assert.rejects(enrichment.email(person, { timeout: 1.5 }), / within 1.5 s$/);
  });

  it('says its version', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const source = readFileSync(new URL('../dist/version.js', import.meta.url), 'utf8');
    assert.ok(source.includes(`'${version}'`));
  });

  it('has the operations of the description and no others', () => {
    const sluice = new Sluice(base);
    const methods = (of: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(of)).slice(1);
    const account = SuiteCase.all().find(({ file }) => file === 'account.json');
    const tried = account?.cases.flatMap(({ steps = [] }) => steps.map(({ call }) => call));
    const [first, ...own] = methods(sluice.account);
    const others = [...own, ...methods(Object.getPrototypeOf(sluice.account))].filter(
      (name) => !['send', 'read', 'member'].includes(name),
    );
    assert.equal(first, 'key_info');
    assert.deepEqual(new Set(others.map((name) => `account.${name}`)), new Set(tried));
    assert.deepEqual(methods(sluice.search), [
      'people',
      'companies',
      'employee_finder',
      'waterfall_icp',
      'waterfall_icp_real_time',
      'tam_by_jobs',
      'tam_by_people',
    ]);
    assert.deepEqual(methods(sluice.jobs), ['search', 'company']);
    assert.equal(methods(sluice.enrichment).length, 10);
    assert.deepEqual(methods(sluice.utils), ['current_date']);
  });
});

describe('an error', () => {
  it('is of a family', () => {
    const parents = Object.fromEntries(
      Object.values<{ prototype: object }>(Client as never)
        .filter((type) => type === Client.SluiceError || type.prototype instanceof Client.SluiceError)
        .map((type) => [Reflect.get(type.prototype, 'name'), Object.getPrototypeOf(type.prototype).name]),
    );
    assert.deepEqual(parents, {
      SluiceError: 'Error',
      ConfigurationError: 'SluiceError',
      APIConnectionError: 'SluiceError',
      APITimeoutError: 'APIConnectionError',
      ResponseValidationError: 'SluiceError',
      StreamError: 'SluiceError',
      WebhookVerificationError: 'SluiceError',
      APIStatusError: 'SluiceError',
      BadRequestError: 'APIStatusError',
      AuthenticationError: 'APIStatusError',
      InsufficientRecordsError: 'APIStatusError',
      PaymentDeclinedError: 'APIStatusError',
      PlanRequiredError: 'APIStatusError',
      NotFoundError: 'APIStatusError',
      ValidationError: 'APIStatusError',
      RateLimitError: 'APIStatusError',
      ServerError: 'APIStatusError',
    });
  });
});
