import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as HttpClient from '../../src/adapters/http-client.ts';
import * as Audit from '../../src/discovery/audit.ts';
import type { AuditResponse, HttpClient as Client } from '../../src/discovery/http-client.ts';
import * as Shop from '../support/shop.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const command = [`${root}src/cli/sluice.ts`, 'discovery', 'check'];
const visitor = HttpClient.openHttpClient(10_000);
let shop: Shop.Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(async () => {
  await visitor.close();
  await shop?.stop();
});

/** Runs the command. Returns its exit code and its output. */
async function check(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const ran = promisify(execFile)(process.execPath, [...command, ...args], { timeout: 110_000 });
  return ran.then(
    (printed) => ({ code: 0, ...printed }),
    (failed) => failed,
  );
}

const answers = new Map<string, Promise<AuditResponse>>();
/** Returns the shop's responses, each requested once. */
const visit: Client = (request) => {
  const key = JSON.stringify(request);
  const answer = answers.get(key) ?? visitor.visit(request);
  answers.set(key, answer);
  return answer;
};

/** Returns the shop's responses with one of them changed. */
function changed(at: string, change: (answer: AuditResponse) => Partial<AuditResponse>): Client {
  return async (request) => {
    const answer = await visit(request);
    return request.url === shop.url + at ? { ...answer, ...change(answer) } : answer;
  };
}

const text = (from: string | RegExp, to: string) => (answer: AuditResponse) => {
  if (answer.status === 304) return {};
  const changed = answer.text.replace(from, to);
  expect(changed).not.toBe(answer.text);
  return { text: changed };
};
const gone = () => ({ status: 404, text: '' });
const without = (header: string) => (answer: AuditResponse) => {
  const headers = new Headers(answer.headers);
  expect(headers.has(header)).toBe(true);
  headers.delete(header);
  return { headers };
};

describe('our own shop', () => {
  test('is missed by no crawler', async () => {
    const { code, stdout, stderr } = await check(shop.url, '--strict', '--json', '--timeout', '60');
    expect(stderr).toBe('');
    const { found, findings } = JSON.parse(stdout);
    expect(findings).toEqual([]);
    expect([code, found.operations > 40, found.priced]).toEqual([0, true, 24]);
  });
});

describe('a broken shop is told what is missed', () => {
  test.each<[string, string, (answer: AuditResponse) => Partial<AuditResponse>, string]>([
    ['no description', '/openapi.json', gone, 'openapi_missing'],
    ['a description that is none', '/openapi.json', () => ({ text: '<html>' }), 'openapi_missing'],
    ['no tag on it', '/openapi.json', without('etag'), 'not_cacheable'],
    ['pages in a circle', '/openapi.json?page=2', text(/page=3/g, 'page=2'), 'page_unreachable'],
    [
      'a page elsewhere',
      '/openapi.json?page=2',
      text(/"x-next":"[^"]+"/, '"x-next":"http://other.example/"'),
      'page_unreachable',
    ],
    [
      'a server elsewhere',
      '/openapi.json',
      text(/"servers":\[\{"url":"[^"]+"/, '"servers":[{"url":"http://10.0.0.1"'),
      'server_elsewhere',
    ],
    [
      'a part that is not there',
      '/openapi.json',
      text(/"StorefrontError":/, '"Other":'),
      'reference_dangling',
    ],
    ['a price and no 402', '/openapi.json?page=3', text(/"402":/g, '"418":'), 'refusal_missing'],
    [
      'a payment without a price',
      '/openapi.json?page=3',
      text(/"price":\{[^}]*\}/g, '"price":{}'),
      'price_missing',
    ],
    [
      'an operation without words',
      '/openapi.json?page=3',
      text(/"(?:summary|description)":"[^"]*",/g, ''),
      'words_missing',
    ],
    ['two prices', '/manifest.json', text(/"priceUsd":"0\.001"/g, '"priceUsd":"0.002"'), 'price_differs'],
    [
      'prices that nobody signed',
      '/manifest.jws',
      text(/\.[^.]{20}/, '.AAAAAAAAAAAAAAAAAAAA'),
      'signature_wrong',
    ],
    ['other prices than the signed ones', '/manifest.json', text('"USD"', '"EUR"'), 'signature_wrong'],
    ['no text', '/llms.txt', gone, 'document_missing'],
    ['a text that leads nowhere', '/llms.txt', text('/skill.md)', '/skills.md)'), 'link_dead'],
    ['a skill without front matter', '/skill.md', text('---\n', ''), 'text_malformed'],
    ['a catalogue of another type', '/.well-known/api-catalog', without('content-type'), 'linkset_malformed'],
    [
      'an old security.txt',
      '/.well-known/security.txt',
      text(/Expires: \d{4}/, 'Expires: 2001'),
      'security_malformed',
    ],
    [
      'robots barred',
      '/robots.txt',
      () => ({ status: 200, text: 'User-agent: *\nDisallow: /\n' }),
      'crawlers_barred',
    ],
    [
      'another resource',
      '/.well-known/oauth-protected-resource',
      text(/"resource":"[^"]+"/, '"resource":"x"'),
      'resource_elsewhere',
    ],
    ['no keys', '/.well-known/jwks.json', () => ({ text: '{"keys":[]}' }), 'keys_missing'],
    ['calls given away', '/v2/account/key-info', () => ({ status: 200 }), 'given_away'],
    ['a 401 without a challenge', '/v2/account/key-info', without('www-authenticate'), 'challenge_missing'],
    [
      'a quote that asks for no proof',
      '/zeroclick/agent/quote',
      () => ({ status: 200 }),
      'payment_not_asked',
    ],
    [
      'a purchase by another protocol',
      '/plans/credit/purchase',
      without('www-authenticate'),
      'challenge_missing',
    ],
  ])('%s', async (_, at, change, code) => {
    const { findings } = await Audit.audit(changed(at, change), shop.url);
    const codes = findings.filter(({ severity }) => severity !== 'note').map((it) => it.code);
    expect(codes).toContain(code);
    for (const { says, fix, where } of findings) expect([says, fix, where].every(Boolean)).toBe(true);
  });
});

describe('the command', () => {
  /** Serves until `use` has ended. */
  async function serving(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('finds much amiss at a server that is no shop, and says so by its exit code', () =>
    serving(
      (_, response) => response.end('hello'),
      async (url) => {
        const { code, stdout } = await check(url);
        expect(code).toBe(1);
        expect(stdout).toMatch(/MISSED .*\/openapi\.json\n\s+no OpenAPI document/);
      },
    ));

  test('waits for no answer beyond its time, and reads none beyond its bytes', () =>
    serving(
      (request, response) => {
        if (request.url === '/') response.end('{}');
        else if (request.url === '/openapi.json') {
          const flood = () => {
            while (response.write('x'.repeat(64 * 1024)));
          };
          response.on('drain', flood);
          flood();
        }
      },
      async (url) => {
        const { code, stdout } = await check(url, '--timeout', '1');
        expect(code).toBe(1);
        expect(stdout).toMatch(/openapi\.json\n\s+no answer: more than 4194304 bytes/);
        expect(stdout).toMatch(/llms\.txt\n\s+no answer: .*timeout/);
      },
    ));

  test.each([[['nowhere']], [[]], [['http://127.0.0.1:1/']], [['http://127.0.0.1:1/', '--timeout', '0']]])(
    'cannot look at %j',
    async (args) => {
      expect(await check(...args)).toMatchObject({ code: 2, stdout: '' });
    },
  );
});
