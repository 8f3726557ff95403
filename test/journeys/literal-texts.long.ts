import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, proofs } from '../http/quote-client.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Recipe from '../purchase/recipe.ts';
import * as Customer from '../support/customer.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';
import * as Mcp from './mcp-client.ts';

const run = promisify(execFile);
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(() => shop?.stop());

/** The shell commands of a text, one for each line of its `sh` blocks. */
async function commandsOf(path: string): Promise<string[]> {
  const { text } = await Customer.send({ method: 'GET', url: shop.url + path });
  const blocks = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)];
  return blocks.flatMap(([, block = '']) => block.trim().split('\n')).map((line) => line.trim());
}

/** Runs a command and returns the JSON that it prints; null for nothing. */
async function shell(command: string, env: Readonly<Record<string, string>>) {
  const { stdout } = await run('sh', ['-c', command], { env: { PATH: process.env.PATH, ...env } });
  return stdout.trim() === '' ? null : JSON.parse(stdout);
}

test('the commands of skill.md and llms-full.txt work as they are written', async () => {
  for (const path of ['/skill.md', '/llms-full.txt']) {
    const [registering = '', asking = '', renewing = ''] = await commandsOf(path);
    const registered = await shell(registering, {});
    expect(registered).toHaveProperty('access_token');
    expect(await shell(asking, {})).toMatchObject({ success: true, steps: expect.any(Array) });
    const renewed = await shell(renewing.replace('<identity_assertion>', registered.identity_assertion), {});
    expect(renewed).toMatchObject({
      access_token: expect.any(String),
      identity_assertion: expect.any(String),
    });
  }
});

test('llms.txt and skill.md explain renewal, ceilings, own figures and empty results', async () => {
  for (const path of ['/llms.txt', '/skill.md']) {
    const { text } = await Customer.send({ method: 'GET', url: shop.url + path });
    for (const said of [
      '/oauth2/token',
      'Storefront-Max-Cost',
      'fair_usage.records_remaining',
      'narrowest filter',
    ])
      expect(text, path).toContain(said);
  }
});

describe('the requests in advice, sent as they stand', () => {
  const goal = '30 companies in Germany that hire data engineers';

  test('a guide: every request of its steps, filled only with what its steps give', async () => {
    const url = `${shop.url}/advisor/guide?goal=${encodeURIComponent(goal)}`;
    const { body } = await Customer.send({ method: 'GET', url });
    const known: Record<string, string> = {};
    const sent: Customer.Request[] = [];
    for (const step of body.steps) {
      const request = Recipe.fill(step.request as Customer.Request, known);
      let answer = await Customer.send(request);
      if (answer.status === 402) {
        await Customer.pay(answer.body.checkout_url);
        answer = await Customer.send(
          answer.body.rails.find(({ rail }: { rail: string }) => rail === 'checkout').status,
        );
        expect(answer.body.state).toBe('granted');
      }
      expect(answer.status, answer.text).toBeLessThan(300);
      for (const [name, pointer] of Object.entries(step.gives ?? {}))
        known[name] = answer.body[String(pointer).slice(1)];
      sent.push(request);
    }
    expect(Recipe.requestsIn(body.steps)).toHaveLength(sent.length);
    const own = await Customer.call({ token: known.access_token ?? '' }, 'GET', `${shop.url}/account`);
    expect(own.body.balance_usd).toBe('0.50');
    expect(own.body.included_remaining).toBeLessThan(25);
  });

  test.each(Object.entries(proofs))('a quote, and the sign-in in it, by %s', async (_, prove) => {
    const wallet = Payer.payer();
    const question = JSON.stringify({ goal });
    const proved = await prove(shop.url, wallet, Date.now(), question);
    const { status, body } = await ask(shop.url, proved, question);
    expect(status).toBe(200);
    const offered = await Customer.send(body.sign_in);
    expect(offered.status).toBe(402);
    const { send } = offered.body.sign_in;
    const message = offered.body.sign_in.message.replace('{address}', wallet.address);
    const signature = await wallet.signMessage({ message });
    const signedIn = await Customer.send({ ...send, body: { ...send.body, message, signature } });
    expect(signedIn.status, signedIn.text).toBe(201);
    const token = signedIn.body.access_token;
    const steps = body.steps.filter((step: { do: string }) => step.do !== 'register');
    const buying = Recipe.fill(steps[0].request as Customer.Request, { access_token: token });
    const offer = Agent.readOffer(await Customer.send(buying), undefined);
    const spt = await Network.of(shop.sandboxUrl).mint();
    const field = offer.challenge.header ?? 'authorization';
    const headers = { ...buying.headers, [field]: Agent.credential(offer.challenge, { spt }) };
    const bought = await Customer.send({ ...buying, headers });
    expect(bought.body).toMatchObject({ account: signedIn.body.account, balance_usd: '0.50' });
  });

  test('a guide over MCP: its tools with their arguments, for the account of the bearer', async () => {
    const stranger = await Mcp.connect(shop.url);
    const guide = await Mcp.call(stranger, 'shop_guide', { goal });
    const { body: registered } = await Mcp.call(stranger, 'shop_register');
    const client = await Mcp.connect(shop.url, registered.access_token);
    const buying = guide.body.steps.find((step: { do: string }) => step.do === 'buy').tool;
    const offer = await Mcp.call(client, buying.name, buying.arguments);
    await Customer.pay(offer.body.checkout_url);
    const overview = await Mcp.call(client, 'shop_account');
    expect(overview.body).toMatchObject({ account: registered.account, balance_usd: '0.50' });
    const calling = guide.body.steps.find((step: { do: string }) => step.do === 'call').tool;
    expect((await Mcp.call(client, calling.name, calling.arguments)).isError).toBe(false);
  });
});
