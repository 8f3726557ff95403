import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPersonData } from '../../src/adapters/postgres/person-data.ts';
import * as Agent from '../purchase/agent.ts';
import * as Person from '../purchase/person.ts';
import * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_billing_section_long';
const details = {
  name: 'Acme & Söhne',
  address: 'Street 1\r\n10115 Berlin',
  country: 'DE',
  tax_id: 'de 123.456-789',
};

let shop: Shop.Shop;
let mailbox: Mailbox.Mailbox;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({ env: { ...Agent.shopEnv, ...mailbox.env, ADMIN_TOKEN: adminToken } });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

const billing = '/shop/account/billing';

/** A browser with a new account; with the address, if any, that it has proved. */
async function visitor(email: string | null = null): Promise<Browser.Browser> {
  const browser = new Browser.Browser(shop.url);
  await browser.open('/shop/start', {});
  if (email === null) return browser;
  await browser.open('/shop/account/claim', { email });
  const [mail] = await mailbox.mailsTo(email);
  const otp = /^ {4}(\d{3} \d{3})$/m.exec(mail?.text ?? '')?.[1] ?? '';
  expect((await browser.open('/shop/account/claim/complete', { otp })).status).toBe(303);
  return browser;
}

async function accountOf(browser: Browser.Browser): Promise<string> {
  return /acc_\w+/.exec((await browser.open('/shop/account/settings')).html)?.[0] ?? '';
}

/** Pays for the form's order as `payer`, and returns to the shop. */
async function pay(browser: Browser.Browser, form: Record<string, string>, payer: string): Promise<void> {
  const onward = await browser.send('/shop/buy', form);
  const link = /href="([^"]+)">Go to the card page/.exec(onward.html)?.[1] ?? '';
  await fetch(await Person.pay(await Person.open(link), undefined, { email: payer }), { redirect: 'manual' });
}

test('the card page of an order has the address of its signed-in buyer, and not for other people with the link', async () => {
  const buyer = await visitor('prefilled@example.com');
  const linkOf = async (browser: Browser.Browser) => {
    const { html } = await browser.send('/shop/buy', { plan: 'credit', amount_usd: '5.00' });
    return new URL(/href="([^"]+)">Go to the card page/.exec(html)?.[1] ?? '').pathname;
  };
  const cardPage = async (browser: Browser.Browser, path: string) => {
    const { headers } = await browser.open(path);
    return (await fetch(headers.get('location') ?? '')).text();
  };
  const email = /<input id="email"[^>]*>/;
  const own = await cardPage(buyer, await linkOf(buyer));
  expect(email.exec(own)?.[0]).toMatch(/value="prefilled@example.com"[^>]*readonly/);
  const strangers = [new Browser.Browser(shop.url), await visitor(), await visitor('friend@example.com')];
  for (const stranger of strangers) {
    const page = await cardPage(stranger, await linkOf(buyer));
    expect(page).not.toContain('prefilled@example.com');
    expect(email.exec(page)?.[0]).toContain('value=""');
  }
  // A page that another browser takes over is another page, without the address.
  const link = await linkOf(buyer);
  await cardPage(buyer, link);
  const taken = await fetch(await Person.takeOver(shop.url + link, new Map()));
  expect(await taken.text()).not.toContain('prefilled@example.com');
});

test('a promotion code is redeemed once; guesses are limited, and the fault is beside the field', async () => {
  const made = await Customer.send({
    ...{ method: 'POST', url: `${shop.url}/admin/promotions` },
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'SPRING', usd: '2.00' }),
  });
  expect(made.status).toBeLessThan(300);
  const browser = await visitor();
  const redeem = (code: string) => browser.open('/shop/account/promotion', { code });
  const both = await Promise.all([redeem(' spring '), redeem('SPRING')]);
  expect(both.map(({ status }) => status).sort()).toEqual([303, 422]);
  const { html } = await browser.open(billing);
  expect(html).toContain(
    'The code SPRING added 2.00 USD of credit to your account. It never expires. Your credit is now 2.00 USD.',
  );
  expect(html).toContain('<dd id="balance">2.00 USD');
  expect((await redeem('SPRING')).html).toMatch(/id="promotion-code-fault">[^<]*already used/);
  for (let guess = 0; guess < 5; guess++) await redeem(`GUESS-${guess}`);
  expect((await redeem('GUESS-6')).html).toMatch(/id="promotion-code-fault">[^<]*Too many/);
});

