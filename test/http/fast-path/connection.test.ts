import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '@sluice/kernel/clock';
import { afterEach, describe, expect, test } from 'vitest';
import type { Waits } from '../../../src/http/fast-path/connection.ts';
import type { Body } from '../../../src/http/server/body.ts';
import type { Incoming, Outgoing } from '../../../src/http/server/outgoing.ts';
import * as Server from '../../../src/http/server/server.ts';
import * as Program from '../../support/program.ts';

type Asked = { incoming: Incoming; outgoing: Outgoing; body: Body };

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Opens a server that sells `/sold` on the fast path with `answer`, and reports for all other paths that Node's server read them. */
async function open(answer: (asked: Asked) => void, waits: Partial<Waits> = {}, more = {}) {
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
  const { lameDuck, drain: stop } = await Server.serve(
    { host: '127.0.0.1', port, ...more },
    () => answering,
    systemClock,
    {
      ...{ firstByteMsMax: 10_000, bodyMsMax: 30_000, silenceMsMax: 65_000 },
      ...waits,
    },
  );
  opened.push(stop);
  return { port, asked, lameDuck, stop };
}

/** Opens a connection and collects everything that it receives. */
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

/** Responds with the request that it received. */
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
    // Node's server takes over when its own header timeout starts, which is not observable; a turn or two is enough for most runs.
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
    const { port, asked } = await open(echo, { firstByteMsMax: 200, bodyMsMax: 60, silenceMsMax: 5_000 });
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
  // The body is itself a request, as in request smuggling.
  const inner = post('/sold/inner', 'charged');
  socket.write(post('/sold/outer', `${inner}${inner}`).slice(0, -inner.length * 2));
  // Sent as soon as the response arrives, so before the connection can be known to end.
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
    outgoing.destroy();
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

  test('is cut where its caller resets the connection, before it or within', async () => {
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
      socket.resetAndDestroy();
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

  test('is not cut while its upstream pauses', async () => {
    const { port, asked } = await open(
      ({ outgoing }) => {
        outgoing.writeHead(200, []);
        outgoing.write(Buffer.from('one'), () => {});
        setTimeout(() => outgoing.end(Buffer.from('two')), 900);
      },
      { silenceMsMax: 200 },
    );
    const { socket, said } = await dial(port);
    socket.write(post('/sold', ''));
    await expect.poll(() => asked[0]?.outgoing.closed).toBe(true);
    expect(asked[0]?.outgoing.writableFinished).toBe(true);
    await expect.poll(said).toMatch(/one.*two/s);
  });
});

test('what comes behind a request before the end of a connection is answered by Node’s server, and what is cut by no one', async () => {
  const { port, asked } = await open(() => {});
  for (const [behind, expected] of [
    [post('/other', 'two'), /one.*Node read POST \/other two$/s],
    [post('/sold/2', 'two').slice(0, -1), /one$/],
  ] as const) {
    const { socket, said, closed } = await dial(port);
    const before = asked.length;
    socket.end(post('/sold/1', 'one') + behind);
    await expect.poll(() => asked.length).toBe(before + 1);
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
    echo(asked[before] as Asked);
    await closed;
    expect(said()).toMatch(expected);
  }
});

describe.each([true, false])('with the fast path %s', (httpFastPath) => {
  /** Responds to every request, on either path, only when the test says so. */
  const openHeld = async (waits: Partial<Waits> = {}) => {
    const held: (() => void)[] = [];
    const port = await Program.freePort();
    const answer = (url: string | undefined, outgoing: Outgoing) => {
      held.push(() => {
        const body = `answer to ${url}`;
        outgoing.writeHead(200, ['content-length', String(body.length)]);
        outgoing.end(Buffer.from(body));
      });
    };
    const answering: Server.Answering = {
      takes: (_, target) => target.startsWith('/sold'),
      sell: (incoming, outgoing) => answer(incoming.url, outgoing),
      async listener(incoming, outgoing) {
        await text(incoming).catch(() => undefined);
        if (incoming.complete) answer(incoming.url, outgoing);
      },
    };
    const usual = { firstByteMsMax: 10_000, bodyMsMax: 30_000, silenceMsMax: 65_000 };
    const options = { host: '127.0.0.1', port, httpFastPath, connectionsMax: 4 };
    opened.push((await Server.serve(options, () => answering, systemClock, { ...usual, ...waits })).drain);
    return { port, held };
  };

  test('a caller who ends their side of the connection is answered, then it ends', async () => {
    const { port, held } = await openHeld();
    for (const path of ['/sold', '/page']) {
      const { socket, said, closed } = await dial(port);
      const before = held.length;
      socket.end(post(path, 'body'));
      await expect.poll(() => held.length).toBe(before + 1);
      // After two turns of the event loop the end of the connection has been read.
      for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
      held[before]?.();
      await closed;
      expect(said()).toMatch(new RegExp(`^HTTP/1.1 200 OK\\r\\n[^]*answer to ${path}$`));
    }
  });

  test('requests that came before the end are all answered', async () => {
    const { port, held } = await openHeld();
    const { socket, said, closed } = await dial(port);
    socket.end(post('/sold/1', 'one') + post('/sold/2', 'two'));
    for (let at = 0; at < 2; at++) {
      await expect.poll(() => held.length).toBeGreaterThan(at);
      held[at]?.();
    }
    await closed;
    expect(said()).toMatch(/answer to \/sold\/1HTTP.*answer to \/sold\/2/s);
    expect(held.length).toBe(2);
  });

  test('a request that is cut by the end is none', async () => {
    const { port, held } = await openHeld();
    const { socket, said, closed } = await dial(port);
    socket.end(post('/sold/1', 'one').slice(0, -1));
    await closed;
    expect([held.length, said().includes('answer to')]).toEqual([0, false]);
  });

  test('an expectation in a pipeline does not come between the head and the body of a response', async () => {
    const { port, held } = await openHeld();
    const { socket, said } = await dial(port);
    const expecting = post('/page/2', 'two', 'expect: 100-continue');
    socket.write(post('/page/1', 'one') + expecting.slice(0, -'two'.length));
    await expect.poll(() => held.length).toBe(1);
    held[0]?.();
    await expect.poll(said).toMatch(/\r\n\r\nanswer to \/page\/1HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write('two');
    await expect.poll(() => held.length).toBe(2);
    held[1]?.();
    await expect.poll(said).toMatch(/Continue\r\n\r\nHTTP\/1\.1 200 OK.*answer to \/page\/2$/s);
  });

  test('a connection on which nothing comes ends, and one too many is closed at once', async () => {
    const { port } = await openHeld({ firstByteMsMax: 1_000 });
    const dialed = await Promise.all([1, 2, 3, 4].map(() => dial(port)));
    const closed: string[] = [];
    for (const one of dialed) void one.closed.then(() => closed.push('silent'));
    const fifth = await dial(port);
    await fifth.closed.then(() => closed.push('one too many'));
    for (const one of dialed) await one.closed;
    expect(closed[0]).toBe('one too many');
    const { socket } = await dial(port);
    expect(socket.destroyed).toBe(false);
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
