import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ResponseParser } from '../../src/adapters/upstream/response-parser.ts';
import { Dice } from '../purchase/dice.ts';

/** The result of reading bytes that end with the connection; null when they are not a response. */
type Read = { status: number; headers: readonly string[]; body: string } | null;

/** Runs our parser on the bytes in pieces, in one buffer that each piece overwrites. */
function ours(method: string, pieces: readonly Buffer[]): Read {
  const reader = new ResponseParser(method === 'HEAD');
  const buffer = Buffer.alloc(Math.max(...pieces.map(({ length }) => length)));
  let body = '';
  for (const piece of pieces) {
    buffer.fill('!');
    piece.copy(buffer);
    if (reader.read(buffer, piece.length) !== null) return null;
    body += buffer.toString('latin1', reader.from, reader.to);
    if (reader.state === 'over') break;
  }
  if (reader.state !== 'over' && reader.end() !== null) return null;
  return reader.head && { status: reader.head.status, headers: reader.head.headers, body };
}

/** Returns the reason why our parser rejects a response, or null. */
function refusal(text: string): string | null {
  const reader = new ResponseParser(false);
  const bytes = Buffer.from(text, 'latin1');
  return reader.read(bytes, bytes.length) ?? (reader.state === 'over' ? null : reader.end());
}

function cut(bytes: Buffer, dice: Dice): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = dice.int(4) === 0 ? 1 + dice.int(3) : 1 + dice.int(bytes.length);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

// Ours rejects more, on purpose: transfer codings other than a single `chunked`, chunks in HTTP/1.0, HTTP/2.0 in a status line, a status
// below 100, empty lines before it, framing in a trailer, and anything beyond its limits.
describe('the reader of answers, beside Node’s own', () => {
  let bytes: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  function nodes(method: string): Promise<Read> {
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve) => {
      const asking = request({ host: '127.0.0.1', port, method, agent: false });
      let isThere = false;
      asking.on('error', () => !isThere && resolve(null));
      asking.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve(null);
      });
      asking.on('response', (incoming) => {
        isThere = true;
        let body = '';
        incoming.on('error', () => undefined);
        incoming.on('data', (chunk: Buffer) => {
          body += chunk.toString('latin1');
        });
        incoming.on('close', () => {
          const headers = incoming.rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
          resolve(incoming.complete ? { status: incoming.statusCode ?? 0, headers, body } : null);
        });
      });
      asking.end();
    });
  }

  test.each([1, 2, 3, 4])(
    'takes nothing that Node refuses, and reads the rest as Node does (seed %i)',
    async (seed) => {
      const dice = new Dice(seed);
      let taken = 0;
      let refused = 0;
      for (let round = 0; round < 400; round++) {
        const method = dice.int(8) === 0 ? 'HEAD' : 'GET';
        bytes = Buffer.from(spoilt(dice), 'latin1');
        const whole = ours(method, [bytes]);
        expect(ours(method, cut(bytes, dice)), JSON.stringify(bytes.toString('latin1'))).toEqual(whole);
        const read = await nodes(method);
        if (whole === null) refused++;
        else {
          taken++;
          expect(whole, JSON.stringify(bytes.toString('latin1'))).toEqual(read);
        }
      }
      expect(taken).toBeGreaterThan(100);
      expect(refused).toBeGreaterThan(100);
    },
  );
});

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