test('credit of which every part expires is listed with its last day, until a part of it never expires', async () => {
  await promotion('DATED', { days: 30 });
  await promotion('LASTING');
  // The guesses above have used up the tries of the usual address.
  const browser = (await visitor()).withAddress('203.0.113.9');
  const row = async () => {
    const { html } = await browser.open(billing);
    return /<tr>(?:(?!<\/tr>).)*[24]\.00 USD.*?<\/tr>/s.exec(html)?.[0];
  };
  await browser.open('/shop/account/promotion', { code: 'DATED' });
  expect(await row()).toMatch(/expires \d+ \w+ \d{4}/);
  await browser.open('/shop/account/promotion', { code: 'LASTING' });
  expect(await row()).toMatch(/4\.00 USD.*never expires/s);
});

test('credit is bought from billing; a wrong amount keeps the form, and Enter buys what was typed', async () => {
  const browser = await visitor();
  const refused = await browser.open('/shop/account/credit', { plan: 'credit', amount_usd: '0.1' });
  expect(refused.status).toBe(422);
  expect(refused.html).toMatch(/value="0\.1" aria-invalid="true" aria-describedby="credit-amount_usd-fault"/);
  const bought = await browser.open('/shop/account/credit', { plan: 'credit', amount_usd: '20.00' });
  expect(bought.headers.get('location')).toMatch(/^\/shop\/buy\/pur_/);
  expect((await browser.open('/shop/account/credit', { plan: 'start', amount_usd: '5.00' })).status).toBe(
    422,
  );
});

test('billing details are on the receipts of their account, and nobody else reads them', async () => {
  const browser = await visitor();
  const half = await browser.open('/shop/account/details', { ...details, country: 'XX', tax_id: '!' });
  expect(half.status).toBe(422);
  for (const field of ['country', 'tax_id']) expect(half.html).toContain(`id="details-${field}-fault"`);
  for (let twice = 0; twice < 2; twice++) await browser.open('/shop/account/details', details);
  await pay(browser, { plan: 'credit', amount_usd: '5.00' }, 'payer@example.com');
  await expect.poll(async () => (await browser.open(billing)).html).toContain('/receipts/');
  const [, path = ''] = /href="[^"]*(\/receipts\/[^"]+)"/.exec((await browser.open(billing)).html) ?? [];
  const own = (await browser.open(path)).html;
  for (const line of ['Acme &amp; Söhne', '10115 Berlin', 'Germany', 'DE123456789'])
    expect(own).toContain(line);
  for (const other of [new Browser.Browser(shop.url), await visitor()])
    expect((await other.open(path)).html).not.toContain('Acme');
  await browser.open('/shop/account/details', { name: '', address: '', country: 'DE', tax_id: '' });
  expect((await browser.open(path)).html).not.toContain('Acme');
});

test('the card page has the address of the person who is signed in, and no address in another browser', async () => {
  const own = await visitor('known@example.com');
  const onward = await own.send('/shop/buy', { plan: 'credit', amount_usd: '5.00' });
  const link = /href="([^"]+)">Go to the card page/.exec(onward.html)?.[1] ?? '';
  const opened = await own.open(new URL(link).pathname);
  const page = await (await fetch(opened.headers.get('location') ?? '')).text();
  expect(page).toContain('value="known@example.com"');
  const second = await own.send('/shop/buy', { plan: 'credit', amount_usd: '5.00' });
  const shared = /href="([^"]+)">Go to the card page/.exec(second.html)?.[1] ?? '';
  expect(await (await fetch(await Person.open(shared))).text()).not.toContain('known@example.com');
});

