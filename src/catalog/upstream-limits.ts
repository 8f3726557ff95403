/** Limits of running and waiting calls, in total and per account. */
export type Limits = {
  /** Maximum number of concurrent calls to the upstream. */
  connectionsMax: number;
  /** Maximum number of waiting calls. */
  waitingMax: number;
  /** Maximum number of concurrent calls per account. */
  accountConnectionsMax: number;
  /** Maximum number of waiting calls per account. */
  accountWaitingMax: number;
  /** A call that waits longer is refused. */
  waitMsMax: number;
};

const defaultConnections = 64;
const defaultWaiting = 256;
const defaultWaitMs = 10_000;

/** Fills in missing limits: an account can use a quarter of the connections and half of the queue. */
export function limits(given: Partial<Limits> = {}): Limits {
  const connectionsMax = given.connectionsMax ?? defaultConnections;
  const waitingMax = given.waitingMax ?? defaultWaiting;
  return {
    connectionsMax,
    waitingMax,
    accountConnectionsMax: given.accountConnectionsMax ?? Math.max(1, Math.floor(connectionsMax / 4)),
    accountWaitingMax: given.accountWaitingMax ?? Math.ceil(waitingMax / 2),
    waitMsMax: given.waitMsMax ?? defaultWaitMs,
  };
}
