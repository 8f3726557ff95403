import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import * as LocalServer from './local-server.ts';
import { type Answer, answerTo } from './suite-answers.ts';

const folder = new URL('../.examples/js/', import.meta.url);
const files = mkdtempSync(join(tmpdir(), 'sluice-programs-'));
const tokens = join(files, 'tokens.json');
const secret = `whsec_${Buffer.from('a secret of the example').toString('base64')}`;
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** Each program, with its part of what it must print. */
const programs: Record<string, { prints: string[]; env?: Record<string, string> }> = {
  'buy-plan': { prints: ['Paid. The balance is 5.00 USD.'], env: { CARD_TOKEN: 'spt_1' } },
  'pay-on-page': { prints: ['Pay 0.50 USD at https://shop.test/checkout/pur_1'] },
  'price-ceiling': { prints: ['may cost more', '10 people for 0.01 USD'] },
  receipts: { prints: ['2026-01-05 5.00 USD pur_2'], env: { FOLDER: files } },
  'register-trial': { prints: ['postings, the newest'] },
  'safe-retry': { prints: ['charged once: true'] },
  'search-and-collect': { prints: ['  12 Northwind Berlin'] },
  stream: { prints: ['Hello\nCost: 0.002 USD'] },
  'token-renewal': { prints: ['acc_1 has 4.998 USD'], env: { TOKENS: tokens } },
  'usage-report': {
    prints: ['2026-01-05,2,0.002', 'POST /v2/jobs/company,0.002', 'Balance: 4.998 USD'],
  },
  webhook: { prints: [], env: { WEBHOOK_SECRET: secret } },
};

describe('every program of examples/ runs:', () => {
  const { log } = console;
  const env = { ...process.env };
  let server: LocalServer.LocalServer;
  let printed: string[] = [];

  before(async () => {
    const isLost = { next: true };
    server = await LocalServer.start(async (request, response) => {
      const asked = await text(request);
      if (request.url === '/v2/enrichment/email' && isLost.next) {
        isLost.next = false;
        request.socket.destroy();
        return;
      }
      const { status, body, headers } = shop(request.method, request.url, request.headers, asked);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    console.log = (...values: unknown[]) => void printed.push(values.join(' '));
  });
  after(async () => {
    console.log = log;
    process.env = env;
    await server.close();
  });

  it('each is tried', () => {
    const found = readdirSync(folder).filter((name) => /^program-.*\.js$/.test(name));
    assert.deepEqual(new Set(found), new Set(Object.keys(programs).map((name) => `program-${name}.js`)));
  });

  for (const [name, { prints, env: own = {} }] of Object.entries(programs)) {
    it(name, async () => {
      printed = [];
      const credential = name === 'token-renewal' ? {} : { SLUICE_ACCESS_TOKEN: 'at_1' };
      process.env = { ...env, SLUICE_BASE_URL: server.url, ...credential, ...own };
      if (name === 'token-renewal')
        writeFileSync(tokens, '{"access_token":"at_expired","identity_assertion":"ia_1"}');
      const program = await import(new URL(`program-${name}.js`, folder).href);
      for (const expected of prints)
        assert.ok(printed.join('\n').includes(expected), `${name} prints:\n${printed.join('\n')}`);
      await check[name]?.(program as never);
    });
  }

  const check: Record<string, (program: never) => Promise<void> | void> = {
    receipts: () => assert.match(readFileSync(join(files, 'pur_2.html'), 'utf8'), /^<!doctype html>/),
    'token-renewal': () => {
      const stored = JSON.parse(readFileSync(tokens, 'utf8'));
      assert.deepEqual(stored, { access_token: 'at_2', identity_assertion: 'ia_2' });
    },
    webhook: async ({ receive }: { receive: (request: Request) => Promise<Response> }) => {
      const send = (signature: string) => {
        const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': now, 'webhook-signature': signature };
        return receive(new Request('https://shop.test/hook', { method: 'POST', headers, body: '{"n":1}' }));
      };
      const now = String(Math.floor(Date.now() / 1000));
      const digest = createHmac('sha256', 'a secret of the example').update(`msg_1.${now}.{"n":1}`);
      const signature = `v1,${digest.digest('base64')}`;
      assert.equal((await send(signature)).status, 204);
      assert.equal((await send(signature)).status, 204);
      assert.equal((await send('v1,AAAA')).status, 400);
      assert.equal(printed.length, 1);
    },
  };
});

/** The suite's service, with the prices, payments and tokens that the programs need. */
function shop(
  method: string | undefined,
  url: string | undefined,
  headers: IncomingHttpHeaders,
  asked: string,
): Answer {
  const usual = answerTo(method, url);
  if (headers.authorization === 'Bearer at_expired')
    return { status: 401, body: { code: 'token_invalid' }, headers: {} };
  switch (url) {
    case '/oauth2/token':
      return { ...usual, status: 200, body: { access_token: 'at_2', identity_assertion: 'ia_2' } };
    case '/v1/chat/completions':
      return { ...usual, body: `${chunk('Hel')}${chunk('lo')}data: [DONE]\n\n` };
    case '/v2/enrichment/email':
      return { ...usual, headers: { 'storefront-call': `call of ${headers['idempotency-key']}` } };
    case '/v2/company/tam-by-jobs': {
      const company = { name: 'Northwind', hq: { city: 'Berlin' } };
      return { ...usual, body: { results: [{ company, matched_jobs: 12 }], cursor: null } };
    }
    case '/v2/search/people':
      return ceiling(headers, JSON.parse(asked).max_results);
    case '/plans/credit/purchase':
      return purchase(headers, usual);
    default:
      return usual;
  }
}

function ceiling(headers: IncomingHttpHeaders, count: number): Answer {
  assert.equal(headers['storefront-max-cost'], '0.01');
  const message = 'This call may cost more than your Storefront-Max-Cost allows.';
  if (count > 10) return { status: 402, body: { code: 'price_ceiling', message }, headers: {} };
  const results = Array.from({ length: count }, () => ({}));
  const cost = { 'storefront-call': 'call_1', 'storefront-cost-usd': '0.01' };
  return { status: 200, body: { results, cursor: null }, headers: cost };
}

/** Grants the plan for a credential that answers the challenge with the card token. */
function purchase(headers: IncomingHttpHeaders, offer: Answer): Answer {
  const credential = headers['payment-authorization'];
  if (credential === undefined) return offer;
  const answered = JSON.parse(Buffer.from(String(credential).slice(8), 'base64url').toString());
  const { challenge, payload } = answered;
  assert.deepEqual(payload, { spt: 'spt_1' });
  assert.equal(offer.headers['www-authenticate']?.includes(`id="${challenge.id}"`), true);
  return { status: 200, body: { success: true, balance_usd: '5.00', receipt: {} }, headers: {} };
}