test('the portal opens for the person who pays, and shows nothing of another payer', async () => {
  const email = 'owner@example.com';
  const own = await visitor(email);
  await pay(own, { plan: 'start' }, 'Owner@example.com');
  await expect.poll(async () => (await own.open(billing)).html).toContain('Visa ending in 4242');
  const [, link = ''] = /href="(\/shop\/account\/portal[^"]+)"/.exec((await own.open(billing)).html) ?? [];
  const opened = await own.open(link);
  expect([opened.status, opened.headers.get('location')]).toEqual([
    303,
    expect.stringContaining('/c/portal/'),
  ]);
  expect((await (await visitor()).open(link)).status).toBe(422);
  expect((await new Browser.Browser(shop.url).open(link)).status).toBe(401);

  const unsaved = await visitor();
  for (const other of [unsaved, await visitor('agent@example.com')]) {
    await pay(other, { plan: 'start' }, 'human@example.com');
    await expect
      .poll(async () => (await other.open(billing)).html)
      .toContain(other === unsaved ? 'hidden until you add your email' : 'card of another email address');
    const { html } = await other.open(billing);
    expect(html).not.toMatch(/ 4242|\/shop\/account\/portal|human@example\.com/);
    const [, id = ''] = /name="subscription" value="([^"]+)"/.exec(html) ?? [];
    expect((await other.open(`/shop/account/portal?subscription=${id}`)).status).toBe(422);
  }
});

test('usage is filtered by key, service and model, in the chart, the list and the file alike', async () => {
  const browser = await visitor();
  const keyOf = async (name: string) => {
    const { html } = await browser.send('/shop/account/keys', { name, budget_usd: '', days: '' });
    return /slk_[\w-]{43}/.exec(html)?.[0] ?? '';
  };
  const [one, two] = [await keyOf('one'), await keyOf('two')];
  const call = (token: string, max_results: number) =>
    Customer.call({ token }, 'POST', `${shop.url}/v2/search/people`, { max_results });
  expect((await call(one, 3)).status).toBe(200);
  expect((await call(two, 2)).status).toBe(200);
  const usage = async (query: string) => (await browser.open(`/shop/account/usage?${query}`)).html;
  const ids = [...(await usage('')).matchAll(/<option value="(key_\w+)"/g)].map(([, id]) => id);
  expect(ids).toHaveLength(2);
  const total = (html: string) => /Total: ([^<]+)</.exec(html)?.[1];
  expect(total(await usage(''))).toBe('5 results');
  const each = await Promise.all(ids.map((id) => usage(`key=${id}`)));
  expect(each.map(total).sort()).toEqual(['2 results', '3 results']);
  expect(await usage('key=(none)')).toContain('No calls');
  expect(await usage('service=none')).toContain('No calls');
  const files = await Promise.all(ids.map((id) => browser.open(`/shop/account/calls.csv?key=${id}`)));
  expect(files.map(({ html }) => html.trim().split('\r\n').length)).toEqual([2, 2]);
  for (const range of [
    'from=2030-01-01&to=2029-01-01',
    'from=2020-01-01',
    'from=soon',
    `key=${'x'.repeat(9_000)}`,
  ])
    expect((await browser.open(`/shop/account/usage?${range}`)).status).toBe(200);
  // All was included: no chart of nothing, and the choice stays open.
  const charged = await usage('by=key&show=cost');
  expect(charged).toContain('<p>Nothing was charged: your plans included 5 results.</p>');
  expect(charged).not.toContain('class="chart"');
  expect(charged).toMatch(/<details open=""><summary>Filters/);
  expect(await usage('')).toMatch(/class="chart(?!.*<details open="")/s);
  // A key of another account selects nothing here.
  expect((await (await visitor()).open(`/shop/account/usage?key=${ids[0]}`)).html).toContain('No calls');
});

test('what ends something asks first, and names only what is the visitor’s own', async () => {
  const [own, other] = [await visitor(), await visitor()];
  await own.send('/shop/account/keys', { name: 'job', budget_usd: '', days: '' });
  const [, key = ''] = /name="key" value="([^"]+)"/.exec((await own.open('/shop/account/keys')).html) ?? [];
  expect((await own.send('/shop/account/keys/end', { key })).html).toContain('Revoke the key job?');
  expect((await own.open('/shop/account/keys')).html).toContain(key);
  const foreign = await other.open(`/shop/account/keys/end?id=${key}`);
  expect([foreign.status, foreign.headers.get('location')]).toEqual([303, '/shop/account/keys']);
  expect((await other.open('/shop/account/keys/end', { key, confirm: 'yes' })).status).toBe(422);
  expect((await own.open('/shop/account/top-up/end', {})).headers.get('location')).toBe(
    '/shop/account/top-up/end',
  );
});

