import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import { forPeople, noMoreAccounts } from '../../src/http/fault-page.ts';
import { front } from '../../src/http/pages/shop.ts';
import type { AccountSummary, ShopFacts, TryForm } from '../../src/http/pages/shop-facts.ts';
import { needsPlan } from '../../src/http/pages/try-it.ts';
import { error } from '../../src/http/reply.ts';
import type { Call } from '../../src/http/request-context.ts';
import { english } from '../../src/text/texts.ts';

const [once, dollars, metered] = await Promise.all(
  ['trial-once', 'dollars', 'metered'].map((name) => CatalogFile.load(`test/fixtures/${name}.yaml`)),
);

type Loaded = Awaited<ReturnType<typeof CatalogFile.load>>;

function page(catalog: Loaded | undefined, more: Partial<ShopFacts> = {}, trial: TryForm['trial'] = null) {
  const [operation] = catalog?.operations ?? [];
  if (catalog === undefined || operation === undefined) throw new Error('No operation');
  const request = {
    operation,
    path: operation.path,
    body: '{"max":3}',
    key: 'try_1',
    fields: [],
    typed: null,
  };
  const tried = {
    ...request,
    faults: [],
    answered: [],
    highest: null,
    isRaw: false,
    isChecked: false,
    trial,
  };
  const facts = { catalog, description: new Map(), publicUrl: 'https://shop.example', summary: null, tried };
  return String(front(english, { ...facts, isTrying: false, response: null, ...more }));
}

const summary: AccountSummary = {
  ...{ balance: '0.00', included: 0, includedUsd: '0.05', holdsPlan: true, trial: { left: '0.05 USD' } },
  ...{ isClaimed: false, token: 'token', offers: new Map(), unpaid: null, usableUntil: null },
};

test('a trial that an email address earns is offered before credit', () => {
  const hero = page(once).split('id="plans"')[0] ?? '';
  expect(hero.match(/Get 25 results free/g)).toHaveLength(2);
  expect(hero).toContain('<button formaction="/shop/start">Get 25 results free</button>');
  expect(hero).not.toContain('Buy credit');
});

test('a request that no plan covers names the trial that an email address earns', () => {
  const [operation] = once?.operations ?? [];
  if (operation === undefined) throw new Error('No operation');
  const refused = needsPlan(english, operation, { path: operation.path, body: '{"max":3}' });
  const text = 'Confirm your email for 25 results free, or add credit. Nothing was sent or charged.';
  expect(page(once, {}, refused)).toContain(text);
  const claimed = { ...summary, includedUsd: null, trial: null, isClaimed: true };
  expect(page(once, { summary: claimed }, refused)).toContain('You need credit or a plan for Lists.');
});

test('an account whose plans include dollars sees no results that are used up, and creates a key first', () => {
  const own = page(dollars, { summary });
  expect(own).toContain('Plan usage remaining');
  expect(own).not.toContain('Plan results remaining');
  expect(own).toContain('<a class="button" href="/shop/account/keys">');
  const used = page(dollars, { summary: { ...summary, includedUsd: '0.00' } });
  expect(used).toContain('<a class="button plain" href="/shop/account/keys">');
});

test('a low credit is stated with the units that a plan has left', () => {
  const low = { ...summary, balance: '0.03' };
  expect(page(dollars, { summary: { ...low, included: 0 } })).toContain(
    '0.03 USD of credit left: about 30 results. <a',
  );
  expect(page(dollars, { summary: { ...low, included: 125 } })).toContain(
    '0.03 USD of credit left: about 30 results, besides the 125 results left in your plan. <a',
  );
});

test('an unpaid renewal is paid by the main button, with its amount and the day of the next attempt', () => {
  const unpaid = { amount: Money.ofCents(1_900), nextAttemptMs: Date.UTC(2027, 0, 31) };
  const offers = new Map([['small', { kind: 'unpaid' as const }]]);
  const usableUntil = '2027-02-03T00:00:00Z';
  const own = page(dollars, { summary: { ...summary, offers, unpaid, usableUntil } });
  expect(own).toContain('could not be paid. The card is charged again on 31 Jan 2027.');
  expect(own).toContain('You can use what is left of it until 3 Feb 2027.');
  expect(own).toContain('<a href="/shop/account/billing#plans">Change the card</a>');
  // The card of the plan has the same button.
  const pay = '<a class="button" href="/shop/account/billing#plans">Pay 19.00 USD</a>';
  expect(own.split(pay)).toHaveLength(3);
  expect(page(dollars, { summary: { ...summary, offers, unpaid } })).not.toContain(
    'You can use what is left',
  );
  expect(own).toMatch(
    /<a class="button plain" href="#plans">Add credit<\/a><a class="button plain" href="\/shop\/account\/keys">/,
  );
});

test('prices by meters are stated in words and amounts that people read', () => {
  const text = page(metered)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  const parts = [
    ...[
      'From 0.05 USD per 1M input tokens, plus output tokens',
      'from 0.02 USD per image, plus bytes, seconds, and calls',
      'from 0.015 USD per 1,000 characters',
    ],
    ...[
      'Model (body field model )',
      'Quality (query parameter quality )',
      'Voice (header x-voice )',
      'Searches',
      'Provider price ',
    ],
    'standard Images 0.02 USD per image Bytes 0.10 USD per 1M Seconds 1.00 USD per 1,000 Calls 1.00 USD per 1M',
    'nano-1 0.05 USD per 1M 0.005 USD per 1M 0.40 USD per 1M',
    'large-1 2.50 USD per 1M 3.125 USD per 1M 10.00 USD per 1M',
  ];
  expect(parts.filter((part) => !text.includes(part))).toEqual([]);
  expect(text).not.toMatch(/Searchs|0\.0000/);
});

/** The page that a person gets for a request which is answered by `answer`. */
async function shown(method: string, path: string, answer: (c: Call) => Promise<Response>): Promise<string> {
  const app = new Hono();
  app.all('*', (c) => answer(c as unknown as Call));
  return (await app.request(path, { method, headers: { accept: 'text/html' } })).text();
}

test('a purchase that fails says that nothing was charged, and every page of an outage when to try again', async () => {
  if (once === undefined) throw new Error('No catalogue');
  const shop = { catalog: once, texts: english };
  const failed = (status: number, code: string) => async (c: Call) => {
    const { body } = error(status, code, 'for programs', 'req_1');
    return forPeople(shop, c, Response.json(body, { status }));
  };
  for (const path of ['/shop/buy', '/shop/account/credit']) {
    expect(await shown('POST', path, failed(500, 'internal'))).toContain('Nothing was bought or charged.');
    expect(await shown('POST', path, failed(503, 'unavailable'))).toContain('Nothing was bought or charged.');
    expect(await shown('POST', path, failed(429, 'rate_limited'))).not.toContain('Nothing was bought');
  }
  const page = await shown('GET', '/', failed(500, 'internal'));
  expect(page).toContain('The shop cannot answer right now. Please try again in a minute.');
  // The button that repeats the start page is enough: another one would lead to the same address.
  expect(page).not.toMatch(/for programs|Nothing was bought|Go to the shop/);
  expect(await shown('GET', '/shop/account', failed(500, 'internal'))).toContain('Go to the shop');
});

test('the refusal to open one more account leads to the sign-in page', async () => {
  if (once === undefined) throw new Error('No catalogue');
  const shop = { catalog: once, texts: english };
  const html = await shown('POST', '/shop/start', async (c) => noMoreAccounts(shop, c));
  expect(html).toMatch(/<a class="button" href="\/shop\/account">Sign in<\/a>.*Go to the shop/s);
});
