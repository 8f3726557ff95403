import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as RequestHead from '../../../src/http/fast-path/request-head.ts';
import { Dice } from '../../purchase/dice.ts';

const request = (line: string, fields: readonly string[], body = '') =>
  `${[line, ...fields].join('\r\n')}\r\n\r\n${body}`;
const plain = ['Host: shop.example', 'Authorization: Bearer a.b.c', 'Content-Type: application/json'];

describe('the head of a request', () => {
  test('is read with its names as they were spelled, its values without the blanks around them', () => {
    const text = request(
      'POST /v1/list?a=b HTTP/1.1',
      [...plain, 'X-Empty:', 'x-wide: \t a  b \t', 'Content-Length: 2'],
      '{}',
    );
    expect(RequestHead.parseRequestHead(text)).toEqual({
      method: 'POST',
      target: '/v1/list?a=b',
      rawHeaders: [
        ...['Host', 'shop.example', 'Authorization', 'Bearer a.b.c', 'Content-Type', 'application/json'],
        ...['X-Empty', '', 'x-wide', 'a  b', 'Content-Length', '2'],
      ],
      headers: {
        host: 'shop.example',
        authorization: 'Bearer a.b.c',
        'content-type': 'application/json',
        'content-length': '2',
      },
      contentLength: 2,
      length: text.length - 2,
    });
  });

  test.each([
    ['a part of one', 'POST /v1/list HTTP/1.1\r\nHost: a\r\n'],
    [
      'a browser that opens the address',
      request('GET /v1/list HTTP/1.1', [...plain, 'Sec-Fetch-Mode: navigate']),
    ],
    ['another version', request('POST /v1/list HTTP/1.0', plain)],
    ['a method that nothing is sold by', request('CONNECT shop.example:443 HTTP/1.1', plain)],
    ['no host', request('POST /v1/list HTTP/1.1', plain.slice(1))],
    ['two hosts', request('POST /v1/list HTTP/1.1', [...plain, 'host: other.example'])],
    ['two bearers', request('POST /v1/list HTTP/1.1', [...plain, 'AUTHORIZATION: Bearer d'])],
    ['two lengths', request('POST /v1/list HTTP/1.1', [...plain, 'Content-Length: 2', 'content-length: 2'])],
    ['a list of lengths', request('POST /v1/list HTTP/1.1', [...plain, 'Content-Length: 2, 2'])],
    ['a signed length', request('POST /v1/list HTTP/1.1', [...plain, 'Content-Length: +2'])],
    ['a length with a zero before it', request('POST /v1/list HTTP/1.1', [...plain, 'Content-Length: 02'])],
    ['a coding of the message', request('POST /v1/list HTTP/1.1', [...plain, 'transfer-ENCODING: chunked'])],
    ['an expectation', request('POST /v1/list HTTP/1.1', [...plain, 'Expect: 100-continue'])],
    ['an upgrade', request('GET /v1/list HTTP/1.1', [...plain, 'Upgrade: websocket', 'Connection: upgrade'])],
    ['an end of the connection', request('GET /v1/list HTTP/1.1', [...plain, 'Connection: close'])],
    ['a folded line', request('GET /v1/list HTTP/1.1', ['Host: a', 'X-Long: b', ' c'])],
    ['a blank before the colon', request('GET /v1/list HTTP/1.1', ['Host : a'])],
    ['a line without a colon', request('GET /v1/list HTTP/1.1', ['Host: a', 'nothing'])],
    ['no name', request('GET /v1/list HTTP/1.1', ['Host: a', ': b'])],
    ['a bare line feed', request('GET /v1/list HTTP/1.1', ['Host: a\nX-Other: b'])],
    ['a bare carriage return', request('GET /v1/list HTTP/1.1', ['Host: a\rX-Other: b'])],
    ['a NUL', request('GET /v1/list HTTP/1.1', ['Host: a\0b'])],
    ['what is no ASCII', request('GET /v1/list HTTP/1.1', ['Host: a', 'X-Name: J\xfcrgen'])],
    ['a target with a line in it', request('GET /v1/list\r\nX: HTTP/1.1', ['Host: a'])],
    ['two blanks in its line', request('GET  /v1/list HTTP/1.1', ['Host: a'])],
    ['a line before it', `\r\n${request('GET /v1/list HTTP/1.1', ['Host: a'])}`],
    [
      'more fields than anybody sends',
      request('GET / HTTP/1.1', ['Host: a', ...Array.from({ length: 64 }, () => 'x: y')]),
    ],
    [
      'more than is read at once',
      request('GET / HTTP/1.1', ['Host: a', `x: ${'y'.repeat(RequestHead.headCharsMax)}`]),
    ],
  ])('is not for the front where it is or has %s', (_, text) => {
    expect(RequestHead.parseRequestHead(text)).toBeNull();
  });
});

