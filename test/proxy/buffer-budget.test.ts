import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import * as BufferBudget from '../../src/proxy/buffer-budget.ts';
import { against, get, post, whole } from './opened-upstream.ts';
import { http, type Received } from './scripted-upstream.ts';

const half = Buffer.alloc(600_000, 'a');
const max = 1_000_000;

/** An upstream that withholds the last byte of each response until the test releases it, and a client that may buffer a million bytes. */
async function holding() {
  const held = BufferBudget.create(max);
  const asked: Received[] = [];
  const { upstream } = await against(
    (received) => {
      asked.push(received);
      received.socket.write(http(200, half).subarray(0, -1));
    },
    { held },
  );
  const reach = async (bytes: number) => {
    while (held.bytes < bytes) await new Promise(setImmediate);
  };
  return { held, upstream, asked, reach };
}

test('answers that are gathered at once take up what they may and no more: one too many is busy, the others arrive', async () => {
  const { held, upstream, asked, reach } = await holding();
  const first = upstream.send(post());
  await reach(half.length - 1);
  const second = upstream.send(post());
  expect(await second.response).toEqual({ kind: 'busy' });
  expect(held.bytes).toBeLessThan(max + 64 * 1024);

  asked[0]?.socket.write('a');
  expect(whole(await first.response).body.length).toBe(half.length);
  while (held.bytes > 0) await new Promise(setImmediate);

  const third = upstream.send(post());
  await reach(half.length - 1);
  asked[2]?.socket.write('a');
  expect(whole(await third.response).body.length).toBe(half.length);
});

test('what is full takes no further metered call, and lets others stream', async () => {
  const { held, upstream } = await holding();
  BufferBudget.reserve(held, max);
  expect(await upstream.send(post()).response).toEqual({ kind: 'busy' });
  const streamed = upstream.send(get());
  expect((await streamed.response).kind).toBe('stream');
  streamed.abandon();
});

test('nothing is held of what was abandoned, or broke off', async () => {
  const { held, upstream, asked, reach } = await holding();
  const left = upstream.send(post());
  await reach(half.length - 1);
  left.abandon();
  expect(await left.response).toEqual({ kind: 'abandoned' });
  while (held.bytes > 0) await new Promise(setImmediate);

  const cut = upstream.send(post());
  await reach(half.length - 1);
  asked[1]?.socket.destroy();
  expect((await cut.response).kind).toBe('unavailable');
  while (held.bytes > 0) await new Promise(setImmediate);
  expect(held.bytes).toBe(0);
});

test('what a reader has not taken is held until the reader has it or has gone, and not where there is none', async () => {
  const held = BufferBudget.create(max);
  const [reader, leaver, gone] = [new PassThrough(), new PassThrough(), new PassThrough()];
  gone.destroy();
  await once(gone, 'close');
  for (const outgoing of [reader, leaver, gone]) BufferBudget.reserveUntilClosed(held, half.length, outgoing);
  expect(held.bytes).toBe(2 * half.length);
  leaver.destroy();
  await once(leaver, 'close');
  expect(held.bytes).toBe(half.length);
  reader.end(half);
  reader.resume();
  await once(reader, 'close');
  expect(held.bytes).toBe(0);
});
