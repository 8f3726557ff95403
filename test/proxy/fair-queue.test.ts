import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import * as UpstreamLimits from '../../src/catalog/upstream-limits.ts';
import { fairQueue } from '../../src/proxy/fair-queue.ts';
import { UpstreamWaits } from '../../src/proxy/upstream-waits.ts';
import { against, get, post } from './opened-upstream.ts';
import { http, type Received } from './scripted-upstream.ts';

/** An upstream that responds to a request when it is released, behind a fair queue. */
async function queued(given: Partial<UpstreamLimits.Limits>, waits?: UpstreamWaits) {
  const limits = UpstreamLimits.limits(given);
  const open: Received[] = [];
  const { server, upstream } = await against((received) => open.push(received), {
    connectionsMax: limits.connectionsMax,
  });
  const queue = fairQueue(upstream, limits, waits);
  const send = (account: string) => queue.send(post(account, { account }));
  /** Waits until so many requests have reached the upstream in all. */
  const arrived = async (count: number) => {
    while (server.received.length < count) await new Promise(setImmediate);
  };
  const release = (bytes = http(200, '{}')) => open.shift()?.socket.write(bytes);
  const senders = () => server.received.map(({ body }) => body);
  return { queue, upstream, server, send, arrived, release, senders };
}

describe('one account against all others', () => {
  test('occupies its share of the connections and no more', async () => {
    const { send, arrived, release, server } = await queued({ connectionsMax: 4, accountConnectionsMax: 2 });
    const calls = Array.from({ length: 5 }, () => send('hog'));
    await arrived(2);
    const innocent = send('innocent');
    await arrived(3);
    expect(server.received[2]?.body).toBe('innocent');
    release();
    await arrived(4);
    expect(server.received).toHaveLength(4);
    for (const call of [...calls, innocent]) call.abandon();
  });

  test.each([1, 3])(
    'an innocent account is next in turn while %i others have filled every connection and the queue',
    async (hogs) => {
      const { send, arrived, release, senders } = await queued({
        connectionsMax: hogs,
        waitingMax: 30,
        accountConnectionsMax: hogs === 1 ? 1 : 2,
        accountWaitingMax: 30,
      });
      const calls = Array.from({ length: 40 }, (_, at) => send(`hog${at % hogs}`));
      await arrived(hogs);
      const innocent = send('innocent');
      for (let turn = 0; turn < hogs + 1; turn++) {
        release();
        await arrived(hogs + turn + 1);
      }
      expect(senders().slice(0, 2 * hogs + 1)).toContain('innocent');
      for (const call of [...calls, innocent]) call.abandon();
    },
  );

  test('is refused as the cause once its own queue is full, and others still wait', async () => {
    const { send, arrived } = await queued({
      connectionsMax: 2,
      accountConnectionsMax: 1,
      accountWaitingMax: 1,
    });
    const calls = [send('hog'), send('hog')];
    expect(await send('hog').response).toEqual({ kind: 'account_busy' });
    calls.push(send('other'), send('third'));
    await arrived(2);
    for (const call of calls) call.abandon();
  });

  test('gives up its newest waiting call for an account with a shorter queue when the whole queue is full', async () => {
    const { send } = await queued({ connectionsMax: 1, waitingMax: 3, accountWaitingMax: 3 });
    const calls = [send('hog'), send('hog'), send('hog')];
    const newest = send('hog');
    calls.push(send('innocent'));
    expect(await newest.response).toEqual({ kind: 'account_busy' });
    expect(await send('hog').response).toEqual({ kind: 'busy' });
    for (const call of calls) call.abandon();
    expect(await calls[3]?.response).toEqual({ kind: 'abandoned' });
  });
});

