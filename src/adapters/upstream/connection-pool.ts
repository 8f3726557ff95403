import * as BufferBudget from '../../proxy/buffer-budget.ts';
import type { Outbound, Sending } from '../../proxy/upstream.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeSettings } from './exchange-settings.ts';
import type { Connect, PooledConnection, PoolListener } from './pooled-connection.ts';
import * as RequestHead from './request-head.ts';

export const connectTimeoutMsMax = 10_000;
/** The interval at which deadlines are checked, which is also how late one may be noticed. */
const sweepMsMax = 250;
/** Rest of a connection after a response while another one is idle, because surplus bytes arrive soon after a response. */
const restMs = 3;

/**
 * A pool of connections that carry one request at a time. It reuses the one that has rested last, so a few stay busy and the others
 * become idle and close. One sweep checks all deadlines, so that no call needs a timer.
 */
export class Connections implements PoolListener {
  readonly #connectAnew: Connect;
  readonly #common: RequestHead.Common;
  readonly #terms: ExchangeSettings;
  readonly #connectionsMax: number;
  readonly #waitingMax: number;
  readonly #all = new Set<PooledConnection>();
  readonly #idle: PooledConnection[] = [];
  readonly #waiting = new Set<Exchange>();
  readonly #sweeping: NodeJS.Timeout;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(
    connect: Connect,
    common: RequestHead.Common,
    terms: ExchangeSettings,
    connectionsMax: number,
    waitingMax: number,
  ) {
    this.#connectAnew = connect;
    this.#common = common;
    this.#terms = terms;
    this.#connectionsMax = connectionsMax;
    this.#waitingMax = waitingMax;
    const sweepMs = Math.min(sweepMsMax, Math.ceil(terms.timeoutMs / 10));
    // A response that arrived while the event loop was blocked is read before the sweep treats it as late.
    this.#sweeping = setInterval(() => setImmediate(() => this.#sweep()), sweepMs).unref();
  }

  /** @param common the parts of the header section; by default those that it was opened with */
  send(outbound: Outbound, common = this.#common): Sending {
    if (this.#closing !== null || (outbound.metered && BufferBudget.isFull(this.#terms.held))) return busy;
    const head = RequestHead.requestHead(common, outbound);
    if (head === null) return unsendable;
    const nowMs = performance.now();
    const connection = this.#anyIdle(nowMs) ?? this.#connect(nowMs);
    if (connection === null && this.#waiting.size >= this.#waitingMax) return busy;
    const exchange = new Exchange(outbound, head, this.#terms, nowMs);
    if (connection === null) this.#wait(exchange);
    else connection.take(exchange);
    return exchange;
  }

  /** Refuses new requests, waits for those under way, then closes the connections. */
  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      this.#closeWhenIdle();
    }
    return this.#closing.promise;
  }

  idle(connection: PooledConnection): void {
    const next = this.#nextWaiting();
    if (next !== null) connection.take(next);
    else {
      this.#idle.push(connection);
      this.#closeWhenIdle();
    }
  }

  unsent(exchange: Exchange): void {
    const nowMs = performance.now();
    const connection = this.#anyIdle(nowMs) ?? this.#connect(nowMs);
    if (connection === null) this.#wait(exchange);
    else connection.take(exchange);
  }

  gone(connection: PooledConnection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    const next = this.#nextWaiting();
    if (next !== null) this.#connect(performance.now())?.take(next);
    this.#closeWhenIdle();
  }

  #anyIdle(nowMs: number): PooledConnection | null {
    for (;;) {
      const last = this.#idle.at(-1);
      if (last === undefined) return null;
      const connection = nowMs - last.idleSinceMs < restMs ? this.#idle.shift() : this.#idle.pop();
      if (connection === undefined) return null;
      if (nowMs < connection.untilMs) return connection;
      connection.destroy();
    }
  }

  #connect(nowMs: number): PooledConnection | null {
    if (this.#all.size >= this.#connectionsMax) return null;
    const untilMs = nowMs + Math.min(this.#terms.timeoutMs, connectTimeoutMsMax);
    const connection = this.#connectAnew(untilMs, this);
    this.#all.add(connection);
    return connection;
  }

  #wait(exchange: Exchange): void {
    this.#waiting.add(exchange);
    exchange.cancelable = { resume: () => undefined, destroy: () => this.#waiting.delete(exchange) };
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
      else if (!connection.isEstablished && nowMs >= connection.untilMs) connection.lost('ETIMEDOUT');
    }
    for (const exchange of this.#waiting) if (nowMs >= exchange.expiresAtMs) exchange.expire();
  }

  #closeWhenIdle(): void {
    // The queue is empty while a connection is idle.
    if (this.#closing === null || this.#idle.length < this.#all.size) return;
    clearInterval(this.#sweeping);
    this.#closing.resolve();
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }
}

/** The result of a request that is not sent. */
const busy: Sending = {
  response: Promise.resolve({ kind: 'busy' }),
  isSent: false,
  abandon: () => undefined,
};
const unsendable: Sending = {
  response: Promise.resolve({ kind: 'unavailable', reason: 'unsendable' }),
  isSent: false,
  abandon: () => undefined,
};