/** The first request of a connection, as Node's own server read it. */
type Seen = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & { body: string };

describe('whatever the front takes', () => {
  const seed = 20_261_121;
  const samples = 8_000;
  const atOnce = 16;
  const server = createServer();
  /** Requests by the client's port. */
  const seen = new Map<number, Seen>();
  beforeAll(async () => {
    server.on('request', (incoming, outgoing) => {
      const { method, url, rawHeaders } = incoming;
      const port = incoming.socket.remotePort ?? 0;
      let body = '';
      incoming.setEncoding('latin1').on('data', (text) => (body += text));
      incoming.on('end', () => {
        if (!seen.has(port)) seen.set(port, { method, url, rawHeaders, body });
        outgoing.writeHead(200, { connection: 'close' }).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const ask = async (text: string): Promise<Seen | null> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    const { localPort = 0 } = socket;
    socket.resume().write(text, 'latin1');
    await once(socket, 'close');
    const one = seen.get(localPort) ?? null;
    seen.delete(localPort);
    return one;
  };

  test('Node’s server reads the same way, to the byte', async () => {
    const dice = new Dice(seed);
    let taken = 0;
    const work = async (count: number) => {
      for (let at = 0; at < count; at++) {
        const text = mutated(dice);
        const head = RequestHead.parseRequestHead(text);
        if (head === null || text.length < head.length + head.contentLength) continue;
        taken += 1;
        const { method, target, rawHeaders, length, contentLength } = head;
        const body = text.slice(length, length + contentLength);
        expect({ text, as: await ask(text) }).toEqual({
          text,
          as: { method, url: target, rawHeaders, body },
        });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, () => work(samples / atOnce)));
    expect(taken).toBeGreaterThan(samples / 10);
  });
});

const fields = [
  ...plain,
  ...[
    'Accept: */*',
    'accept-language: de',
    'User-Agent: x/1',
    'Connection: keep-alive',
    'Idempotency-Key: k',
    'X-A: b,c',
  ],
];
const odd = [
  ...[
    'Content-Length: 0',
    'content-length: 3',
    'Content-Length:7',
    'Content-Length: 3\t',
    'Content-Length: 0x3',
    'Content-Length: 1 1',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding : chunked',
    'Transfer_Encoding: chunked',
    'X: a\r\n b',
    ' X: a',
    'X:',
  ],
  ...[
    'Connection: Keep-Alive',
    'Connection: keep-alive, x',
    'Keep-Alive: 5',
    'Host:',
    'Expect: x',
    'Upgrade: h2c',
    'TE: trailers',
  ],
];
const signs = [
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '\x0b',
  '\x7f',
  '\x80',
  '\xff',
  '"',
  '#',
  '%',
  '{',
  '|',
  '\\',
  'Z',
  '9',
];

/** Returns a request that is either normal or broken in ways that no client produces. */
function mutated(dice: Dice): string {
  const method = dice.pick(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS', 'post', 'GETT']);
  const target = dice.pick([
    '/v1/list',
    '/v1/list?a=%20b',
    '/',
    '*',
    'http://a/v1',
    '/a#b',
    '/{x}|y',
    '/"q"',
  ]);
  const version = dice.chance(0.95) ? 'HTTP/1.1' : dice.pick(['HTTP/1.0', 'HTTP/2', 'http/1.1', 'HTTP/1.1 ']);
  const lines = fields.filter((_, at) => at === 0 || dice.chance(0.6));
  for (let left = dice.int(3); left > 0; left--) lines.splice(dice.int(lines.length + 1), 0, dice.pick(odd));
  const text = request(
    `${method} ${target} ${version}`,
    lines,
    '{}x\r\n\r\nGET /next HTTP/1.1\r\nHost: b\r\n\r\n',
  );
  if (dice.chance(0.5)) return text;
  const at = dice.int(text.length);
  return text.slice(0, at) + dice.pick(signs) + text.slice(at + (dice.chance(0.5) ? 1 : 0));
}
