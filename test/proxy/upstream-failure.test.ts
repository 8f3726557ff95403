import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { against, post, whole } from './opened-upstream.ts';
import { http } from './scripted-upstream.ts';

describe('no response', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  test.each([
    ['cut in the head', 'HTTP/1.1 200 OK\r\nconte'],
    ['cut in the middle of its body', `${ok}content-length: 10\r\n\r\n{"n":`],
    ['cut between two chunks', `${ok}transfer-encoding: chunked\r\n\r\n3\r\n{"n\r\n`],
    ['not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['with two lengths', `${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`],
    ['with a length that is none', `${ok}content-length: 2, 3\r\n\r\n{}`],
    [
      'with length and chunks',
      `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['with a broken chunk size', `${ok}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['with a bare carriage return in a header', `${ok}etag: a\rset-cookie: b\r\ncontent-length: 0\r\n\r\n`],
    ['with a NUL in a header', `${ok}etag: a\0b\r\ncontent-length: 0\r\n\r\n`],
    ['with a head too large', `${ok}etag: ${'a'.repeat(20_000)}\r\ncontent-length: 0\r\n\r\n`],
    ['that changes the protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('is what an response %s comes to, and the next request is served', async (_, bytes) => {
    const { upstream } = await against(({ socket, body }) =>
      body === 'fine' ? socket.write(http(200, body)) : socket.end(bytes),
    );
    expect(await upstream.send(post()).response).toMatchObject({ kind: 'unavailable' });
    expect(whole(await upstream.send(post('fine')).response).body.toString()).toBe('fine');
  });

  test('a folded header is never passed on with its line break', async () => {
    const { upstream } = await against(({ socket }) =>
      socket.end(`${ok}etag: "a"\r\n set-cookie: b\r\ncontent-length: 0\r\n\r\n`),
    );
    const response = await upstream.send(post()).response;
    expect(JSON.stringify(response)).not.toMatch(/\\[rn]/);
  });

  test('comes from a port where nobody listens', async () => {
    const { server, upstream } = await against(() => undefined);
    await server.close();
    expect(await upstream.send(post()).response).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
    expect(await upstream.probe()).toBe(false);
  });

  test.each([
    ['says nothing', ''],
    ['stops in the head', 'HTTP/1.1 200 OK\r\n'],
    ['stops in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{'],
  ])('comes in time from an upstream that %s', async (_, bytes) => {
    const { upstream } = await against(({ socket }) => socket.write(bytes), { timeoutMs: 200 });
    const started = performance.now();
    expect(await upstream.send(post()).response).toEqual({ kind: 'timeout' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(199);
  });

  test('comes in time from an upstream that drips, as the whole is bounded', async () => {
    const { upstream } = await against(
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 10);
        socket.on('close', () => clearInterval(drip));
      },
      { timeoutMs: 200 },
    );
    expect(await upstream.send(post()).response).toEqual({ kind: 'timeout' });
  });

  test('is wanted by a caller who left: the upstream’s connection is closed', async () => {
    const { server, upstream } = await against(() => sending.abandon());
    const sending = upstream.send(post());
    expect(await sending.response).toEqual({ kind: 'abandoned' });
    const socket = server.received[0]?.socket;
    if (socket?.closed === false) await once(socket, 'close');
    sending.abandon();
  });

  test('leaves a caller who left before the connection stood', async () => {
    const { server, upstream } = await against(({ socket }) => socket.write(http(200)));
    const sending = upstream.send(post());
    sending.abandon();
    expect(await sending.response).toEqual({ kind: 'abandoned' });
    expect(whole(await upstream.send(post('fine')).response).status).toBe(200);
    expect(server.received.map(({ body }) => body)).toEqual(['fine']);
  });
});

describe('a crowd of requests', () => {
  test('shares a bounded number of connections, waits in line, and is turned away beyond that', async () => {
    let under = 0;
    let underMax = 0;
    const held: (() => void)[] = [];
    const { server, upstream } = await against(
      ({ socket, body }) => {
        underMax = Math.max(underMax, ++under);
        held.push(() => {
          under--;
          socket.write(http(200, body));
        });
        if (held.length === 2 || server.received.length > 2)
          for (const response of held.splice(0)) response();
      },
      { connectionsMax: 2, waitingMax: 3 },
    );
    const answers = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6].map((n) => upstream.send(post(String(n))).response),
    );
    expect(
      answers.map((response) => (response.kind === 'whole' ? response.body.toString() : response.kind)),
    ).toEqual([...['0', '1', '2', '3', '4', 'busy', 'busy']]);
    expect(underMax).toBe(2);
    expect(server.connections()).toBe(2);
  });

  test('frees the places of those who leave or wait too long', async () => {
    const { server, upstream } = await against(
      ({ socket, body }) => (body === 'slow' ? undefined : socket.write(http(200, body))),
      { connectionsMax: 1, waitingMax: 1, timeoutMs: 300 },
    );
    const slow = upstream.send(post('slow'));
    const leaves = upstream.send(post('leaves'));
    leaves.abandon();
    expect(await leaves.response).toEqual({ kind: 'abandoned' });
    const waits = upstream.send(post('waits'));
    expect(await upstream.send(post('late')).response).toEqual({ kind: 'busy' });
    expect(await slow.response).toEqual({ kind: 'timeout' });
    expect((await waits.response).kind).toMatch(/timeout|whole/);
    expect(whole(await upstream.send(post('next')).response).body.toString()).toBe('next');
    expect(server.received.map(({ body }) => body)).not.toContain('leaves');
  });

  test('is not answered with one another’s answers', async () => {
    const { upstream } = await against(({ socket, body }) => socket.write(http(200, body)), {
      connectionsMax: 4,
      waitingMax: 500,
    });
    const numbers = Array.from({ length: 500 }, (_, n) => String(n));
    const answers = await Promise.all(numbers.map((n) => upstream.send(post(n)).response));
    expect(answers.map((response) => whole(response).body.toString())).toEqual(numbers);
  });

  test('under way when the process drains is answered; later ones are turned away', async () => {
    const { upstream } = await against(({ socket, body }) => socket.write(http(200, body)), {
      connectionsMax: 1,
    });
    const under = ['a', 'b', 'c'].map((n) => upstream.send(post(n)));
    const closed = upstream.close();
    expect(await upstream.send(post()).response).toEqual({ kind: 'busy' });
    expect(
      await Promise.all(under.map(async ({ response }) => whole(await response).body.toString())),
    ).toEqual([...['a', 'b', 'c']]);
    await closed;
    await upstream.close();
  });
});
