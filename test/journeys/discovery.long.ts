import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
let folder: string;
beforeAll(async () => {
  shop = await Shop.open();
  folder = await mkdtemp(join(tmpdir(), 'sluice-prices-'));
});
afterAll(async () => {
  await shop?.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string) => Customer.send({ method: 'GET', url: shop.url + path });

describe('what crawlers and agents look for', () => {
  test('the start page leads a crawler that reads no body', async () => {
    const link = (await get('/')).headers.get('link') ?? '';
    for (const [rel, path] of [
      ['api-catalog', '/.well-known/api-catalog'],
      ['service-desc', '/openapi.json'],
      ['service-doc', '/llms.txt'],
      ['service-meta', '/manifest.json'],
    ])
      expect(link).toContain(`<${shop.url}${path}>; rel="${rel}"`);
  });

  test('every link of the start page and of the manifest answers', async () => {
    for (const page of ['/', '/manifest.json'])
      for (const url of Object.values<string>((await get(page)).body.links)) {
        const { status } = await Customer.send({ method: 'GET', url });
        // The account asks who calls, the guide what for, the quote for a proof.
        expect([url, [200, 401, 405, 422].includes(status)]).toEqual([url, true]);
      }
  });

  test('the API catalogue is a linkset, also for who asks for its head (RFC 9727)', async () => {
    const { headers, text } = await get('/.well-known/api-catalog');
    expect(headers.get('content-type')).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    const { linkset } = JSON.parse(text);
    expect(linkset.map(({ anchor }: { anchor: string }) => anchor)).toEqual([
      `${shop.url}/.well-known/api-catalog`,
      `${shop.url}/`,
    ]);
    expect(linkset[1]['service-desc'][0]).toMatchObject({ href: `${shop.url}/openapi.json` });
    const head = await fetch(`${shop.url}/.well-known/api-catalog`, { method: 'HEAD' });
    expect([head.status, head.headers.get('link')]).toEqual([
      200,
      expect.stringContaining('rel="api-catalog"'),
    ]);
  });

  test('security.txt holds, and not for longer than a year (RFC 9116)', async () => {
    const { text, headers } = await get('/.well-known/security.txt');
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toMatch(/^Contact: mailto:sales@example\.com$/m);
    const days = (Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(150);
    expect(days).toBeLessThan(365);
  });

  test('the x402 list names what answers with an x402 challenge', async () => {
    const { body, headers: given } = await get('/.well-known/x402');
    expect(given.get('etag')).toMatch(/^W\/"/);
    const { resources } = body;
    for (const url of resources) {
      const headers = { 'content-type': 'application/json' };
      const answer = await Customer.send({ method: 'POST', url, headers, body: { goal: 'work emails' } });
      expect([answer.status, answer.headers.has('payment-required')]).toEqual([402, true]);
    }
  });

  test('the texts name every operation, its price and the way to it', async () => {
    const { services } = (await get('/services')).body;
    const [llms, full, skill] = await Promise.all(['/llms.txt', '/llms-full.txt', '/skill.md'].map(get));
    expect(skill?.text).toMatch(/^---\nname: prospect-data\ndescription: ".{50,1000}"\n---\n/);
    for (const { url, operations } of services) {
      expect(llms?.text).toContain(`(${url})`);
      for (const { method, path } of operations) {
        expect(full?.text).toContain(`### ${method} ${path}\n`);
        expect(skill?.text).toContain(`\`${method} ${path}\``);
      }
    }
    for (const text of [full?.text, skill?.text]) expect(text).toContain(`${shop.url}/agent/auth`);
    expect(llms?.text.length).toBeLessThan(8_000);
    expect(skill?.text.length).toBeLessThan(8_000);
  });
});

describe('signed prices', () => {
  const sluice = fileURLToPath(new URL('../../src/cli/sluice.ts', import.meta.url));
  const verify = async (jws: string) => {
    const file = join(folder, 'jwks.json');
    await writeFile(file, (await get('/.well-known/jwks.json')).text);
    const ran = promisify(execFile)(process.execPath, [
      sluice,
      'receipt',
      'verify',
      jws,
      '--jwks',
      file,
      '--json',
    ]);
    return ran.then(
      ({ stdout }) => ({ code: 0, stdout }),
      (failed: { code: number; stdout: string }) => failed,
    );
  };

  test('are the manifest, and proved by nothing but the public keys', async () => {
    const { text: jws, headers } = await get('/manifest.jws');
    expect(headers.get('content-type')).toBe('application/jose');
    const { code, stdout } = await verify(jws);
    expect(code).toBe(0);
    const { manifest, issuer, issuedMs } = JSON.parse(stdout);
    expect(manifest).toEqual((await get('/manifest.json')).body);
    expect(issuer).toBe(shop.url);
    expect(Math.abs(Date.now() - issuedMs)).toBeLessThan(600_000);
    expect((await get('/manifest.jws')).headers.get('etag')).toBe(headers.get('etag'));
  });

  test('are not to be changed, nor taken for a token', async () => {
    const { text: jws } = await get('/manifest.jws');
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const cheaper = Buffer.from(payload, 'base64url').toString().replaceAll('"0.001"', '"0.000"');
    const forged = [header, Buffer.from(cheaper).toString('base64url'), signature].join('.');
    expect((await verify(forged)).code).toBe(1);
    const account = await Customer.call({ token: jws }, 'GET', `${shop.url}/account`);
    expect(account.status === 401 || account.status === 431).toBe(true);
  });
});
