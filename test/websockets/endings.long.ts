import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { People } from '../journeys/people.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './socket-upstream.ts';

let upstream: Upstream.SocketUpstream;
let shop: Shop.Shop;
let mailbox: Mailbox.Mailbox;
let people: People;
const addressHeader = 'x-forwarded-for';
/** A process that closes idle connections after a second, and all after three. */
let hasty: string;
const priceMicro = 100;

beforeAll(async () => {
  upstream = await Upstream.open();
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_endings' },
    catalog: 'websockets.yaml',
    env: { ...mailbox.env, CLIENT_ADDRESS_HEADER: addressHeader },
  });
  people = new People(shop, mailbox, addressHeader);
  hasty = await shop.addStorefront({ SOCKET_IDLE_SECONDS: '1', SOCKET_MAX_SECONDS: '3' });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
  await mailbox?.stop();
});

async function connect(token: string, url = shop.url) {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/feed`, { headers });
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(data.toString()));
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  const [far] = await Promise.all([upstream.next(), once(socket, 'open')]);
  return { socket, far, messages, closed };
}

async function buyer(messages: number): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, messages * priceMicro);
  return customer;
}

async function charged({ account }: Customer.Customer, units: number): Promise<void> {
  const spent = async () => {
    const [row] = await shop.sql`
      SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage WHERE account_id = ${account}`;
    return row?.units;
  };
  await expect.poll(spent).toBe(units);
}

async function makeKey(customer: Customer.Customer, more: object): Promise<{ id: string; key: string }> {
  const url = `${shop.url}/account/keys`;
  return (await Customer.call(customer, 'POST', url, { name: 'socket', ...more })).body;
}

test('a connection without messages is closed, and costs what was delivered before', async () => {
  const customer = await buyer(100);
  const { socket, far, closed } = await connect(customer.token, hasty);
  far.send('one');
  await once(socket, 'message');
  expect(await closed).toEqual({ code: 1001, reason: 'idle' });
  await charged(customer, 1);
});

test('a connection is closed after its longest time, also in the middle of messages', async () => {
  const customer = await buyer(1000);
  const { far, messages, closed } = await connect(customer.token, hasty);
  const sending = setInterval(() => far.send('more'), 100);
  expect(await closed).toEqual({ code: 1001, reason: 'duration_limit' });
  clearInterval(sending);
  await charged(customer, messages.length);
});

test('a key with a budget gets as many messages as its budget pays', async () => {
  const customer = await buyer(1000);
  const { key } = await makeKey(customer, { budget_usd: '0.01' });
  const { far, messages, closed } = await connect(key);
  for (let at = 0; at < 150; at++) far.send(`m${at}`);
  const { code, reason } = await closed;
  expect([code, reason]).toEqual([1008, expect.stringMatching(/budget/)]);
  expect(messages).toHaveLength(100);
  await charged(customer, 100);
});

test('a key and a session of a person who may no longer call lose their connections within half a minute', async () => {
  const ada = await people.owner();
  await Customer.credit(shop.sql, { account: ada.account, token: '', assertion: '' }, 100 * priceMicro);
  const bob = await people.join(ada, 'developer');
  const made = await people.call(bob, 'POST', '/account/keys', { name: 'socket' });
  const [byKey, inPerson] = [await connect(made.body.key), await connect(await people.bearer(bob))];
  const member = `/account/team/members/${bob.member}`;
  expect((await people.call(ada, 'PATCH', member, { role: 'viewer' })).status).toBe(200);
  expect(await byKey.closed).toEqual({ code: 1008, reason: 'role_not_allowed' });
  // The token itself named the old role.
  expect(await inPerson.closed).toEqual({ code: 1008, reason: 'token_invalid' });
});

test('a key that is revoked loses its connection within half a minute', async () => {
  const customer = await buyer(1000);
  const { id, key } = await makeKey(customer, {});
  const { socket, far, closed } = await connect(key);
  far.send('before');
  await once(socket, 'message');
  await Customer.call(customer, 'DELETE', `${shop.url}/account/keys/${id}`);
  expect(await closed).toEqual({ code: 1008, reason: 'token_invalid' });
  await charged(customer, 1);
});
