/** The types of events that a seller's program can receive (docs/events.md). */
export const eventTypes = [
  'account.registered',
  'account.joined',
  'account.erased',
  'order.granted',
  'order.refunded',
  'order.refund_failed',
  'dispute.opened',
  'dispute.closed',
  'subscription.started',
  'subscription.ended',
  'credit.low',
  'credit.exhausted',
  'event.test',
] as const;
export type EventType = (typeof eventTypes)[number];

/** An event of the outbox. Amounts in `data` are integer micro-dollars. */
export type SellerEvent = {
  id: string;
  type: EventType;
  atMs: number;
  /** Empty for test events. */
  account: string;
  data: Readonly<Record<string, unknown>>;
  /** The place in the order of publication; null before it. */
  position: number | null;
};

/** One request with an event. `status` is null without a response; `fault` says why an attempt failed. */
export type Attempt = { at: string; ms: number; status: number | null; fault: string | null };

/** The delivery of an event to one endpoint. */
export type Delivery = {
  endpoint: string;
  url: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: readonly Attempt[];
};

/** An address that events are delivered to. `types` is null for all types. `reason`: why it is disabled. */
export type Endpoint = {
  id: string;
  url: string;
  types: readonly EventType[] | null;
  state: 'on' | 'disabled';
  reason: 'gone' | 'failing' | 'seller' | null;
  failingSinceMs: number | null;
  createdMs: number;
  waiting: number;
  failed: number;
};

/** An event that this process delivers now. `tries`: earlier attempts. `email`: the address that the account has proved. */
export type DueEvent = SellerEvent & {
  position: number;
  lease: string;
  endpoint: string;
  url: string;
  secrets: readonly string[];
  email: string | null;
  tries: number;
};

/** The result of an attempt. `waiting`: it is tried again after `waitMs`. */
export type Outcome = { state: 'delivered' | 'failed' | 'waiting'; waitMs: number; isGone: boolean };

/** The filter of a list of events. */
export type EventFilter = {
  type?: EventType;
  account?: string;
  state?: Delivery['state'];
  /** The events before this one. */
  before?: string;
};

/** Counts of deliveries and endpoints. `oldestMs` is the time of the oldest event that an endpoint has not received, null if there is none. */
export type EventTotals = { waiting: number; failed: number; disabled: number; oldestMs: number | null };

/** The outbox and its deliveries (migrations/functions/events.sql). Every method is safe to repeat. */
export interface SellerEvents {
  /** Puts committed events into one order and queues them. Returns false if there may be more. */
  publish(): Promise<boolean>;
  /** Leases the next event that is due, in order per account and endpoint. Endpoints in `busy` are left out. */
  take(busy: readonly string[]): Promise<DueEvent | null>;
  /** Records an attempt. `recorded` is false when another process has taken the event over. `disabled`: the endpoint was disabled by it. */
  finish(
    due: DueEvent,
    attempt: Attempt,
    outcome: Outcome,
  ): Promise<{ recorded: boolean; disabled: boolean }>;
  endpoints(): Promise<Endpoint[]>;
  /** Returns false when there are too many endpoints. */
  add(
    endpoint: { id: string; url: string; types: readonly EventType[] | null; secret: string },
    who: string,
  ): Promise<boolean>;
  /** Replaces the secret; the former one signs as well for a day. Returns false when there is no such endpoint. */
  rotate(id: string, secret: string, who: string): Promise<boolean>;
  enable(id: string, isOn: boolean, who: string): Promise<boolean>;
  remove(id: string, who: string): Promise<boolean>;
  /** Sends a test event to one endpoint. Returns its id, or null when there is no such endpoint. */
  test(id: string, who: string): Promise<string | null>;
  /** Lists events, the latest first. */
  list(filter: EventFilter, max: number): Promise<(SellerEvent & { states: readonly Delivery['state'][] })[]>;
  find(id: string): Promise<{ event: SellerEvent; deliveries: readonly Delivery[] } | null>;
  /**
   * Queues the published events from `from` to `to` again, both included. Returns their number, or null when there is no such endpoint or event.
   * @param to null for the latest event
   */
  replay(endpoint: string, from: string, to: string | null, who: string): Promise<number | null>;
  totals(): Promise<EventTotals>;
}
