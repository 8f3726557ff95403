import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Person from '../purchase/person.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
  expect(await Shop.strays(shop)).toEqual([]);
});
afterAll(() => shop?.stop());

const search = (results: number) => ({ max_results: results });
const at = (path: string) => shop.url + path;
const tam = '/v2/company/tam-by-jobs';

/** Returns the content of `/account`, requested as in the recipe. */
const account = async (customer: Customer.Customer) =>
  (await Customer.call(customer, 'GET', at('/account'))).body;

test('an agent that knows one address ends up with paid results, by what the answers say alone', async () => {
  const wanted = {
    method: 'POST',
    url: at(tam),
    headers: { 'content-type': 'application/json' },
    body: search(10),
  };

  const stranger = await Customer.send(wanted);
  expect(stranger).toMatchObject({ status: 401, body: { success: false, code: 'bearer_required' } });
  const { registration } = stranger.body;
  expect(registration.then.retry).toEqual({ method: wanted.method, url: wanted.url });

  const registered = await Customer.send(registration);
  expect(registered).toMatchObject({
    status: 201,
    body: { plan: { kind: 'trial', included_remaining: 25 } },
  });
  expect(registration.then.take).toBe('/access_token');
  const { header, value } = registration.then.send;
  const bearer = { [header]: value.replace('{access_token}', registered.body.access_token) };
  const call = (request: Customer.Request) =>
    Customer.send({ ...request, headers: { ...request.headers, ...bearer } });

  const first = await call(wanted);
  expect(first.status).toBe(200);
  expect(first.body.results).toHaveLength(10);
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'storefront-plan': 'trial',
    'storefront-units': '10',
    'storefront-cost-usd': '0.000000',
    'storefront-balance-usd': '0.000000',
    'storefront-included-remaining': '15',
    'storefront-origin': 'upstream',
  });
  expect((await call(wanted)).headers.get('storefront-included-remaining')).toBe('5');

  const tooMuch = await call(wanted);
  expect(tooMuch).toMatchObject({ status: 402, body: { code: 'credit_exhausted', affordable_units: 5 } });
  expect((await call({ ...wanted, body: search(tooMuch.body.affordable_units) })).status).toBe(200);
  const usedUp = await call(wanted);
  expect(usedUp).toMatchObject({ status: 403, body: { code: 'plan_required', service: 'tam-by-jobs' } });

  const { purchase } = usedUp.body.plans[0];
  const offer = await call(purchase);
  expect(offer).toMatchObject({
    status: 402,
    body: { code: 'payment_required', purchase: { amount_usd: '0.50' } },
  });
  const thanks = await Customer.pay(offer.body.checkout_url);
  expect(thanks.status).toBe(200);
  expect(thanks.text).toMatch(/0\.50\u00a0USD is\u00a0paid/);

  const paid = await call(wanted);
  expect(paid.status).toBe(200);
  expect(paid.body.results).toEqual(first.body.results);
  // The figures in a response are the caller's, as key information reports them, and never those of the shop's own key.
  expect(paid.body.fair_usage).toEqual({
    records_used: 10,
    records_remaining: 490,
    next_reset_at: null,
    request_id: expect.stringMatching(/^req_/),
    rate_limit: { requests_per_second: 10, remaining_this_second: expect.any(Number) },
  });
  expect(Object.fromEntries(paid.headers)).toMatchObject({
    'storefront-plan': 'credit',
    'storefront-units': '10',
    'storefront-cost-usd': '0.010000',
    'storefront-balance-usd': '0.490000',
  });

  const mine = await call({ method: 'GET', url: at('/account') });
  expect(mine.body).toMatchObject({
    account: registered.body.account,
    balance_usd: '0.49',
    held_usd: '0.00',
    included_remaining: 0,
    plans: [
      { id: 'trial', included_remaining: 0 },
      { id: 'credit', balance_usd: '0.49' },
    ],
  });
  const keyInfo = await call({ method: 'GET', url: at('/v2/account/key-info') });
  expect(keyInfo.body).toMatchObject({
    valid: true,
    records_remaining: 490,
    next_reset_at: null,
    active_plans: [
      { name: 'Trial', status: 'expired' },
      { name: 'Credit', status: 'active' },
    ],
  });
  // The shop sells every operation under the paths of the data API, so that both list the same.
  const { url, key } = shop.upstream;
  const theirs = await Customer.send({
    method: 'GET',
    url: `${url}/v2/account/key-info`,
    headers: { 'x-api-key': key },
  });
  expect(new Set(keyInfo.body.allowed_apis)).toEqual(new Set(theirs.body.allowed_apis));
});

