import type { Cancelable, Exchange } from './exchange.ts';

/** A connection that carries one exchange at a time, implemented by both clients. */
export interface PooledConnection extends Cancelable {
  readonly exchange: Exchange | null;
  /** On the clock of `performance.now()`: the deadline for connecting, and while it is idle, the time until which it may be reused. */
  readonly untilMs: number;
  /** On the same clock: the time at which it became idle. */
  readonly idleSinceMs: number;
  readonly isEstablished: boolean;
  /** Sends the request of `exchange` as soon as the connection is established. */
  take(exchange: Exchange): void;
  /** Closes the connection and aborts the request upstream; the caller notifies its exchange. */
  destroy(): void;
  /** Closes the connection and fails its exchange. @param reason a code for the log */
  lost(reason: string): void;
}

/** The owner of connections. It is notified of each event once. */
export type PoolListener = {
  /** The connection may be reused. */
  idle(connection: PooledConnection): void;
  gone(connection: PooledConnection): void;
  /** Its connection ended before a byte of the request was written, so it can be sent on another one. */
  unsent(exchange: Exchange): void;
};

/** Starts to connect. @param untilMs on the clock of `performance.now()`: the deadline for connecting */
export type Connect = (untilMs: number, listener: PoolListener) => PooledConnection;