test('billing details are exported, follow a join, and are erased', async () => {
  const email = 'erased@example.com';
  const first = await visitor(email);
  const second = await visitor();
  await second.open('/shop/account/details', details);
  await second.open('/shop/account/claim', { email });
  const mails = (await mailbox.mailsTo(email)).map(({ text }) => /^ {4}(\d{3} \d{3})$/m.exec(text)?.[1]);
  await second.open('/shop/account/claim/complete', {
    otp: mails.findLast((otp) => otp !== undefined) ?? '',
  });
  expect((await first.open(billing)).html).toContain('Acme');
  const account = await accountOf(first);
  const exported = JSON.stringify(await openPersonData(shop.sql).read(account));
  expect(exported).toContain('DE123456789');
  await shop.sql`SELECT * FROM shop.erase_account(${account}, true, NULL, 'test')`;
  expect(await shop.sql`SELECT FROM shop.billing_details WHERE account_id = ${account}`).toHaveLength(0);
});

test('too many codes: the page says until when, and which address still has a code that works', async () => {
  const browser = await visitor();
  let sent = 0;
  let refused = await browser.send('/shop/account/claim', { email: `many${sent}@example.com` });
  for (; refused.status === 200 && sent < 20; ) {
    sent += 1;
    refused = await browser.send('/shop/account/claim', { email: `many${sent}@example.com` });
  }
  expect(refused.status).toBe(422);
  expect(refused.html).toMatch(/another one from \d\d? \w+ \d{4}, \d\d:\d\d \(UTC\)/);
  const last = `many${sent - 1}@example.com`;
  expect(refused.html).toContain(`The code that we sent to ${last} still works.`);
  const otp = /^ {4}(\d{3} \d{3})$/m.exec((await mailbox.mailsTo(last))[0]?.text ?? '')?.[1] ?? '';
  expect((await browser.open('/shop/account/claim/complete', { otp })).status).toBe(303);
});

/** Creates a promotion code for 2.00 USD. */
async function promotion(code: string, more: object = {}): Promise<void> {
  const { status } = await Customer.send({
    ...{ method: 'POST', url: `${shop.url}/admin/promotions` },
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ code, usd: '2.00', ...more }),
  });
  expect(status).toBeLessThan(300);
}

const fromAddress = (address: string) => new Browser.Browser(shop.url).withAddress(address);

test('a code beside a plan shows its credit before the payment, and once for a form that is sent twice', async () => {
  await promotion('PLANCARD');
  for (const form of [{ plan: 'credit', amount_usd: '5.00' }, { plan: 'start' }]) {
    const browser = fromAddress('203.0.113.1');
    const bought = await browser.open('/shop/buy', { ...form, code: ' plancard ' });
    expect([bought.status, bought.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/shop\/buy\/pur_/),
    ]);
    const review = await browser.open(bought.headers.get('location') ?? '');
    for (const line of [
      'Review your purchase',
      '2.00 USD of credit to your account',
      form.plan === 'start' ? '99.00 USD' : '5.00 USD',
    ])
      expect(review.html).toContain(line);
    expect(review.headers.get('refresh')).toBeNull();
    expect(review.html).toMatch(/href="[^"]*\/checkout\/pur_\w+">Continue to the card page/);
    // The credit is in the account before anything is paid.
    expect((await browser.open(billing)).html).toContain('<dd id="balance">2.00 USD');
    const again = await browser.send('/shop/buy', { ...form, code: 'PLANCARD' });
    expect(again.html).toContain('already used this code');
    expect((await browser.open(billing)).html).toContain('<dd id="balance">2.00 USD');
  }
});

