import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let agent: Agent.Agent & { token: string; account: string };
let order: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
  agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  order = offer.order;
  expect((await Agent.pay(agent, offer, await Network.of(shop.sandboxUrl).mint())).status).toBe(200);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const command = fileURLToPath(new URL('../../src/cli/sluice.ts', import.meta.url));
function verify(jws: string): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve) => {
    const args = [command, 'receipt', 'verify', jws, '--jwks', `${shop.url}/.well-known/jwks.json`, '--json'];
    const child = execFile(process.execPath, args, (_, out) => resolve({ code: child.exitCode, out }));
  });
}

test('each purchase has a receipt that the key set alone verifies', async () => {
  const { body } = await Customer.call(agent, 'GET', `${shop.url}/account/receipts`);
  expect(body.receipts).toHaveLength(1);
  const [receipt] = body.receipts;
  expect(receipt).toMatchObject({ purchase: order, amount_usd: '5.00', reversed_usd: '0.00', rail: 'card' });
  const verified = await verify(receipt.receipt);
  expect(verified.code).toBe(0);
  expect(JSON.parse(verified.out)).toMatchObject({
    purchase: order,
    account: agent.account,
    issuer: shop.url,
  });
});

test('a receipt that was changed, a token, and anything else are not taken for one', async () => {
  const { body } = await Customer.call(agent, 'GET', `${shop.url}/account/receipts`);
  const [head, payload, signature] = body.receipts[0].receipt.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const more = Buffer.from(JSON.stringify({ ...claims, amount_usd: '50.00' })).toString('base64url');
  for (const forged of [`${head}.${more}.${signature}`, agent.token, 'no.receipt.atall']) {
    expect((await verify(forged)).code).toBe(1);
    expect((await fetch(`${shop.url}/receipts/${forged}`)).status).toBe(404);
  }
});

test('whoever holds a receipt can see and print it', async () => {
  const { body } = await Customer.call(agent, 'GET', `${shop.url}/account/receipts`);
  expect(body.receipts[0].url).toMatch(/\/receipts\/[\w-]{44}$/);
  expect((await fetch(`${shop.url}/receipts/${order}`)).status).toBe(404);
  const page = await fetch(body.receipts[0].url);
  expect(page.headers.get('content-type')).toContain('text/html');
  const text = await page.text();
  const said = ['Scripted Ltd', 'No value-added tax is charged.', 'Total', '@media print'];
  for (const fact of [order, '5.00 USD', agent.account, ...said]) expect(text).toContain(fact);
  expect(text).not.toContain('Refunded');
});

test('a call is given a receipt when it asks for one, over what it cost', async () => {
  const ask = (headers: Record<string, string>) =>
    fetch(`${shop.url}/v1/list`, {
      method: 'POST',
      body: '{}',
      headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json', ...headers },
    });
  expect((await ask({})).headers.get('storefront-receipt')).toBeNull();
  const answer = await ask({ 'storefront-receipt': 'jws' });
  const verified = JSON.parse((await verify(answer.headers.get('storefront-receipt') ?? '')).out);
  expect(verified).toMatchObject({
    kind: 'call',
    call: answer.headers.get('storefront-call'),
    units: Number(answer.headers.get('storefront-units')),
    cost_usd: answer.headers.get('storefront-cost-usd'),
    account: agent.account,
  });
});
