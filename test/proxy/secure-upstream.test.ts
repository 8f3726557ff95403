import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import * as tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openUpstream } from '../../src/adapters/upstream/upstream.ts';
import type { Upstream } from '../../src/proxy/upstream.ts';
import { client, get, key, post, whole } from './opened-upstream.ts';
import { http, type Received, type ScriptedUpstream, scripted } from './scripted-upstream.ts';

/** A certificate for localhost, by an authority of these tests alone whose own key is gone. */
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const usual = tls.getCACertificates('default');

describe('an upstream over https', () => {
  let script: (received: Received) => unknown;
  let server: ScriptedUpstream;
  const asked: { name: string; protocol: string | false | null }[] = [];
  beforeAll(async () => {
    const options = {
      cert: fixture('localhost.pem'),
      key: fixture('localhost.key'),
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback: (name: string, done: (error: Error | null) => void) => {
        asked.push({ name, protocol: null });
        done(null);
      },
    };
    server = await scripted((received) => script(received), options);
  });
  afterAll(async () => {
    tls.setDefaultCACertificates(usual);
    await server.close();
  });
  beforeEach(() => {
    tls.setDefaultCACertificates([...usual, fixture('authority.pem')]);
    asked.length = 0;
    server.received.length = 0;
    script = ({ socket, body }) => socket.write(http(200, body));
  });
  const opened = (host = 'localhost'): Upstream =>
    openUpstream({
      baseUrl: server.url.replace('127.0.0.1', host),
      key,
      keyHeader: { header: 'x-api-key', value: '{key}' },
      timeoutMs: 5_000,
      client,
    });

  test('answers, on one connection, asked for by its name in HTTP/1.1', async () => {
    const upstream = opened();
    const before = server.connections();
    for (const body of ['1', '2', '3'])
      expect(whole(await upstream.send(post(body)).response).body.toString()).toBe(body);
    expect(server.connections()).toBe(before + 1);
    expect(asked.map(({ name }) => name)).toEqual(['localhost']);
    const socket = server.received[0]?.socket as tls.TLSSocket;
    expect(socket.alpnProtocol).toBe('http/1.1');
    expect(server.received[0]?.head).toContain(`host: localhost:${new URL(server.url).port}\r\n`);
    expect(await upstream.probe()).toBe(true);
    await upstream.close();
  });

  test('takes bodies and streams answers of any size', async () => {
    const upstream = opened();
    const large = Buffer.alloc(700_000, 'ab');
    expect(whole(await upstream.send(post(large.toString())).response).body.equals(large)).toBe(true);

    script = ({ socket }) => socket.write(http(200, large));
    const answer = await upstream.send(get()).response;
    if (answer.kind !== 'stream') throw new Error(answer.kind);
    const gate = createServer((socket) => void answer.pipeTo(socket)).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const { port } = gate.address() as AddressInfo;
    const read: Buffer[] = [];
    for await (const chunk of connect(port, '127.0.0.1')) read.push(chunk);
    expect(Buffer.concat(read).equals(large)).toBe(true);
    gate.close();
  });

  test('that nobody vouches for, or that has another name, is sent nothing', async () => {
    const other = opened('127.0.0.1');
    const named = { kind: 'unavailable', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' };
    expect(await other.send(post()).response).toEqual(named);
    expect(asked).toEqual([]);

    tls.setDefaultCACertificates(usual);
    const unknown = { kind: 'unavailable', reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' };
    expect(await opened().send(post()).response).toEqual(unknown);
    expect(server.received).toEqual([]);
  });

  test('that breaks off is no answer, nor is one whose end an attacker could choose', async () => {
    const upstream = opened();
    script = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{');
    expect(await upstream.send(post()).response).toEqual({
      kind: 'unavailable',
      reason: client === 'built-in' ? 'cut' : 'UND_ERR_SOCKET',
    });
    script = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\n{}');
    expect(await upstream.send(post()).response).toEqual({ kind: 'unavailable', reason: 'no_length' });
  });

  test('that speaks no TLS is no upstream', async () => {
    const plain = await scripted(({ socket }) => socket.write(http(200)));
    const keyHeader = { header: 'x-api-key', value: '{key}' };
    const baseUrl = plain.url.replace('http:', 'https:');
    const answer = await openUpstream({ baseUrl, key, keyHeader, timeoutMs: 1_000, client }).send(post())
      .response;
    expect(answer.kind).toMatch(/unavailable|timeout/);
    expect(JSON.stringify(plain.received)).not.toContain(key);
    await plain.close();
  });
});