test('a refused code says why beside its field and is kept, as is the amount; nothing is ordered', async () => {
  await promotion('CLAIMED', { claimed_only: true });
  const browser = fromAddress('203.0.113.2');
  const orders = async () => (await shop.sql`SELECT 1 FROM shop.purchase`).length;
  const before = await orders();
  const wrong = await browser.open('/shop/buy', { plan: 'credit', amount_usd: '7.50', code: 'no<pe' });
  expect(wrong.status).toBe(422);
  expect(wrong.html).toMatch(/name="amount_usd"[^>]*value="7\.50"/);
  expect(wrong.html).toMatch(/id="code-credit"[^>]*value="no&lt;pe" aria-invalid="true"/);
  expect(wrong.html).toMatch(/id="code-credit-fault" role="alert">This code does not exist/);
  const unclaimed = await browser.open('/shop/buy', { plan: 'start', code: 'CLAIMED' });
  expect(unclaimed.html).toMatch(/id="code-start-fault" role="alert">[^<]*email/);
  // A wrong amount redeems no code, and keeps it.
  await promotion('KEPT');
  const amount = await browser.open('/shop/buy', { plan: 'credit', amount_usd: '0.10', code: 'KEPT' });
  expect(amount.html).toMatch(/id="amount-fault"/);
  expect(amount.html).toMatch(/id="code-credit"[^>]*value="KEPT"/);
  expect((await browser.open(billing)).html).toContain('<dd id="balance">0.00 USD');
  expect(await orders()).toBe(before);
});

test('guesses beside a plan are limited by address, whatever account they come with', async () => {
  await promotion('SECRET-CODE');
  const guess = (browser: Browser.Browser, code: string) =>
    browser.open('/shop/buy', { plan: 'credit', amount_usd: '5.00', code });
  const first = fromAddress('203.0.113.3');
  for (let tries = 0; tries < 5; tries++)
    expect((await guess(first, `GUESS-${tries}`)).html).toContain('This code does not exist');
  const right = await guess(fromAddress('203.0.113.3'), 'SECRET-CODE');
  expect([right.status, right.html.includes('Too many wrong codes')]).toEqual([422, true]);
});

const company = { business: 'Dupont SARL', tax_id: 'FR 12 345678901', country: 'FR', postal_code: '75001' };

test('a company on the card page is on the receipt, and saved for the next purchase', async () => {
  const browser = await visitor();
  const buy = async (more: Record<string, string>) => {
    const onward = await browser.send('/shop/buy', { plan: 'credit', amount_usd: '5.00' });
    const link = /href="([^"]+)">Go to the card page/.exec(onward.html)?.[1] ?? '';
    const page = await Person.open(link);
    return { page, back: () => Person.pay(page, undefined, more) };
  };
  const refused = await Person.submit((await buy({})).page, undefined, { ...company, tax_id: '12' });
  expect([refused.status, (await refused.text()).includes('such as DE123456789')]).toEqual([422, true]);
  await fetch(await (await buy(company)).back(), { redirect: 'manual' });
  const receipts = async () =>
    [...(await browser.open(billing)).html.matchAll(/href="[^"]*(\/receipts\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
  await expect.poll(async () => (await receipts()).length).toBe(1);
  for (const line of ['Dupont SARL', '75001', 'France', 'FR12345678901'])
    expect((await browser.open((await receipts())[0] ?? '')).html).toContain(line);
  // Another company on the next card page does not replace what the account has.
  await fetch(await (await buy({ ...company, business: 'Other SA' })).back(), { redirect: 'manual' });
  await expect.poll(async () => (await receipts()).length).toBe(2);
  for (const path of await receipts()) expect((await browser.open(path)).html).toContain('Dupont SARL');
  // A payment that is read again does not bring back what the account removed.
  await browser.open('/shop/account/details', { name: '', address: '', country: '', tax_id: '' });
  const [row] = await shop.sql<{ id: string; checkout_session: string }[]>`
    SELECT id, checkout_session FROM shop.purchase WHERE account_id = ${await accountOf(browser)} LIMIT 1`;
  await browser.open(`/purchases/${row?.id}/return?session=${row?.checkout_session}`);
  expect((await browser.open((await receipts())[0] ?? '')).html).not.toContain('Dupont');
});

test('the company of another person who pays an agent’s link stays with that person', async () => {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  await fetch(await Person.pay(await Person.open(offer.checkoutUrl), undefined, company));
  await expect
    .poll(async () => (await Customer.call(agent, 'GET', `${shop.url}/account`)).body.balance_usd)
    .toBe('5.00');
  expect(await shop.sql`SELECT FROM shop.billing_details WHERE account_id = ${agent.account}`).toEqual([]);
});

