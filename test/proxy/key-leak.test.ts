import { Writable } from 'node:stream';
import * as Zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { UpstreamResult } from '../../src/proxy/upstream-response.ts';
import { against, get, post } from './opened-upstream.ts';
import type { Received } from './scripted-upstream.ts';

const key = 'sk_live_51H8x-operator-secret';
/** As many bytes of the key may leave as those of no other secret would say anything about it. */
const partBytesMax = 7;

/** All that a caller would be given, headers and body; and what became of it. */
async function delivered(answer: UpstreamResult): Promise<{ text: string; outcome: string }> {
  if (answer.kind === 'whole')
    return { text: `${answer.headers.join('\n')}\n${answer.body.toString('latin1')}`, outcome: 'whole' };
  if (answer.kind !== 'stream')
    return { text: '', outcome: 'reason' in answer ? answer.reason : answer.kind };
  let text = `${answer.headers.join('\n')}\n`;
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString('latin1');
      done();
    },
  });
  destination.on('error', () => undefined);
  return { outcome: await answer.pipeTo(destination), text };
}

function shows(text: string): boolean {
  for (const secret of [key, Buffer.from(key).toString('base64')])
    for (let at = 0; at + partBytesMax < secret.length; at++)
      if (text.includes(secret.slice(at, at + partBytesMax + 1))) return true;
  return false;
}

