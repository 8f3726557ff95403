import type { Clock } from '@sluice/kernel/clock';
import type { Config } from './config.ts';
import * as Journal from './journal.ts';
import * as WebhookEndpoint from './objects/webhook-endpoint.ts';
import type { OrderedFault } from './protocol/fault.ts';
import type { RequestContext } from './request-context.ts';
import * as ScheduledEvent from './scheduled-event.ts';
import * as Store from './store.ts';
import * as Time from './time.ts';
import * as WebhookDispatcher from './webhooks/webhook-dispatcher.ts';

/** A card network in one process. */
export type Sandbox = {
  store: Store.Store;
  clock: Clock;
  publicUrl: string;
  businessName: string | null;
  dispatcher: WebhookDispatcher.WebhookDispatcher;
  faults: OrderedFault[];
  /** Idempotency keys whose first request is running. */
  running: Set<string>;
  close(): Promise<void>;
};

const sweepEveryMs = 1_000;

/** Restores the state in `config.dataDir`, registers the shop's webhook endpoint, and resumes undelivered events. */
export function openSandbox(config: Config, publicUrl: string, clock: Clock): Sandbox {
  const store = Store.empty();
  if (config.dataDir !== null) {
    for (const change of Journal.replay(config.dataDir)) Store.apply(store, change);
    store.journal = Journal.openJournal(config.dataDir, Store.state(store));
  }
  const dispatcher = WebhookDispatcher.createDispatcher(store, clock);
  const sandbox: Sandbox = {
    ...{ store, clock, publicUrl, dispatcher, close },
    businessName: config.businessName,
    ...{ faults: [], running: new Set() },
  };
  WebhookEndpoint.configure(begin(sandbox), config.webhook);
  finish(sandbox);
  const sweep = setInterval(() => {
    catchUp(sandbox);
    finish(sandbox);
  }, sweepEveryMs);
  sweep.unref();

  async function close(): Promise<void> {
    clearInterval(sweep);
    await dispatcher.close();
    store.journal?.close();
    store.journal = null;
  }
  return sandbox;
}

/** Returns the context of a request, page or timer that runs now. */
export function begin(
  { store, clock, publicUrl, businessName }: Sandbox,
  request: RequestContext['request'] = { id: null, idempotency_key: null },
): RequestContext {
  return { store, publicUrl, businessName, now: Time.now(store, clock), request };
}

/** Runs all scheduled events that are due. */
export function catchUp(sandbox: Sandbox): void {
  const ctx = begin(sandbox);
  ScheduledEvent.happen(ctx, ctx.now, null);
}

/** Makes the changes durable, then sends their events. */
export function finish({ store, dispatcher }: Sandbox): void {
  Store.commit(store);
  dispatcher.wake();
}