test('a plan that the card processor no longer has is refused in every form, and is no fault', async () => {
  const browser = await visitor('gone@example.com');
  await pay(browser, { plan: 'start' }, 'gone@example.com');
  await expect.poll(async () => (await browser.open(billing)).html).toContain('name="subscription"');
  const account = await accountOf(browser);
  const gone = 'sub_gone';
  const [plan] = await shop.sql<
    { id: string }[]
  >`SELECT id FROM shop.subscription WHERE account_id = ${account}`;
  await shop.sql`UPDATE shop.subscription SET id = ${gone} WHERE account_id = ${account}`;
  const [, subscription = ''] =
    /name="subscription" value="([^"]+)"/.exec((await browser.open(billing)).html) ?? [];
  const forms: Record<string, Record<string, string>> = {
    card: { subscription },
    cancel: { subscription, confirm: 'yes' },
    change: { plan: 'scale', today_usd: '1000.00', price_usd: '1000.00', confirm: 'yes' },
  };
  for (const [path, form] of Object.entries(forms)) {
    const { status, html } = await browser.open(`/shop/account/${path}`, form);
    expect([path, status, html.includes('The card processor no longer has this')]).toEqual([path, 422, true]);
  }
  await shop.sql`UPDATE shop.subscription SET cancel_at_period_end = true WHERE account_id = ${account}`;
  expect((await browser.open('/shop/account/resume', { subscription })).status).toBe(422);
  expect((await browser.open(`/shop/account/portal?subscription=${subscription}`)).status).toBe(422);
  await shop.sql`UPDATE shop.subscription SET id = ${plan?.id ?? ''}, cancel_at_period_end = false WHERE account_id = ${account}`;
});

test('an order that is removed while its card page opens, and one that was removed before, are told as unknown', async () => {
  const offer = await Agent.offer(Agent.at(shop.url), { amount_usd: '5.00' });
  await shop.sql`CREATE FUNCTION removed_order() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN DELETE FROM shop.purchase WHERE id = NEW.id; RETURN NULL; END $$`;
  await shop.sql`CREATE TRIGGER removed BEFORE UPDATE OF page_address ON shop.purchase FOR EACH ROW EXECUTE FUNCTION removed_order()`;
  try {
    const open = () => new Browser.Browser(shop.url).open(`/checkout/${offer.order}`);
    for (const { status, html } of [await open(), await open()])
      expect([status, html.includes('Purchase not found')]).toEqual([404, true]);
    const press = await new Browser.Browser(shop.url).open(`/checkout/${offer.order}`, {});
    expect(press.status).toBe(404);
  } finally {
    await shop.sql`DROP TRIGGER removed ON shop.purchase`;
    await shop.sql`DROP FUNCTION removed_order`;
  }
});

test('a refused amount of auto top-up names the amount added, and no field of the API', async () => {
  const browser = await visitor();
  const terms = { below_usd: '30', amount_usd: '10', monthly_max_usd: '5' };
  const { status, html } = await browser.open('/shop/account/top-up', terms);
  expect(status).toBe(422);
  expect(html).toMatch(/id="top-up-below_usd-fault">Must not be more than the amount added \(10\.00\)/);
  expect(html).toMatch(/id="top-up-monthly_max_usd-fault">Must be at least the amount added \(10\.00\)/);
  expect(html).not.toContain('amount_usd,');
});

test('the page about closing an account names the credit that is lost, and plans only when one renews', async () => {
  const browser = await visitor('closing@example.com');
  const page = async () => (await browser.open('/shop/account/close')).html;
  expect(await page()).not.toMatch(/of credit\. Ask|Cancel your plans first/);
  await pay(browser, { plan: 'credit', amount_usd: '20.00' }, 'closing@example.com');
  await expect.poll(page).toContain('You have 20.00 USD of credit. Ask for its refund');
  await pay(browser, { plan: 'start' }, 'closing@example.com');
  await expect.poll(page).toContain('Cancel your plans first.');
});