describe('what is no answer, for a reason that the log is told', () => {
  test.each([
    ['malformed_status_line', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['malformed_status_line', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['malformed_status_line', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['malformed_status_line', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['malformed_status_line', 'SSH'],
    ['protocol_changed', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['closed_early', 'HTTP/1.1 103 Early Hints\r\nconnection: close\r\n\r\n'],
    ['malformed_field', `${ok}etag: "a"\r\n folded\r\n\r\n`],
    ['malformed_field', `${ok}etag : "a"\r\n\r\n`],
    ['malformed_field', `${ok}etag: a\nb: c\r\n\r\n`],
    ['too_many_fields', `${ok}${'a: b\r\n'.repeat(129)}\r\n`],
    ['head_too_large', `${ok}etag: ${'a'.repeat(16_384)}`],
    ['two_lengths', `${ok}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`],
    ['malformed_length', `${ok}content-length: 1${'0'.repeat(15)}\r\n\r\n`],
    ['malformed_field', `${ok}transfer-encoding: chunked\t\r\n\r\n0\r\n\r\n`],
    ['malformed_field', `${ok}content-length: 0\t\r\n\r\n`],
    ['length_and_chunks', `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['unknown_transfer_encoding', `${ok}transfer-encoding: gzip\r\n\r\n`],
    ['unknown_transfer_encoding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['unknown_transfer_encoding', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['malformed_chunk', `${chunked}0000000000001\r\n`],
    ['malformed_chunk', `${chunked}1 \r\n`],
    ['malformed_chunk', `${chunked}1\n`],
    ['malformed_chunk', `${chunked}1;a=\x01\r\n`],
    ['malformed_chunk', `${chunked}1;${'a'.repeat(256)}`],
    ['malformed_chunk', `${chunked}1\r\nab`],
    ['malformed_trailer', `${chunked}0\r\ncontent-length: 2\r\n\r\n`],
    ['malformed_trailer', `${chunked}0\r\n folded\r\n\r\n`],
    ['malformed_trailer', `${chunked}0\r\n${'a: b\r\n'.repeat(3_000)}`],
    ['cut', `${ok}content-length: 2\r\n\r\n{`],
    ['cut', `${chunked}1\r\na\r\n`],
    ['cut', `${chunked}0\r\n`],
    ['cut', ok],
    ['cut', ''],
  ])('%s: %j', (reason, text) => {
    expect(refusal(text)).toBe(reason);
  });

  test('and how long a connection may be used again is as the answer says', () => {
    const reuseMs = (field: string, version = '1.1') => {
      const reader = new ResponseParser(false);
      const bytes = Buffer.from(`HTTP/${version} 200 OK\r\n${field}\r\ncontent-length: 0\r\n\r\n`);
      reader.read(bytes, bytes.length);
      return reader.head?.reuseMs;
    };
    expect(reuseMs('connection: keep-alive')).toBe(4_000);
    expect(reuseMs('Connection: Upgrade, CLOSE')).toBe(0);
    expect(reuseMs('connection: keep-alive', '1.0')).toBe(0);
    expect(reuseMs('Keep-Alive: max=100, timeout=75')).toBe(74_000);
    expect(reuseMs('keep-alive: timeout=1')).toBe(0);
    expect(reuseMs('keep-alive: timeout=999999999')).toBe(600_000);
    expect(reuseMs('keep-alive: timeout=5\r\nconnection: close')).toBe(0);
  });
});

const wholesome = [
  `${ok}Content-Type: application/json\r\nContent-Length: 8\r\nETag: "a\xe9"\r\n\r\n{"n": 1}`,
  `${ok}content-length:2\r\nX-A:  \t b \t\r\nx-b:\r\n\r\n{}`,
  `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\n{"n\r\n00A;a=b;c="d e"\r\n0123456789\r\n0\r\n\r\n`,
  `${ok}transfer-encoding: Chunked\r\ntrailer: etag\r\n\r\n1\r\na\r\n1\r\nb\r\n0;last\r\netag: "late"\r\nx-y: z\r\n\r\n`,
  `${ok}Connection: close\r\n\r\nto the end`,
  'HTTP/1.0 404 Not Found\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabc',
  'HTTP/1.1 204 \r\nETag: "b"\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
  `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
  'HTTP/1.1 500\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n',
];
const fields = [
  ...[
    'Content-Length: 2',
    'content-length: 02',
    'Content-Length: +2',
    'Content-Length: 2, 2',
    'Content-Length:',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked, chunked',
  ],
  ...['Transfer-Encoding: identity', 'Transfer-Encoding : chunked', 'transfer-encoding:\tchunked', 'X: a\0b'],
  ...['Transfer-Encoding: chunked\t', 'Transfer-Encoding: chunked \t ', 'Content-Length: 2\t'],
  ...[
    'X: a\rb',
    'X: a\nY: b',
    ' folded',
    '\tfolded',
    ': nameless',
    'no colon',
    'a b: c',
    'a\x80: c',
    'Upgrade: x',
  ],
  ...[
    'Connection: upgrade',
    'Connection: close',
    'Connection: keep-alive',
    'X: \x7f',
    'X: \xff',
    '\0: a',
    'X-Y_z: 1',
  ],
];
const scraps = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    '0',
    '1',
    '9',
    'a',
    'f',
    'g',
    '-',
    '+',
    '0x',
    '\x80',
    '"',
    '=',
  ],
  ...[
    'HTTP/1.1',
    'HTTP/2.0',
    'HTTP/1.1 200 OK\r\n\r\n',
    'chunked',
    ', ',
    '0\r\n\r\n',
    'ffffffff',
    '\x0b',
    '\x7f',
    '\\',
  ],
];

/** Returns a response that usually contains up to three mistakes. */
function spoilt(dice: Dice): string {
  let text = dice.pick(wholesome);
  for (let left = dice.int(4); left > 0; left--) {
    const at = dice.int(text.length + 1);
    switch (dice.int(5)) {
      case 0: {
        const lines = text.split('\r\n');
        lines.splice(1 + dice.int(3), 0, dice.pick(fields));
        text = lines.join('\r\n');
        break;
      }
      case 1:
        text = text.slice(0, at) + dice.pick(scraps) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + dice.pick(scraps) + text.slice(at + 1);
        break;
      case 3:
        text = text.slice(0, at) + text.slice(at + 1 + dice.int(4));
        break;
      case 4:
        text += dice.pick(wholesome).slice(0, dice.int(40));
        break;
    }
  }
  return text;
}
