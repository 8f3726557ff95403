import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import type { Body } from '../../../src/http/body.ts';
import type { Incoming, Outgoing } from '../../../src/http/outgoing.ts';
import * as Server from '../../../src/http/server.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import * as Program from '../../support/program.ts';

type Asked = { incoming: Incoming; outgoing: Outgoing; body: Body };

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A server that sells `/sold` by the front, with `answer`, and says on all else that it was Node's that read it. */
async function open(answer: (asked: Asked) => void, waits?: { bodyMsMax: number; silenceMsMax: number }) {
  const port = await Program.freePort();
  const asked: Asked[] = [];
  const answering: Server.Answering = {
    takes: (_, target) => target.startsWith('/sold'),
    sell(incoming, outgoing, body) {
      asked.push({ incoming, outgoing, body });
      answer({ incoming, outgoing, body });
    },
    async listener(incoming, outgoing) {
      const body = await text(incoming);
      outgoing.end(`Node read ${incoming.method} ${incoming.url} ${body}`);
    },
  };
  const stop = await Server.serve({ host: '127.0.0.1', port }, () => answering, systemClock, waits);
  opened.push(stop);
  return { port, asked, stop };
}

/** A connection, and all that came on it so far. */
async function dial(port: number): Promise<{ socket: Socket; said(): string; closed: Promise<unknown> }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let said = '';
  socket.on('error', () => {}).on('data', (chunk) => (said += chunk.toString('latin1')));
  opened.push(() => socket.destroy());
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, said: () => said, closed };
}

