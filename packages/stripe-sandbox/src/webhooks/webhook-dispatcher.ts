import { type Clock, seconds } from '@sluice/kernel/clock';
import { type Event, events } from '../objects/event.ts';
import * as WebhookEndpoint from '../objects/webhook-endpoint.ts';
import * as Store from '../store.ts';
import { sign } from './signature.ts';

type Delivery = WebhookEndpoint.Delivery;

/** Delivers events to their endpoints and retries until they are accepted. The order is not guaranteed. */
export type WebhookDispatcher = {
  /** Sends the deliveries that are due. */
  wake(): void;
  pause(): void;
  /** Sends all waiting deliveries now, and resolves when each has been attempted once. */
  resume(): Promise<void>;
  /** Sends these deliveries one by one, also while paused. */
  deliverInOrder(deliveries: readonly Delivery[]): Promise<Delivery[]>;
  /** Drops these deliveries: they count as failed and are not retried. */
  drop(deliveries: readonly Delivery[]): Delivery[];
  /** Sends these deliveries concurrently, also while paused. */
  deliver(deliveries: readonly Delivery[]): Promise<Delivery[]>;
  /** From now on sends this many copies of every event in addition. */
  duplicate(copies: number): void;
  close(): Promise<void>;
};

const attemptsMax = 16;
const attemptTimeoutMs = 10_000;
const firstDelayMs = 250;
const delayMsMax = 60_000;
const inFlightMax = 20;

export function createDispatcher(store: Store.Store, clock: Clock): WebhookDispatcher {
  const inFlight = new Map<string, Promise<Delivery>>();
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let paused = false;
  let copies = 0;

  function wake(): void {
    clearTimeout(timer);
    if (paused || stopped.signal.aborted) return;
    const now = clock();
    const waiting = Store.all(store, WebhookEndpoint.outbox).filter(({ id }) => !inFlight.has(id));
    const due = waiting.filter(({ dueAtMs }) => dueAtMs <= now).slice(0, inFlightMax - inFlight.size);
    for (const delivery of due) void carry(delivery);
    const next = Math.min(...waiting.filter(({ dueAtMs }) => dueAtMs > now).map(({ dueAtMs }) => dueAtMs));
    if (Number.isFinite(next)) timer = setTimeout(wake, next - now).unref();
  }

  /** Makes one attempt; concurrent calls for the same delivery share it. */
  function carry(delivery: Delivery): Promise<Delivery> {
    const running = inFlight.get(delivery.id);
    if (running !== undefined) return running;
    const attempt = tryOnce(delivery).finally(() => {
      inFlight.delete(delivery.id);
      wake();
    });
    inFlight.set(delivery.id, attempt);
    return attempt;
  }

  async function tryOnce(delivery: Delivery): Promise<Delivery> {
    const event = Store.get(store, events, delivery.event);
    const endpoint = Store.get(store, WebhookEndpoint.webhookEndpoints, delivery.endpoint);
    const outcome = event && endpoint ? await post(event, endpoint) : 'the event or the endpoint is gone';
    if (stopped.signal.aborted) return delivery;
    const done = after(delivery, outcome, clock(), !event || !endpoint);
    if (done.status !== 'pending') close(done);
    else Store.put(store, WebhookEndpoint.outbox, done);
    Store.commit(store);
    return done;
  }

  function close(delivery: Delivery): Delivery {
    Store.remove(store, WebhookEndpoint.outbox, delivery.id);
    return Store.put(store, WebhookEndpoint.delivered, delivery);
  }

  /** Sends an event, and its copies. Returns the result of the first. */
  async function post(event: Event, endpoint: WebhookEndpoint.WebhookEndpoint): Promise<string> {
    const send = () => postOnce(event, endpoint, clock, stopped.signal);
    const [first] = await Promise.all([send(), ...Array.from({ length: copies }, send)]);
    return first;
  }

  function waiting(): Delivery[] {
    return Store.all(store, WebhookEndpoint.outbox);
  }

  return {
    wake,
    pause: () => {
      paused = true;
      clearTimeout(timer);
    },
    resume: async () => {
      paused = false;
      await Promise.all(waiting().map(carry));
    },
    deliverInOrder: async (deliveries) => {
      const done: Delivery[] = [];
      for (const delivery of deliveries) done.push(await carry(delivery));
      return done;
    },
    drop: (deliveries) => {
      const dropped = deliveries.map((delivery) =>
        close({ ...delivery, status: 'failed', outcome: 'dropped' }),
      );
      Store.commit(store);
      return dropped;
    },
    deliver: (deliveries) => Promise.all(deliveries.map(carry)),
    duplicate: (count) => {
      copies = count;
    },
    close: async () => {
      clearTimeout(timer);
      stopped.abort();
      await Promise.all(inFlight.values());
    },
  };
}

/** Returns the delivery after one more attempt with this outcome; `isLost` when its event or endpoint is gone. */
function after(delivery: Delivery, outcome: string, nowMs: number, isLost: boolean): Delivery {
  const attempts = delivery.attempts + 1;
  const isTaken = /^2\d\d$/.test(outcome);
  const isOver = isTaken || attempts >= attemptsMax || isLost;
  return {
    ...delivery,
    attempts,
    outcome,
    status: isTaken ? 'delivered' : isOver ? 'failed' : 'pending',
    dueAtMs: nowMs + Math.min(firstDelayMs * 2 ** (attempts - 1), delayMsMax),
  };
}

/** Posts a signed event. Returns the status, or the reason that there was no response. */
async function postOnce(
  event: Event,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  clock: Clock,
  stopped: AbortSignal,
): Promise<string> {
  const payload = JSON.stringify(event);
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(attemptTimeoutMs)]),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': sign(payload, endpoint._secret, seconds(clock())),
      },
      body: payload,
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'no answer';
  }
}
