import type { Clock } from '../kernel/clock.ts';
import type { Act } from './act.ts';
import type { Config } from './config.ts';
import * as Due from './due.ts';
import * as Journal from './journal.ts';
import * as WebhookEndpoint from './objects/webhook-endpoint.ts';
import type { Fault } from './protocol/fault.ts';
import * as Store from './store.ts';
import * as Time from './time.ts';
import * as Courier from './webhooks/courier.ts';

/** A card network in one process. */
export type Sandbox = {
  store: Store.Store;
  clock: Clock;
  publicUrl: string;
  courier: Courier.Courier;
  faults: Fault[];
  /** Idempotency keys whose first request is at work. */
  running: Set<string>;
  close(): Promise<void>;
};

const sweepEveryMs = 1_000;

/** Brings back what `config.dataDir` holds, registers the shop's notice endpoint, and goes on with what was undelivered. */
export function open(config: Config, publicUrl: string, clock: Clock): Sandbox {
  const store = Store.empty();
  if (config.dataDir !== null) {
    for (const change of Journal.replay(config.dataDir)) Store.apply(store, change);
    store.journal = Journal.open(config.dataDir, Store.state(store));
  }
  const courier = Courier.create(store, clock);
  const sandbox: Sandbox = { store, clock, publicUrl, courier, faults: [], running: new Set(), close };
  WebhookEndpoint.configure(begin(sandbox), config.webhook);
  finish(sandbox);
  const sweep = setInterval(() => {
    catchUp(sandbox);
    finish(sandbox);
  }, sweepEveryMs);
  sweep.unref();

  async function close(): Promise<void> {
    clearInterval(sweep);
    await courier.close();
    store.journal?.close();
    store.journal = null;
  }
  return sandbox;
}

/** A new act, now. */
export function begin(
  { store, clock, publicUrl }: Sandbox,
  request: Act['request'] = { id: null, idempotency_key: null },
): Act {
  return { store, publicUrl, now: Time.now(store, clock), request };
}

/** Lets happen what is due by now. */
export function catchUp(sandbox: Sandbox): void {
  const act = begin(sandbox);
  Due.happen(act, act.now, null);
}

/** Makes an act durable, then sends what it has to tell. */
export function finish({ store, courier }: Sandbox): void {
  Store.commit(store);
  courier.wake();
}
