import { type Clock, seconds } from '../../kernel/clock.ts';
import { type Event, events } from '../objects/event.ts';
import * as WebhookEndpoint from '../objects/webhook-endpoint.ts';
import * as Store from '../store.ts';
import { sign } from './signature.ts';

type Delivery = WebhookEndpoint.Delivery;

/** Carries notices to their endpoints, again and again until they are taken; in no promised order. */
export type Courier = {
  /** Sends what is due. */
  wake(): void;
  pause(): void;
  /** Sends everything that waits, now, and comes back when each has been tried once. */
  resume(): Promise<void>;
  /** Sends these one after the other, also while paused. */
  deliverInOrder(deliveries: readonly Delivery[]): Promise<Delivery[]>;
  /** Gives up on these: they count as not taken, and are sent no more. */
  drop(deliveries: readonly Delivery[]): Delivery[];
  /** Sends these at once, also while paused. */
  deliver(deliveries: readonly Delivery[]): Promise<Delivery[]>;
  /** From now on every notice is sent this many times more than needed. */
  duplicate(copies: number): void;
  close(): Promise<void>;
};

const attemptsMax = 16;
const attemptTimeoutMs = 10_000;
const firstDelayMs = 250;
const delayMsMax = 60_000;
const inFlightMax = 20;

export function create(store: Store.Store, clock: Clock): Courier {
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

  /** One attempt; asked twice for the same delivery, both get the same. */
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
    const attempts = delivery.attempts + 1;
    const isTaken = /^2\d\d$/.test(outcome);
    const isOver = isTaken || attempts >= attemptsMax || !event || !endpoint;
    const done: Delivery = {
      ...delivery,
      attempts,
      outcome,
      status: isTaken ? 'delivered' : isOver ? 'failed' : 'pending',
      dueAtMs: clock() + Math.min(firstDelayMs * 2 ** (attempts - 1), delayMsMax),
    };
    if (isOver) close(done);
    else Store.put(store, WebhookEndpoint.outbox, done);
    Store.commit(store);
    return done;
  }

  function close(delivery: Delivery): Delivery {
    Store.remove(store, WebhookEndpoint.outbox, delivery.id);
    return Store.put(store, WebhookEndpoint.delivered, delivery);
  }

  async function post(event: Event, endpoint: WebhookEndpoint.WebhookEndpoint): Promise<string> {
    const payload = JSON.stringify(event);
    const send = async (): Promise<string> => {
      try {
        const response = await fetch(endpoint.url, {
          method: 'POST',
          redirect: 'manual',
          signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(attemptTimeoutMs)]),
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
    };
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