const framings = {
  length: (body: Buffer, head: string) =>
    Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]),
  chunks(body: Buffer, head: string) {
    const pieces: Buffer[] = [Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`)];
    // A chunk of every length, so that the key is cut at different places.
    for (let at = 0, length = 1; at < body.length; at += length, length = (length % 977) + 1)
      pieces.push(
        Buffer.from(`${Math.min(length, body.length - at).toString(16)}\r\n`),
        body.subarray(at, at + length),
        Buffer.from('\r\n'),
      );
    return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
  },
  close: (body: Buffer, head: string) =>
    Buffer.concat([Buffer.from(`${head}connection: close\r\n\r\n`), body]),
};

/** Writes in pieces that end within the key. */
async function drip(socket: Received['socket'], bytes: Buffer, ends: boolean): Promise<void> {
  socket.setNoDelay(true);
  const at = bytes.indexOf('sk_live_');
  const cuts = at < 0 ? [Math.floor(bytes.length / 2)] : [at + 1, at + 9, at + key.length - 1];
  let from = 0;
  for (const cut of cuts) {
    await new Promise<void>((resolve) => {
      socket.write(bytes.subarray(from, cut), () => resolve());
    });
    await new Promise(setImmediate);
    from = cut;
  }
  socket.write(bytes.subarray(from));
  if (ends) socket.end();
}

const echoes: [string, (before: string, after: string) => string][] = [
  ['plain', (before, after) => `${before}"x-api-key":"${key}"${after}`],
  ['base64', (before, after) => `${before}${Buffer.from(`a:${key}`).toString('base64')}${after}`],
];
const sizes = [0, 20_000, 150_000];

describe('the operator’s key never reaches a caller', () => {
  describe.each(Object.keys(framings) as (keyof typeof framings)[])('in a body ended by %s', (framing) => {
    test.each(echoes)('%s, of any size and status, metered or not, in any pieces', async (_, echo) => {
      const { upstream } = await against(
        ({ socket, head }) => {
          const [status = '', size = ''] = /\?(\d+)-(\d+)/.exec(head)?.slice(1) ?? [];
          const half = 'x'.repeat(Number(size) / 2);
          const bytes = framings[framing](Buffer.from(echo(half, half)), `HTTP/1.1 ${status} x\r\n`);
          return drip(socket, bytes, framing === 'close');
        },
        { key },
      );
      for (const metered of [true, false])
        for (const status of [200, 206, 400, 403, 404, 422, 500, 502])
          for (const size of sizes) {
            const asked = get({ metered, target: { path: '/echo', query: `?${status}-${size}` } });
            const { text, outcome } = await delivered(await upstream.send(asked).response);
            expect([status, size, metered, outcome]).toEqual([
              ...[status, size, metered],
              expect.stringMatching(/^key_(in_body|found)$/),
            ]);
            expect(shows(text)).toBe(false);
            // An error page up to 64 KiB is held whole: none of it leaves.
            if (status >= 400 && size <= 20_000) expect(outcome).toBe('key_in_body');
          }
      await upstream.close();
    });
  });

  test.each([
    ['gzip', Zlib.gzipSync],
    ['deflate', Zlib.deflateSync],
    ['br', Zlib.brotliCompressSync],
    ['zstd', Zlib.zstdCompressSync],
  ] as const)('in a body coded by %s, which was not asked for', async (coding, encode) => {
    for (const framing of Object.values(framings))
      for (const metered of [true, false])
        for (const size of sizes) {
          const body = encode(Buffer.from(`${'x'.repeat(size)}${key}${'y'.repeat(size)}`));
          const clean = encode(Buffer.from(`${'x'.repeat(size)}${'y'.repeat(size)}`));
          const head = `HTTP/1.1 200 x\r\ncontent-encoding: ${coding}\r\n`;
          const { upstream, server } = await against(
            ({ socket, head: asked }) => {
              socket.write(framing(asked.includes('/clean') ? clean : body, head));
              if (framing === framings.close) socket.end();
            },
            { key },
          );
          expect(await upstream.send(get({ metered })).response).toEqual({
            kind: 'unavailable',
            reason: 'key_in_body',
          });
          const target = { path: '/clean', query: '' };
          expect(await upstream.send(get({ metered, target })).response).toMatchObject({
            kind: 'whole',
            body: clean,
          });
          expect(server.received[0]?.head).toContain('accept-encoding: identity');
          await upstream.close();
        }
  });

  test.each([
    [
      'behind the end of a coded body, where decoders do not look',
      'gzip',
      [Zlib.gzipSync('{}'), Buffer.from(key)],
      'key_in_body',
    ],
    [
      'in a body that is coded twice',
      'gzip, br',
      [Zlib.brotliCompressSync(Zlib.gzipSync(key))],
      'key_in_body',
    ],
    ['in a coding that cannot be read', 'compress', [Buffer.from('??')], 'unknown_coding'],
    [
      'in a body that is coded too often',
      'gzip, gzip, gzip',
      [Zlib.gzipSync(Zlib.gzipSync(Zlib.gzipSync(key)))],
      'unknown_coding',
    ],
    ['in a body that is not in the coding it names', 'br', [Buffer.from(`{"echo": 1}`)], 'coded_malformed'],
    [
      'in a coded body that decodes to too much',
      'gzip',
      [Zlib.gzipSync(Buffer.alloc(3_000_000))],
      'coded_too_large',
    ],
    ['in a coded body that is too long to be held', 'gzip', [Buffer.alloc(1_200_000)], 'coded_too_large'],
  ] as const)('%s', async (_, coding, pieces, reason) => {
    const { upstream } = await against(
      ({ socket }) =>
        socket.write(
          framings.length(Buffer.concat(pieces), `HTTP/1.1 200 x\r\ncontent-encoding: ${coding}\r\n`),
        ),
      { key, responseBytesMax: 1_000_000 },
    );
    const refusal =
      reason === 'key_in_body'
        ? { kind: 'unavailable', reason }
        : { kind: 'undecodable', status: 200, reason };
    for (const metered of [true, false])
      expect(await upstream.send(get({ metered })).response).toEqual(refusal);
    await upstream.close();
  });

  test('in a header, in any spelling', async () => {
    const spelled = [key, encodeURIComponent(key), Buffer.from(`u:${key}`).toString('base64')];
    const { upstream } = await against(
      ({ socket }) => {
        const fields = spelled.map((text) => `etag: "${text}"\r\nx-request-id: ${text}\r\n`).join('');
        socket.write(`HTTP/1.1 200 x\r\n${fields}content-length: 2\r\n\r\n{}`);
      },
      { key },
    );
    expect(await upstream.send(post()).response).toMatchObject({ headers: ['content-length', '2'] });
  });
});

test('what streams is not held up by the search', async () => {
  let more: () => unknown = () => undefined;
  const { upstream } = await against(
    ({ socket }) => {
      socket.write('HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n');
      more = () => socket.end('data: 2\n\n');
    },
    { key },
  );
  const answer = await upstream.send(get()).response;
  if (answer.kind !== 'stream') throw new Error(answer.kind);
  let text = '';
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk;
      if (text === 'data: 1\n\n') more();
      done();
    },
  });
  expect([await answer.pipeTo(destination), text]).toEqual(['ended', 'data: 1\n\ndata: 2\n\n']);
});
