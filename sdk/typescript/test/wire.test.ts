import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { APIConnectionError, APITimeoutError, ResponseValidationError, Sluice } from 'sluice-client';
import * as LocalServer from './local-server.ts';

const api_key = 'sk_test';
const url = { person_network_url: 'https://www.network.example/in/ada' };
const noWait = { now: () => Date.now(), sleep: async () => {} };

describe('over real connections', () => {
  const open: LocalServer.LocalServer[] = [];
  const serve = async (...args: Parameters<typeof LocalServer.start>) => {
    const server = await LocalServer.start(...args);
    open.push(server);
    return server;
  };
  after(async () => {
    for (const server of open) await server.close();
  });

  it('ends an attempt whose answer does not come, and does not repeat it', async () => {
    const server = await serve(() => {});
    const sluice = new Sluice({ api_key, base_url: server.url, timeout: 1, clock: noWait });
    await assert.rejects(sluice.enrichment.email(url), APITimeoutError);
    assert.deepEqual(server.requests, ['POST /v2/enrichment/email']);
  });

  it('ends an attempt whose answer does not end', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"found":');
    });
    const sluice = new Sluice({ api_key, base_url: server.url, clock: noWait });
    await assert.rejects(sluice.enrichment.email(url, { timeout: 1 }), APITimeoutError);
    assert.equal(server.requests.length, 1);
  });

  it('repeats a call at a storefront whose answer does not come, under one key', async () => {
    const keys: unknown[] = [];
    const server = await serve((request, response) => {
      keys.push(request.headers['idempotency-key']);
      if (keys.length === 2) response.end('{"found":false}');
    });
    const sluice = new Sluice({ access_token: 'at', base_url: server.url, timeout: 1, clock: noWait });
    assert.deepEqual(await sluice.enrichment.email(url), { found: false });
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
  });

  it('does not repeat a call whose connection broke on the way', async () => {
    const server = await serve((request) => request.socket.destroy());
    const sluice = new Sluice({ api_key, base_url: server.url, clock: noWait });
    await assert.rejects(sluice.enrichment.email(url), (fault) => {
      assert.ok(fault instanceof APIConnectionError && !(fault instanceof APITimeoutError));
      assert.ok(fault.cause instanceof Error);
      return true;
    });
    assert.equal(server.requests.length, 1);
  });

  it('repeats a call that nobody listened to, and then says so', async () => {
    const server = await serve(() => {});
    await server.close();
    const waits: number[] = [];
    const clock = { ...noWait, sleep: async (ms: number) => void waits.push(ms) };
    const sluice = new Sluice({ api_key, base_url: server.url, clock });
    await assert.rejects(sluice.enrichment.email(url), /could not be reached/);
    assert.equal(waits.length, 3);
  });

  it('repeats a call to a host without an address', async () => {
    const waits: number[] = [];
    const clock = { ...noWait, sleep: async (ms: number) => void waits.push(ms) };
    const sluice = new Sluice({ api_key, base_url: 'http://nobody.invalid', clock });
    await assert.rejects(sluice.enrichment.email(url), APIConnectionError);
    assert.equal(waits.length, 3);
  });

  it('does not repeat an answer that is cut short', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"found":', () => request.socket.destroy());
    });
    const sluice = new Sluice({ api_key, base_url: server.url, clock: noWait });
    await assert.rejects(sluice.enrichment.email(url), APIConnectionError);
    assert.equal(server.requests.length, 1);
  });

  it('does not take the key to where a redirect points', async () => {
    const elsewhere = await serve((_, response) => response.end('{}'));
    const server = await serve((_, response) => {
      response.writeHead(302, { location: elsewhere.url });
      response.end();
    });
    const sluice = new Sluice({ api_key, base_url: server.url });
    await assert.rejects(sluice.account.key_info(), { name: 'APIStatusError', status_code: 302 });
    assert.deepEqual(elsewhere.requests, []);
  });

  it('reads an answer that is not UTF-8 as text, never as a crash', async () => {
    const server = await serve((_, response) => response.end(Buffer.from([0xff, 0xfe, 0x00])));
    const sluice = new Sluice({ api_key, base_url: server.url });
    await assert.rejects(sluice.account.key_info(), ResponseValidationError);
  });
});
