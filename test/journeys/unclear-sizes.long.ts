import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as BareHttp from '../support/bare-http.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

/** The shipped catalogue in front of the bundled data API: an operation that gives 10 results by default and 50 at most. */
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(() => shop?.stop());

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=b';
/** A placeholder in a body for the page of a company that has job postings. */
const company = 'COMPANY';
const parts = (...fields: [string, string][]) =>
  `${fields.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`;

const people = '/v2/search/people';
const companyJobs = '/v2/jobs/company';

type Case = [name: string, path: string, body: string, type: string | null, status: number];
const cases: Case[] = [
  ['no size', people, '{}', json, 200],
  ['null', people, '{"max_results":null}', json, 200],
  ['a size', people, '{"max_results":5}', json, 200],
  ['zero', people, '{"max_results":0}', json, 422],
  ['a negative size', people, '{"max_results":-1}', json, 422],
  ['a fraction', people, '{"max_results":2.5}', json, 422],
  ['a text', people, '{"max_results":"5"}', json, 422],
  ['more than there ever is', people, '{"max_results":51}', json, 422],
  ['far more than there ever is', people, '{"max_results":1e99}', json, 422],
  ['the size twice', people, '{"max_results":5,"max_results":5}', json, 200],
  ['the size in another case', people, '{"Max_Results":5}', json, 422],
  ['an escaped name', people, '{"max\\u005fresults":5}', json, 200],
  ['a deeper mention', people, '{"x":{"max_results":5}}', json, 422],
  ['cut JSON', people, '{"max_results":5', json, 400],
  ['no JSON', people, 'max_results=5', json, 400],
  ['nothing', people, '', json, 400],
  ['JSON of `curl -d`', people, '{"max_results":5}', form, 415],
  ['JSON of `curl -d` without a size', people, '{}', form, 415],
  ['JSON as plain text', people, '{"max_results":5}', 'text/plain', 415],
  ['a form where none is taken', people, 'max_results=5', form, 415],
  ['a form in parts where none is taken', people, parts(['max_results', '5']), multipart, 415],
  ['JSON without a type', people, '{"max_results":5}', null, 200],
  ['another charset', people, '{"max_results":5}', 'application/json; charset=utf-16', 200],
  ['a form', companyJobs, 'company_network_url=COMPANY&max_results=5', form, 200],
  ['a form without a size', companyJobs, 'company_network_url=COMPANY', form, 200],
  ['a form with an empty size', companyJobs, 'company_network_url=COMPANY&max_results=', form, 200],
  [
    'a form with the size twice',
    companyJobs,
    'company_network_url=COMPANY&max_results=5&max_results=6',
    form,
    422,
  ],
  ['a form with the size as a list', companyJobs, 'company_network_url=COMPANY&max_results[]=5', form, 200],
  [
    'a form in parts',
    companyJobs,
    parts(['company_network_url', company], ['max_results', '5']),
    multipart,
    200,
  ],
  ['a form in parts without a size', companyJobs, parts(['company_network_url', company]), multipart, 200],
  [
    'JSON under the type of a form',
    companyJobs,
    '{"company_network_url":"COMPANY","max_results":5}',
    form,
    200,
  ],
  ['a text where forms are taken', companyJobs, '{"company_network_url":"COMPANY"}', 'text/plain', 415],
];

describe('a fresh trial is answered as a rich account', () => {
  let url = '';
  beforeAll(async () => {
    const seeker = await Customer.register(shop.url);
    const { body } = await Customer.call(seeker, 'POST', `${shop.url}/v2/jobs/search`, { max_results: 1 });
    url = body.results[0].company_network_url;
  });

  const send = ({ token }: Customer.Customer, path: string, body: string, type: string | null) =>
    BareHttp.send(
      'POST',
      shop.url + path,
      { authorization: `Bearer ${token}`, ...(type !== null && { 'content-type': type }) },
      body.replace(company, type === form && !body.startsWith('{') ? encodeURIComponent(url) : url),
    );
  /** Returns a body without the members that differ from call to call. */
  const gist = ({ status, body }: Customer.Answer) => {
    const { request_id: _, cursor: __, fair_usage: ___, ...said } = body;
    return { status, said };
  };

  test.each(cases)('%s', async (_, path, body, type, status) => {
    const trial = await Customer.register(shop.url);
    const rich = await Customer.register(shop.url);
    await Customer.credit(shop.sql, rich, 100_000_000);
    const [poor, wealthy] = [await send(trial, path, body, type), await send(rich, path, body, type)];
    expect(gist(poor)).toEqual(gist(wealthy));
    expect(poor.status).toBe(status);
    expect(poor.headers.get('storefront-origin')).toBe('upstream');
    if (status !== 200) expect(poor.headers.get('storefront-units')).toBe('0');
    else expect(poor.headers.get('storefront-units')).toBe(String(poor.body.results_length));
  });
});

describe('a size that is clear', () => {
  test('and above what is left is refused in words that help', async () => {
    const trial = await Customer.register(shop.url);
    const answer = await Customer.call(trial, 'POST', shop.url + people, { max_results: 30 });
    expect(answer).toMatchObject({
      status: 402,
      body: {
        code: 'credit_exhausted',
        affordable_units: 25,
        message: expect.stringContaining('fewer results'),
      },
    });
  });
});
