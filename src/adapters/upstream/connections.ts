import * as HeldBytes from '../../relay/held-bytes.ts';
import type { Outbound, Sending } from '../../relay/upstream.ts';
import { Connection, type Keeper, type Place } from './connection.ts';
import { Exchange, type Terms } from './exchange.ts';
import * as RequestHead from './request-head.ts';

const connectTimeoutMsMax = 10_000;
/** How often deadlines are looked at, and so how late one may be noticed. */
const sweepMsMax = 250;

/**
 * Connections of one request each, the last one used taken first: few stay hot, the rest fall idle and close.
 * One sweep looks at all deadlines in turn, so that no call needs a timer.
 */
export class Connections implements Keeper {
  readonly #place: Place;
  readonly #common: RequestHead.Common;
  readonly #terms: Terms;
  readonly #connectionsMax: number;
  readonly #waitingMax: number;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Exchange>();
  readonly #sweeping: NodeJS.Timeout;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(
    place: Place,
    common: RequestHead.Common,
    terms: Terms,
    connectionsMax: number,
    waitingMax: number,
  ) {
    this.#place = place;
    this.#common = common;
    this.#terms = terms;
    this.#connectionsMax = connectionsMax;
    this.#waitingMax = waitingMax;
    const sweepMs = Math.min(sweepMsMax, Math.ceil(terms.timeoutMs / 10));
    // An answer that arrived while this process was held up is read before the sweep calls it late.
    this.#sweeping = setInterval(() => setImmediate(() => this.#sweep()), sweepMs).unref();
  }

  send(outbound: Outbound): Sending {
    if (this.#closing !== null || (outbound.metered && HeldBytes.isFull(this.#terms.held))) return busy;
    const head = RequestHead.write(this.#common, outbound);
    if (head === null) return unsendable;
    const nowMs = performance.now();
    const connection = this.#anyIdle(nowMs) ?? this.#connect(nowMs);
    if (connection === null && this.#waiting.size >= this.#waitingMax) return busy;
    const exchange = new Exchange(outbound, head, this.#terms, nowMs);
    if (connection === null) this.#wait(exchange);
    else connection.take(exchange);
    return exchange;
  }

  /** Takes nothing new, waits for what is under way, closes the connections. */
  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      this.#closeWhenIdle();
    }
    return this.#closing.promise;
  }

  idle(connection: Connection): void {
    const next = this.#nextWaiting();
    if (next !== null) connection.take(next);
    else {
      this.#idle.push(connection);
      this.#closeWhenIdle();
    }
  }

  gone(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    const next = this.#nextWaiting();
    if (next !== null) this.#connect(performance.now())?.take(next);
    this.#closeWhenIdle();
  }

  #anyIdle(nowMs: number): Connection | null {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return null;
      if (nowMs < connection.untilMs) return connection;
      connection.destroy();
    }
  }

  #connect(nowMs: number): Connection | null {
    if (this.#all.size >= this.#connectionsMax) return null;
    const untilMs = nowMs + Math.min(this.#terms.timeoutMs, connectTimeoutMsMax);
    const connection = new Connection(this.#place, untilMs, this);
    this.#all.add(connection);
    return connection;
  }

  #wait(exchange: Exchange): void {
    this.#waiting.add(exchange);
    exchange.way = { resume: () => undefined, destroy: () => this.#waiting.delete(exchange) };
  }

  #nextWaiting(): Exchange | null {
    for (const exchange of this.#waiting) {
      this.#waiting.delete(exchange);
      return exchange;
    }
    return null;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of [...this.#all]) {
      const { exchange } = connection;
      if (exchange === null) {
        if (nowMs >= connection.untilMs) connection.destroy();
      } else if (nowMs >= exchange.expiresAtMs) exchange.expire();
      else if (!connection.isStanding && nowMs >= connection.untilMs) connection.lost('ETIMEDOUT');
    }
    for (const exchange of this.#waiting) if (nowMs >= exchange.expiresAtMs) exchange.expire();
  }

  #closeWhenIdle(): void {
    // Nobody waits while a connection is idle.
    if (this.#closing === null || this.#idle.length < this.#all.size) return;
    clearInterval(this.#sweeping);
    this.#closing.resolve();
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }
}

/** The answers where nothing was sent. */
const busy: Sending = { answer: Promise.resolve({ kind: 'busy' }), abandon: () => undefined };
const unsendable: Sending = {
  answer: Promise.resolve({ kind: 'unavailable', reason: 'unsendable' }),
  abandon: () => undefined,
};
