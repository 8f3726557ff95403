import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Client } from 'undici';
import * as Headers from '../../relay/headers.ts';
import * as HeldBytes from '../../relay/held-bytes.ts';
import { answerBytesMax } from '../../relay/meter.ts';
import type { Outbound, Sending, Upstream } from '../../relay/upstream.ts';
import { type Connection, Exchange, type Terms } from './exchange.ts';

export type Options = {
  /** http(s), without query, fragment and credentials; its path is put before every target. */
  baseUrl: string;
  /** Empty where the upstream wants none. */
  key: string;
  /** `value` holds `{key}` where the key goes. */
  keyHeader: { header: string; value: string };
  timeoutMs: number;
  /** Requests under way at once, each on a connection of its own. */
  connectionsMax?: number;
  /** Requests that wait for a connection; further ones are answered `busy`. */
  waitingMax?: number;
  answerBytesMax?: number;
  /** What all answers take up, of this upstream and of others; its own where there are no others. */
  held?: HeldBytes.HeldBytes;
};

const connectTimeoutMsMax = 10_000;
const probeTimeoutMs = 2_000;
/** How often deadlines are looked at, and so how late one may be noticed. */
const sweepMsMax = 250;
const oneWriteBytesMax = 16 * 1024;
const userAgent = 'sluice';

/** Opens the way to one upstream; connects when first used. Throws TypeError on a base URL or key that cannot be sent. */
export function open(options: Options): Upstream {
  const base = parseBase(options.baseUrl);
  const keyValue = options.keyHeader.value.replaceAll('{key}', options.key);
  const own = ['user-agent', userAgent];
  if (options.key !== '') {
    validateHeaderName(options.keyHeader.header);
    validateHeaderValue(options.keyHeader.header, keyValue);
    own.push(options.keyHeader.header, keyValue);
  }
  const terms: Terms = {
    timeoutMs: options.timeoutMs,
    answerBytesMax: options.answerBytesMax ?? answerBytesMax,
    held: options.held ?? HeldBytes.create(),
    oneWriteBytesMax,
    guard: { secrets: options.key === '' ? [] : [options.key], samePaths: base.prefix === '' },
    key: Buffer.from(options.key),
  };
  return new Connections(base, own, terms, options.connectionsMax ?? 64, options.waitingMax ?? 256);
}

type Base = { origin: string; prefix: string };

/**
 * Connections of one request each, the last one used taken first: few stay hot, the rest fall idle and close.
 * One sweep looks at all deadlines in turn, so that no call needs a timer.
 */
class Connections implements Upstream {
  readonly #base: Base;
  readonly #own: readonly string[];
  readonly #terms: Terms;
  readonly #connectionsMax: number;
  readonly #waitingMax: number;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Exchange>();
  readonly #sweeping: NodeJS.Timeout;
  #probing: Promise<boolean> | null = null;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(base: Base, own: readonly string[], terms: Terms, connectionsMax: number, waitingMax: number) {
    this.#base = base;
    this.#own = own;
    this.#terms = terms;
    this.#connectionsMax = connectionsMax;
    this.#waitingMax = waitingMax;
    const sweepMs = Math.min(sweepMsMax, Math.ceil(terms.timeoutMs / 10));
    // An answer that arrived while this process was held up is read before the sweep calls it late.
    this.#sweeping = setInterval(() => setImmediate(() => this.#sweep()), sweepMs).unref();
  }

  send(outbound: Outbound): Sending {
    if (this.#closing !== null || (outbound.metered && HeldBytes.isFull(this.#terms.held))) return busy;
    const connection = this.#idle.pop() ?? this.#connect();
    if (connection === null && this.#waiting.size >= this.#waitingMax) return busy;
    const exchange = new Exchange(outbound, this.#terms, this.#whenOver);
    if (connection === null) this.#waiting.add(exchange);
    else this.#dispatch(connection, exchange);
    return exchange;
  }

  probe(): Promise<boolean> {
    this.#probing ??= ask(this.#base).finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      this.#closeWhenIdle();
    }
    return this.#closing.promise;
  }

  #connect(): Connection | null {
    if (this.#all.length >= this.#connectionsMax) return null;
    const client = new Client(this.#base.origin, {
      pipelining: 1,
      allowH2: false,
      connectTimeout: Math.min(this.#terms.timeoutMs, connectTimeoutMsMax),
      // The sweep bounds both, and the whole of an answer, by one clock.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { client, exchange: null };
    this.#all.push(connection);
    return connection;
  }

  #dispatch(connection: Connection, exchange: Exchange): void {
    const { method, target, rawHeaders, body, metered, traceparent } = exchange.outbound;
    connection.exchange = exchange;
    exchange.connection = connection;
    const path = this.#base.prefix + target.path + target.query;
    const headers = Headers.toUpstream(rawHeaders, metered, this.#own);
    if (traceparent) headers.push('traceparent', traceparent);
    connection.client.dispatch({ method, path, headers, body }, exchange);
  }

  #whenOver = (exchange: Exchange): void => {
    const { connection } = exchange;
    if (connection === null) {
      this.#waiting.delete(exchange);
    } else {
      connection.exchange = null;
      const next = this.#waiting.size > 0 ? this.#waiting.values().next().value : undefined;
      if (next === undefined) this.#idle.push(connection);
      else {
        this.#waiting.delete(next);
        this.#dispatch(connection, next);
      }
    }
    this.#closeWhenIdle();
  };

  #sweep(): void {
    const nowMs = performance.now();
    for (const { exchange } of this.#all)
      if (exchange !== null && nowMs >= exchange.expiresAtMs) exchange.expire();
    for (const exchange of this.#waiting) if (nowMs >= exchange.expiresAtMs) exchange.expire();
  }

  #closeWhenIdle(): void {
    // Nobody waits while a connection is idle.
    if (this.#closing === null || this.#idle.length < this.#all.length) return;
    clearInterval(this.#sweeping);
    this.#closing.resolve(Promise.all(this.#all.map(({ client }) => client.close())).then(() => undefined));
  }
}

/** The answer where nothing was sent. */
const busy: Sending = { answer: Promise.resolve({ kind: 'busy' }), abandon: () => undefined };

function parseBase(baseUrl: string): Base {
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol) || url.search + url.hash + url.username + url.password !== '') {
    throw new TypeError('the upstream base URL is http(s), without query, fragment and credentials');
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** On a connection of its own, so that a full or broken set of connections is not taken for a broken upstream. */
async function ask(base: Base): Promise<boolean> {
  const client = new Client(base.origin, { allowH2: false, connectTimeout: probeTimeoutMs });
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    await client.request({ method: 'HEAD', path: `${base.prefix}/`, signal });
    return true;
  } catch {
    return false;
  } finally {
    await client.destroy();
  }
}