describe('a waiting call', () => {
  test('is refused after the longest wait, with nothing sent', async () => {
    const { send, arrived, server } = await queued({
      connectionsMax: 1,
      accountConnectionsMax: 1,
      waitMsMax: 20,
    });
    const first = send('one');
    await arrived(1);
    const [own, other] = [send('one'), send('two')];
    expect(await own.response).toEqual({ kind: 'account_busy' });
    expect(await other.response).toEqual({ kind: 'busy' });
    expect(server.received).toHaveLength(1);
    first.abandon();
  });

  test('leaves its place when its caller leaves', async () => {
    const { send, arrived, release, senders } = await queued({ connectionsMax: 1, waitingMax: 2 });
    const first = send('one');
    await arrived(1);
    const left = send('two');
    left.abandon();
    const calls = [send('three'), send('four')];
    expect(await left.response).toEqual({ kind: 'abandoned' });
    release();
    await arrived(2);
    expect(senders()).toEqual(['one', 'three']);
    for (const call of [first, ...calls]) call.abandon();
  });

  test('is sent before the queue closes, and nothing new is taken', async () => {
    const { queue, send, arrived, release } = await queued({ connectionsMax: 1 });
    const [first, second] = [send('one'), send('two')];
    await arrived(1);
    const closed = queue.close();
    expect(await send('three').response).toEqual({ kind: 'busy' });
    release();
    await arrived(2);
    release();
    expect(await first.response).toMatchObject({ kind: 'whole' });
    expect(await second.response).toMatchObject({ kind: 'whole' });
    await closed;
  });
});

describe('a call frees its place', () => {
  test('once, when its caller leaves while it is under way', async () => {
    const { send, arrived, senders } = await queued({ connectionsMax: 1 });
    const first = send('one');
    await arrived(1);
    const calls = [send('two'), send('three')];
    first.abandon();
    first.abandon();
    expect(await first.response).toEqual({ kind: 'abandoned' });
    await arrived(2);
    await new Promise(setImmediate);
    expect(senders()).toEqual(['one', 'two']);
    for (const call of calls) call.abandon();
  });

  test('when its streamed body has been read, not before', async () => {
    const { queue, send, arrived, release, senders } = await queued({ connectionsMax: 1 });
    const streamed = queue.send(get({ account: 'one' }));
    await arrived(1);
    release(http(200, Buffer.alloc(100_000, 'a')));
    const answer = await streamed.response;
    if (answer.kind !== 'stream') throw new Error(`not streamed: ${answer.kind}`);
    const next = send('two');
    await new Promise(setImmediate);
    expect(senders()).toHaveLength(1);
    const reader = new PassThrough();
    reader.resume();
    expect(await answer.pipeTo(reader)).toBe('ended');
    await arrived(2);
    next.abandon();
  });

  test('when the upstream breaks off', async () => {
    const { send, arrived, server } = await queued({ connectionsMax: 1 });
    const first = send('one');
    const second = send('two');
    await arrived(1);
    server.received[0]?.socket.destroy();
    expect(await first.response).toMatchObject({ kind: 'unavailable' });
    await arrived(2);
    second.abandon();
  });
});

test('an account may use a quarter of the connections and half of the queue by default', () => {
  expect(UpstreamLimits.limits({ connectionsMax: 100, waitingMax: 10 })).toEqual({
    connectionsMax: 100,
    waitingMax: 10,
    accountConnectionsMax: 25,
    accountWaitingMax: 5,
    waitMsMax: 10_000,
  });
  expect(UpstreamLimits.limits({ connectionsMax: 1 }).accountConnectionsMax).toBe(1);
});

test('a wait counts until its call is sent or given up; a call that is sent at once has not waited', async () => {
  let nowMs = 0;
  const waits = new UpstreamWaits(() => nowMs);
  const { send, arrived, release } = await queued({ connectionsMax: 1, accountConnectionsMax: 1 }, waits);
  const first = send('a');
  await arrived(1);
  expect(waits).toMatchObject({ waiting: 0, ended: 0, endedMs: 0 });
  const [second, left] = [send('b'), send('c')];
  expect(waits.waiting).toBe(2);
  nowMs = 300;
  left.abandon();
  expect(waits).toMatchObject({ waiting: 1, ended: 1, endedMs: 300 });
  nowMs = 500;
  release();
  await first.response;
  await arrived(2);
  expect(waits).toMatchObject({ waiting: 0, ended: 2, endedMs: 800 });
  second.abandon();
});