test('the balance is what was paid less a tenth of a cent for each result, to the micro-dollar', async () => {
  const customer = await Customer.register(shop.url);
  const offer = await Customer.call(customer, 'POST', at('/plans/credit/purchase'), { amount_usd: '1.00' });
  await Customer.pay(offer.body.checkout_url);

  let left = 25;
  let balance = 1_000_000;
  for (const [path, body, results] of [
    [tam, search(7), 7],
    [tam, search(11), 11],
    // Seven units of the trial are left, so this call draws on both plans.
    [tam, search(13), 13],
    [tam, { ...search(50), job: { min_per_company: 1_000_000 } }, 0],
    [tam, search(1), 1],
    ['/v2/enrichment/company-distribution-by-country', { nonsense: true }, 0],
    [tam, search(50), 50],
  ] as const) {
    const answer = await Customer.call(customer, 'POST', at(path), body);
    const fromTrial = Math.min(left, results);
    left -= fromTrial;
    const cost = (results - fromTrial) * 1_000;
    balance -= cost;
    expect(answer.headers.get('storefront-units')).toBe(String(results));
    expect(answer.headers.get('storefront-cost-usd')).toBe((cost / 1e6).toFixed(6));
    expect(answer.headers.get('storefront-balance-usd')).toBe((balance / 1e6).toFixed(6));
    expect(answer.headers.get('storefront-included-remaining')).toBe(String(left));
    const plans = [fromTrial > 0 && 'trial', cost > 0 && 'credit'].filter(Boolean);
    expect(answer.headers.get('storefront-plan')).toBe(plans.join(', ') || null);
  }
  expect(await account(customer)).toMatchObject({ balance_usd: '0.943', included_remaining: 0 });
});

test('a live search finds somebody whom the stored profiles lack, and is charged for that person only', async () => {
  const customer = await Customer.register(shop.url);
  const body = {
    company_network_url: 'https://www.network.example/company/northwind-analytics',
    cascade: [{ include_title: ['Chief AI Officer'], location: ['WORLD'] }],
    max_results: 20,
  };
  const stored = await Customer.call(customer, 'POST', at('/v2/search/waterfall-icp-keyword'), body);
  expect(stored.body.results).toEqual([]);
  expect(stored.headers.get('storefront-units')).toBe('0');
  const live = await Customer.call(customer, 'POST', at('/api/search/waterfall-icp-real-time'), body);
  expect(live.body.results[0].experience[0]).toMatchObject({ title: 'Chief AI Officer', is_current: true });
  expect(Object.fromEntries(live.headers)).toMatchObject({
    'storefront-units': '1',
    'storefront-included-remaining': '24',
  });
});

test('who pays without an account has one, and the token on the page after it calls', async () => {
  const offer = await Customer.send({
    method: 'POST',
    url: at('/plans/credit/purchase'),
    headers: { 'content-type': 'application/json' },
    body: {},
  });
  const page = await Customer.pay(offer.body.checkout_url);
  const token = /<pre class="secret one-line" id="token"[^>]*>([^<]+)</.exec(page.text)?.[1] ?? '';
  const answer = await Customer.call({ token }, 'POST', at(tam), search(3));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('storefront-balance-usd')).toBe('0.497000');
});

test('an unpaid page grants nothing, and a page paid once grants once', async () => {
  const customer = await Customer.register(shop.url);
  const offer = await Customer.call(customer, 'POST', at('/plans/credit/purchase'), {});
  const { checkout_url, purchase } = offer.body;
  const page = await Person.open(checkout_url);
  const session = new URL(page).pathname.split('/').at(-1);
  const back = at(`/purchases/${purchase.id}/return?session=${session}`);
  expect((await Customer.send({ method: 'GET', url: back })).status).toBe(202);
  expect((await account(customer)).balance_usd).toBe('0.00');

  await Person.pay(page);
  expect((await Customer.send({ method: 'GET', url: back })).status).toBe(200);
  expect((await Customer.send({ method: 'GET', url: checkout_url })).text).toContain(
    'This purchase is paid.',
  );
  expect((await account(customer)).balance_usd).toBe('0.50');
});

test('credit is added to what is left at any time, and each purchase counts', async () => {
  const customer = await Customer.register(shop.url);
  for (const [amount_usd, balance] of [
    ['0.50', '0.50'],
    ['2.00', '2.50'],
  ]) {
    const offer = await Customer.call(customer, 'POST', at('/plans/credit/purchase'), { amount_usd });
    await Customer.pay(offer.body.checkout_url);
    expect((await account(customer)).balance_usd).toBe(balance);
  }
});
