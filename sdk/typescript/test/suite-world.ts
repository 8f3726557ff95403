import assert from 'node:assert/strict';
import type { Clock } from 'sluice-client';
import type { Case, Exchange, ExpectedHeader } from './suite-case.ts';

const microsecondMs = 1e-3;

/** The world of one case: a clock that moves when somebody sleeps, chance from a list, and a service that follows a script. */
export class World {
  readonly #startMs: number;
  readonly #wire: Exchange[];
  readonly #random: number[];
  readonly #sent: Headers[] = [];
  #nowMs: number;
  #breach: unknown;

  constructor({ start = '2026-01-05T09:00:00Z', wire = [], random = [] }: Case) {
    this.#startMs = Date.parse(start);
    this.#nowMs = this.#startMs;
    this.#wire = wire;
    this.#random = [...random];
  }

  readonly random = () => this.#random.shift() ?? 0;

  readonly clock: Clock = {
    now: () => this.#nowMs,
    sleep: async (ms) => {
      this.#nowMs += ms;
    },
  };

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    try {
      this.#check(String(input), init);
    } catch (breach) {
      this.#breach ??= breach;
      throw breach;
    }
    const answer = this.#wire[this.#sent.length - 1]?.answer ?? {};
    this.#nowMs += (answer.takes ?? 0) * 1000;
    return respond(answer);
  };

  /** No request was wrong (a client may take what a check throws for a fault of the connection), and none is missing. */
  end(): void {
    if (this.#breach !== undefined) throw this.#breach;
    assert.equal(this.#sent.length, this.#wire.length, 'requests made');
  }

  #check(url: string, init: RequestInit): void {
    const index = this.#sent.length;
    const headers = new Headers(init.headers);
    this.#sent.push(headers);
    const exchange = this.#wire[index];
    assert.ok(exchange, `request ${index} is one too many: ${init.method} ${url}`);
    if (exchange.at !== undefined) {
      const at = this.#nowMs - this.#startMs;
      assert.ok(
        Math.abs(at - exchange.at * 1000) < microsecondMs,
        `request ${index} starts at ${at / 1000} s, not at ${exchange.at}`,
      );
    }
    assert.equal(init.redirect, 'manual');
    const { request } = exchange;
    if (request) {
      assert.deepEqual({ method: init.method, url }, { method: request.method, url: request.url });
      const body = init.body === undefined ? undefined : String(init.body);
      if (request.form) assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), request.form);
      else assert.deepEqual(body === undefined ? undefined : JSON.parse(body), request.body);
      for (const [name, expected] of Object.entries(request.headers ?? {}))
        this.#checkHeader(name, headers.get(name), expected);
    }
  }

  #checkHeader(name: string, found: string | null, expected: ExpectedHeader): void {
    if (expected === null || typeof expected === 'string') {
      assert.equal(found, expected, name);
      return;
    }
    assert.ok(found !== null, `${name} is not sent`);
    if (expected.matches !== undefined) assert.match(found, new RegExp(expected.matches));
    if (expected.as_in !== undefined) assert.equal(found, this.#sent[expected.as_in]?.get(name), name);
    if (expected.unlike !== undefined) assert.notEqual(found, this.#sent[expected.unlike]?.get(name), name);
  }
}

function respond({ status, headers, body, text, breaks, fails }: Exchange['answer']): Response {
  switch (fails) {
    case 'refused':
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
      });
    case 'connect_timeout':
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('slow'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      });
    case 'reset':
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('closed'), { code: 'ECONNRESET' }),
      });
    case 'timeout':
      throw new DOMException('The time-out has passed', 'TimeoutError');
    default:
      return new Response(body === undefined ? pieces(text ?? '', breaks) : JSON.stringify(body), {
        status: status ?? 200,
        headers: { 'content-type': text === undefined ? 'application/json' : 'text/html', ...headers },
      });
  }
}

/** A text byte by byte, so that line ends and characters are split; it may break off at its end. */
function pieces(text: string, breaks = false): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + 1));
        at += 1;
      } else if (breaks) {
        const cause = Object.assign(new Error('closed'), { code: 'ECONNRESET' });
        controller.error(new TypeError('terminated', { cause }));
      } else controller.close();
    },
  });
}