const post = (path: string, body: string, ...fields: string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: a', ...fields, `content-length: ${body.length}`, '', body].join('\r\n');

const bytesOf = ({ body }: Asked) => (body.kind === 'body' ? body.bytes.toString() : body.kind);

/** Says what it was asked. */
const echo = (asked: Asked) => {
  const said = `${asked.incoming.method} ${asked.incoming.url} ${bytesOf(asked)}`;
  asked.outgoing.writeHead(200, ['content-length', String(said.length)]);
  asked.outgoing.end(said, 'latin1');
};

describe('a connection', () => {
  test('is answered one request after the other, also where they come at once or in pieces', async () => {
    const { port } = await open(echo);
    const { socket, said } = await dial(port);
    socket.write(post('/sold/1', 'one'));
    await expect.poll(said).toMatch(/one$/);
    socket.write(post('/sold/2', 'two') + post('/sold/3', 'three') + post('/sold/4', 'four').slice(0, -2));
    await expect.poll(said).toMatch(/three$/);
    socket.write('ur');
    await expect.poll(said).toMatch(/four$/);
    expect(
      said().match(
        /^HTTP\/1\.1 200 OK\r\ncontent-length: 16\r\nDate: .* GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n/,
      ),
    ).not.toBeNull();
    expect(said().match(/POST \/sold\/\d (?:one|two|three|four)/g)).toEqual([
      'POST /sold/1 one',
      'POST /sold/2 two',
      'POST /sold/3 three',
      'POST /sold/4 four',
    ]);
  });

  test('has one call under way: who sends the next ones early waits his turn', async () => {
    const { port, asked } = await open(() => {});
    const { socket, said } = await dial(port);
    socket.write(post('/sold/1', 'one') + post('/sold/2', 'two'));
    await expect.poll(() => asked.length).toBe(1);
    socket.write(post('/sold/3', 'three'));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => asked.length).toBe(count);
      echo(asked[count - 1] as Asked);
    }
    await expect.poll(said).toMatch(/one.*two.*three$/s);
  });

  test.each([
    ['what is not sold', post('/other', 'x'), 'Node read POST /other x'],
    [
      'a body in chunks',
      'POST /sold HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      'Node read POST /sold x',
    ],
    ['a body that is long', post('/sold', 'x'.repeat(70_000)), `Node read POST /sold ${'x'.repeat(70_000)}`],
    ['an expectation', post('/sold', 'x', 'expect: 100-continue'), 'Node read POST /sold x'],
    ['a head of another version', 'GET /sold HTTP/1.0\r\n\r\n', 'Node read GET /sold '],
  ])('goes on at Node’s server with %s, also after calls of the front', async (_, request, expected) => {
    const { port, asked } = await open(echo);
    for (const before of ['', post('/sold', 'first')]) {
      const { socket, said } = await dial(port);
      socket.write(before + request);
      await expect.poll(said).toContain(expected);
      if (request.includes('HTTP/1.0')) continue;
      socket.write(post('/sold', 'later'));
      await expect.poll(said).toMatch(/Node read POST \/sold later$/);
    }
    expect(asked.map(bytesOf)).toEqual(['first']);
  });

  test('goes on at Node’s server where a head comes in pieces, and loses no byte', async () => {
    const { port, asked } = await open(echo);
    const request = post('/sold', 'body');
    const { socket, said } = await dial(port);
    socket.write(request.slice(0, 20));
    // Node's server has it when its own time for a head begins, which nothing tells; a turn or two is enough for most runs.
    for (const piece of [request.slice(20, 40), request.slice(40)]) {
      await new Promise(setImmediate);
      socket.write(piece);
    }
    await expect.poll(said).toMatch(/(?:Node read )?POST \/sold body$/);
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  test('is refused by Node’s server where nobody could read it', async () => {
    const { port, asked } = await open(echo);
    const { socket, said, closed } = await dial(port);
    socket.write('POST /sold HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx');
    await closed;
    expect(said()).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(asked).toEqual([]);
  });

  test('ends where nothing comes on it, and with what its caller leaves half said', async () => {
    const { port, asked } = await open(echo, { bodyMsMax: 60, silenceMsMax: 200 });
    const idle = await dial(port);
    const slow = await dial(port);
    slow.socket.write(post('/sold', 'body').slice(0, -1));
    await idle.closed;
    await expect.poll(() => asked.map(bytesOf)).toEqual(['too_slow']);
  });
});

test('what comes after the last answer of a connection is nobody’s request', async () => {
  const { port, asked } = await open(
    ({ outgoing, body }) => {
      outgoing.writeHead(408, ['connection', 'close', 'content-length', '0']);
      if (body.kind === 'too_slow') outgoing.end();
    },
    { bodyMsMax: 60, silenceMsMax: 5_000 },
  );
  const { socket, said, closed } = await dial(port);
  // Of a body that is a request itself, as one that is smuggled would be.
  const inner = post('/sold/inner', 'charged');
  socket.write(post('/sold/outer', `${inner}${inner}`).slice(0, -inner.length * 2));
  // As it is told, so that the bytes arrive before it can know of the end.
  socket.once('data', () => socket.write(inner));
  await closed;
  expect(said()).toMatch(/^HTTP\/1\.1 408 /);
  expect(asked.map(({ incoming }) => incoming.url)).toEqual(['/sold/outer']);
});

describe('an answer', () => {
  test('without a length goes out in chunks, byte for byte', async () => {
    const { port } = await open(({ outgoing }) => {
      outgoing.writeHead(200, []);
      outgoing.write(Buffer.from('first,'), () =>
        outgoing.write(Buffer.from([0x80, 0xff]), () => outgoing.end()),
      );
    });
    const { socket, said } = await dial(port);
    socket.write(post('/sold', ''));
    await expect
      .poll(said)
      .toMatch(/transfer-encoding: chunked\r\n.*\r\n\r\n6\r\nfirst,\r\n2\r\n\x80\xff\r\n0\r\n\r\n$/s);
  });

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('to %s with status %i has no body, and the next one follows', async (method, status) => {
    const { port } = await open(({ outgoing }) => {
      outgoing.writeHead(status, status === 200 ? ['content-length', '7'] : []);
      outgoing.end(Buffer.from('nothing'));
    });
    const { socket, said } = await dial(port);
    const request = `${method} /sold HTTP/1.1\r\nhost: a\r\n\r\n`;
    socket.write(request + request);
    await expect.poll(() => said().match(/HTTP\/1\.1/g)?.length).toBe(2);
    expect(said()).not.toContain('nothing');
    expect(said()).not.toContain('chunked');
  });

  test('is not written with a field that would end its line', async () => {
    const { port, asked } = await open(() => {});
    const { socket } = await dial(port);
    socket.write(post('/sold', ''));
    await expect.poll(() => asked.length).toBe(1);
    const outgoing = asked[0]?.outgoing as Outgoing;
    expect(() => outgoing.writeHead(200, ['x', 'a\r\nset-cookie: b'])).toThrow(TypeError);
    expect(outgoing.headersSent).toBe(false);
  });

  test('is closed when all of it is out of our hands, and not before', async () => {
    const large = Buffer.alloc(20_000_000, 'x');
    const events: string[] = [];
    const { port } = await open(({ outgoing }) => {
      outgoing.once('close', () => events.push(outgoing.writableFinished ? 'left whole' : 'cut'));
      outgoing.writeHead(200, ['content-length', String(large.length)]);
      outgoing.end(large);
      events.push('ended');
    });
    const { socket, said } = await dial(port);
    socket.pause();
    socket.write(post('/sold', ''));
    await expect.poll(() => events).toEqual(['ended']);
    socket.resume();
    await expect.poll(() => events).toEqual(['ended', 'left whole']);
    await expect.poll(() => said().length).toBeGreaterThan(large.length);
  });

  test('is cut where its caller leaves, before it or within', async () => {
    const events: string[] = [];
    const { port, asked } = await open(({ outgoing, incoming }) => {
      outgoing.once('close', () =>
        events.push(`${incoming.url} ${outgoing.writableFinished} ${outgoing.destroyed}`),
      );
      if (incoming.url === '/sold/within') {
        outgoing.writeHead(200, []);
        outgoing.write(Buffer.from('x'), () => {});
      }
    });
    for (const path of ['/sold/before', '/sold/within']) {
      const { socket } = await dial(port);
      socket.write(post(path, ''));
      await expect.poll(() => asked.length).toBeGreaterThan(events.length);
      socket.destroy();
      await expect.poll(() => events.at(-1)).toBe(`${path} false true`);
    }
  });

  test('to a caller who takes nothing more is given up in time', async () => {
    const { port, asked } = await open(
      ({ outgoing }) => {
        outgoing.writeHead(200, ['content-length', '20000000']);
        outgoing.end(Buffer.alloc(20_000_000));
      },
      { bodyMsMax: 1_000, silenceMsMax: 200 },
    );
    const { socket } = await dial(port);
    socket.pause();
    socket.write(post('/sold', ''));
    await expect.poll(() => asked[0]?.outgoing.closed).toBe(true);
    expect(asked[0]?.outgoing.writableFinished).toBe(false);
  });
});

test('a server that is told to end answers what is under way, says that it was the last, and closes what is idle', async () => {
  const { port, asked, stop } = await open(() => {});
  const idle = await dial(port);
  const busy = await dial(port);
  busy.socket.write(post('/sold', 'body'));
  await expect.poll(() => asked.length).toBe(1);
  const stopped = stop();
  await idle.closed;
  echo(asked[0] as Asked);
  await busy.closed;
  await stopped;
  expect(busy.said()).toMatch(/\r\nConnection: close\r\n\r\nPOST \/sold body$/);
});
