import { expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import type * as Shop from '../support/shop.ts';
import type * as Network from './network.ts';
import * as Person from './person.ts';
import * as SubscriptionShop from './subscription-shop.ts';

let shop: Shop.Shop;
let network: Network.Network;
SubscriptionShop.openForEachTest((opened) => {
  ({ shop, network } = opened);
});

async function subscribed(plan: string): Promise<Browser> {
  const browser = new Browser(shop.url);
  await browser.open('/shop/start', {});
  const { html } = await browser.send('/shop/buy', { plan });
  const link = /href="([^"]+)">Go to the card page/.exec(html)?.[1] ?? '';
  await fetch(await Person.pay(await Person.open(link)), { redirect: 'manual' });
  return browser;
}
const cards = async (browser: Browser) => (await browser.open('/')).html;
const confirmed = { plan: 'large', confirm: 'yes', price_usd: '9999.00' };
/** The amount of the question about the dearer plan. */
async function todayFor(browser: Browser): Promise<string> {
  const { html } = await browser.open('/shop/account/change?plan=large');
  return /name="today_usd" value="([\d.]+)"/.exec(html)?.[1] ?? '';
}
/** The form that changes to a plan or keeps it, as the page has it. */
function changeForm(html: string, plan: string): Record<string, string> {
  const form = html.split('<form').find((one) => one.includes(`value="${plan}"`) && one.includes('confirm'));
  const fields = [...(form ?? '').matchAll(/name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}
const charges = () => shop.sql`SELECT 1 FROM shop.purchase WHERE state = 'granted'`;

test('a plan card knows the plan: it sells no second one, and an upgrade costs at most what its button says', async () => {
  const browser = await subscribed('small');
  const html = await cards(browser);
  expect(html).toContain('Your plan.');
  expect(html).not.toContain('value="small"><button>Subscribe');
  const today = await todayFor(browser);
  expect(Number(today)).toBeGreaterThan(0);
  const cheat = await browser.send('/shop/account/change', { ...confirmed, today_usd: '0.01' });
  expect([cheat.status, await charges()]).toEqual([422, [expect.anything()]]);
  const done = await browser.send('/shop/account/change', { ...confirmed, today_usd: today });
  const [row] =
    await shop.sql`SELECT amount FROM shop.purchase WHERE state = 'granted' AND plan_id = 'large'`;
  expect(Number(row?.amount)).toBeLessThanOrEqual(Number(today) * 1_000_000);
  const paid = (Number(row?.amount) / 1_000_000).toFixed(2);
  expect(done.html).toMatch(
    new RegExp(`Your plan is now [^<]+\\. ${paid} USD is paid\\. <a href="[^"]+/receipts/`),
  );
  const again = await browser.send('/shop/account/change', { ...confirmed, today_usd: '999.00' });
  expect([again.status, again.html]).toEqual([422, expect.stringContaining('Nothing more was charged.')]);
  expect(await charges()).toHaveLength(2);
});

test('until a renewal is paid, its plan leads to the invoice, and no other plan is offered or charged', async () => {
  const browser = await subscribed('small');
  const today = await todayFor(browser);
  await SubscriptionShop.failRenewal(shop, network);
  const html = await cards(browser);
  expect(html).toContain('The renewal of Small could not be paid. The card is charged again on ');
  const pay = /<a class="button" href="\/shop\/account\/billing#plans">Pay \d+\.\d\d USD<\/a>/g;
  expect(html.match(pay)).toHaveLength(2);
  expect(html).toMatch(/You can use what is left of it until \d+ \w+ \d+\./);
  expect(html).toContain('<a href="/shop/account/billing#plans">Change the card</a>');
  expect(html).toContain('Your plan. Its renewal was not paid.');
  expect(html).toContain('You can change to Large when your renewal is paid.');
  expect(html).not.toContain('>Change to Large<');
  expect((await browser.open('/shop/account/change?plan=large')).status).toBe(303);
  const sent = await browser.send('/shop/account/change', { ...confirmed, today_usd: today });
  expect([sent.status, sent.html]).toEqual([422, expect.stringContaining('Pay the open invoice first.')]);
  expect(await charges()).toHaveLength(1);
});

test('a dearer plan is charged only from the page that says the amount, the card and the next renewal', async () => {
  const browser = await subscribed('small');
  const asked = await browser.send('/shop/account/change', { plan: 'large', today_usd: '999.00' });
  const today = await todayFor(browser);
  const [row] =
    await shop.sql`SELECT to_char((clock_timestamp() + interval '1 month') AT TIME ZONE 'UTC', 'FMDD Mon YYYY') AS day`;
  for (const part of [`Change and pay ${today} USD`, 'Next renewal', `on ${row?.day}`, '>Cancel</a>'])
    expect(asked.html).toContain(part);
  // The results that are left go with the plan, so the page counts them.
  expect(asked.html).toMatch(/Small ends now\. What is left of Small ends with it: 100 results\./);
  expect(asked.html).toContain('<dt>Unused part of Small</dt>');
  expect(await charges()).toHaveLength(1);
  const sent = { ...confirmed, today_usd: today };
  await Promise.all([1, 2, 3].map(() => browser.send('/shop/account/change', sent)));
  expect(await charges()).toHaveLength(2);
  // The plan that was replaced is not listed as one that has nothing left and never expires.
  expect((await browser.open('/shop/account/billing')).html).not.toContain('never expires');
  // A plan that the account has, or that the shop does not sell, has no such question.
  for (const plan of ['large', 'none'])
    expect((await browser.open(`/shop/account/change?plan=${plan}`)).status).toBe(303);
});

test('the receipt of a change lists what the processor charged, and is not called a renewal', async () => {
  const browser = await subscribed('small');
  const today = await todayFor(browser);
  await browser.send('/shop/account/change', { ...confirmed, today_usd: today });
  const [row] =
    await shop.sql`SELECT amount, terms FROM shop.purchase WHERE plan_id = 'large' AND rail = 'invoice'`;
  const { lines, price, replaces } = row?.terms ?? {};
  expect(lines).toEqual([
    { text: null, amount: price },
    { text: expect.stringContaining('Small'), amount: -replaces.credit },
  ]);
  const { html: billing } = await browser.open('/shop/account/billing');
  const { html } = await browser.open(/href="[^"]*(\/receipts\/[^"]+)"/.exec(billing)?.[1] ?? '');
  const usd = (micro: number) => `<dd>${(micro / 1_000_000).toFixed(2)} USD</dd>`;
  expect(html).toMatch(/<dt>Large, \d+ \w+ \d+ to \d+ \w+ \d+<\/dt>/);
  for (const part of [usd(price), '<dt>Unused part of Small</dt>', usd(-replaces.credit), usd(row?.amount)])
    expect(html).toContain(part);
  expect(price - replaces.credit).toBe(Number(row?.amount));
  expect(html).not.toMatch(/renewal|one month/);
});

test('a downgrade asks first, names its plan, day and price, begins later and charges nothing, and can be taken back', async () => {
  const browser = await subscribed('large');
  expect(await cards(browser)).toContain('at the end of the period');
  const [row] =
    await shop.sql`SELECT to_char(period_end AT TIME ZONE 'UTC', 'FMDD Mon YYYY') AS day FROM shop.subscription`;
  const asked = await browser.send('/shop/account/change', { plan: 'small', today_usd: '' });
  expect(asked.html).toContain(`Change to Small on ${row?.day}?`);
  expect(asked.html).toMatch(/<dd>[\d.]+ USD per month, charged from then on/);
  expect(asked.html).toContain('>Keep Large</a>');
  expect(asked.html).toContain('What is left of the plan then expires.');
  expect(await cards(browser)).toContain('at the end of the period');
  const sent = changeForm(asked.html, 'small');
  // The price rose since the question was shown.
  const dearer = await browser.send('/shop/account/change', { ...sent, price_usd: '0.01' });
  expect([dearer.status, dearer.html]).toEqual([422, expect.stringContaining('Nothing was changed.')]);
  expect(dearer.html).not.toContain('then Small');
  // A second press of the button has the same result.
  for (const done of await Promise.all([1, 2].map(() => browser.send('/shop/account/change', sent))))
    expect(done.html).toMatch(new RegExp(`until ${row?.day}, then Small`));
  const again = await browser.send('/shop/account/change', sent);
  expect(again.html).toMatch(new RegExp(`changes to Small on ${row?.day}, for [\\d.]+ USD. You keep Large`));
  expect(again.html).toMatch(new RegExp(`until ${row?.day}, then Small \\([\\d.]+ USD\\)`));
  const html = await cards(browser);
  expect(html).toContain('Your plan from ');
  expect(html).toMatch(/Keep Large for [\d.]+ USD/);
  const keeps = changeForm(html, 'large');
  const risen = await browser.send('/shop/account/change', { ...keeps, price_usd: '0.01' });
  expect([risen.status, risen.html]).toEqual([422, expect.stringContaining('then Small')]);
  const kept = await browser.send('/shop/account/change', keeps);
  expect(kept.html).toContain(`You keep Large. It renews on ${row?.day} for `);
  expect(await cards(browser)).toContain('Your plan.');
  const [, subscription = ''] =
    /name="subscription" value="([^"]+)"/.exec((await browser.open('/shop/account/billing')).html) ?? [];
  await browser.send('/shop/account/cancel', { subscription, confirm: 'yes' });
  expect(await cards(browser)).toContain('>Resume<');
  await browser.send('/shop/account/resume', { subscription });
  expect(await cards(browser)).toContain('Your plan.');
  expect(await charges()).toHaveLength(1);
});

test('leaving an account with money or a plan asks first', async () => {
  const browser = await subscribed('small');
  const asked = await browser.send('/shop/leave', {});
  expect(asked.html).toContain('Its plan keeps renewing');
  expect(await cards(browser)).toContain('Your plan.');
  await browser.send('/shop/leave', { confirm: 'yes' });
  expect(await cards(browser)).not.toContain('Your plan.');
});

test('cancelling asks first, says until when the plan can be used and what is lost, and a reload repeats nothing', async () => {
  const browser = await subscribed('small');
  const [, subscription = ''] =
    /name="subscription" value="([^"]+)"/.exec((await browser.open('/shop/account/billing')).html) ?? [];
  const [row] =
    await shop.sql`SELECT to_char(period_end AT TIME ZONE 'UTC', 'FMDD Mon YYYY') AS day FROM shop.subscription`;
  const asked = await browser.send('/shop/account/cancel', { subscription });
  expect(asked.status).toBe(200);
  for (const part of [`until ${row?.day}`, 'Left now: 100 results', 'Keep the plan', 'class="danger"'])
    expect(asked.html).toContain(part);
  expect(await cards(browser)).toContain('Your plan.');
  const done = await browser.open('/shop/account/cancel', { subscription, confirm: 'yes' });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/shop/account/billing']);
  expect((await browser.open('/shop/account/billing')).html).toContain('and the card is not charged again.');
  expect((await browser.open('/shop/account/billing')).html).not.toContain(
    'and the card is not charged again',
  );
  // There is no question about a subscription that does not renew, or that another account has.
  const over = await browser.open(`/shop/account/cancel?subscription=${subscription}`);
  expect([over.status, over.headers.get('location')]).toEqual([303, '/shop/account/billing']);
  const stranger = new Browser(shop.url);
  await stranger.open('/shop/start', {});
  await browser.send('/shop/account/resume', { subscription });
  expect((await stranger.open(`/shop/account/cancel?subscription=${subscription}`)).status).toBe(303);
});

test('a frozen account keeps being charged for its plan: its pages say so, and it can cancel', async () => {
  const browser = await subscribed('small');
  const [row] =
    await shop.sql`SELECT id, account_id, to_char(period_end AT TIME ZONE 'UTC', 'FMDD Mon YYYY') AS day FROM shop.subscription`;
  await shop.sql`SELECT shop.freeze(${row?.account_id}, true, 'test', 'test')`;
  const overview = async () => (await browser.open('/shop/account')).html;
  await expect
    .poll(overview)
    .toContain(`Small still renews on ${row?.day} and is charged, unless you cancel it`);
  for (const part of ['>frozen</span>', 'Manage plans and billing']) expect(await overview()).toContain(part);
  expect(await overview()).not.toContain('>active</span>');
  await network.control('/clock', { advance_seconds: 31 * 24 * 60 * 60 });
  await expect.poll(async () => (await charges()).length).toBe(2);
  await browser.send('/shop/account/cancel', { subscription: row?.id, confirm: 'yes' });
  expect(await overview()).not.toContain('still renews');
});
