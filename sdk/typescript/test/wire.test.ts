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

  /** A stream of one event, whose connection then stays open; `isClosed` resolves when the caller closes it. */
  const endless = async () => {
    let closed: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      response.once('close', closed);
    });
    return { isClosed, sluice: new Sluice({ access_token: 'at', base_url: server.url, timeout: 1 }) };
  };

  it('closes the connection of a stream that the caller leaves', async () => {
    const { isClosed, sluice } = await endless();
    for await (const { data } of sluice.stream('/v1/chat')) {
      assert.equal(data, 1);
      break;
    }
    await isClosed;
  });

  it('closes the connection of a stream that the caller closes while it waits', async () => {
    const { isClosed, sluice } = await endless();
    const stream = sluice.stream('/v1/chat');
    const events: unknown[] = [];
    for await (const { data } of stream) {
      events.push(data);
      setImmediate(() => stream.close());
    }
    await isClosed;
    assert.deepEqual(events, [1]);
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, /iterated once/);
  });

  it('closes the connection of a stream whose signal is aborted, and throws the reason', async () => {
    const { isClosed, sluice } = await endless();
    const caller = new AbortController();
    const reason = new Error('enough');
    await assert.rejects(
      async () => {
        for await (const _ of sluice.stream('/v1/chat', {}, { signal: caller.signal }))
          setImmediate(() => caller.abort(reason));
      },
      (fault) => fault === reason,
    );
    await isClosed;
  });

  it('ends a stream that is silent for longer than the timeout', async () => {
    const { isClosed, sluice } = await endless();
    const events: unknown[] = [];
    await assert.rejects(async () => {
      for await (const { data } of sluice.stream('/v1/chat', {}, { timeout: 0.2 })) events.push(data);
    }, APITimeoutError);
    await isClosed;
    assert.deepEqual(events, [1]);
  });

  it('does not count the time of the caller as silence', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('1\n', () => setTimeout(() => response.end('2\n'), 50));
    });
    const sluice = new Sluice({ access_token: 'at', base_url: server.url, timeout: 0.3 });
    const events: unknown[] = [];
    for await (const { data } of sluice.stream('/v1/chat')) {
      events.push(data);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    assert.deepEqual(events, [1, 2]);
  });

  it('reports a stream whose connection breaks, after what it delivered', async () => {
    let cut = () => {};
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      cut = () => request.socket.destroy();
    });
    const sluice = new Sluice({ access_token: 'at', base_url: server.url, clock: noWait });
    const events: unknown[] = [];
    await assert.rejects(
      async () => {
        for await (const { data } of sluice.stream('/v1/chat')) {
          events.push(data);
          cut();
        }
      },
      (fault) => fault instanceof APIConnectionError && !(fault instanceof APITimeoutError),
    );
    assert.deepEqual(events, [1]);
    assert.equal(server.requests.length, 1);
  });

  for (const [name, type, piece] of [
    ['a line', 'application/x-ndjson', 'a'.repeat(2 ** 20)],
    ['an event of many lines', 'text/event-stream', `data: ${'a'.repeat(2 ** 20)}\n`],
  ] as const) {
    it(`closes the connection at ${name} without end`, async () => {
      let isStopped = false;
      const server = await serve((_, response) => {
        response.writeHead(200, { 'content-type': type });
        const write = () => {
          while (!response.closed && response.write(piece));
          response.once('drain', write);
        };
        response.once('close', () => {
          isStopped = true;
        });
        write();
      });
      const sluice = new Sluice({ access_token: 'at', base_url: server.url });
      await assert.rejects(async () => {
        for await (const _ of sluice.stream('/v1/chat'));
      }, ResponseValidationError);
      while (!isStopped) await new Promise(setImmediate);
    });
  }
});
