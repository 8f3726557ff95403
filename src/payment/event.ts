import { type EventType, eventTypes } from './event-data.ts';

export { type EventType, eventTypes };

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

/** The reason why a delivery waits: its endpoint is off, the event `after` of the same account comes first, or its next attempt is at `dueMs`. */
export type Wait = { isOn: boolean; after: string | null; isUnderWay: boolean; dueMs: number };

/** The delivery of an event to one endpoint. */
export type Delivery = {
  endpoint: string;
  url: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: readonly Attempt[];
  /** Null for a delivery that does not wait. */
  wait: Wait | null;
};

/** The delivery of an event in a list. `isFailing`: it waits after a failed attempt. */
export type ListedDelivery = Pick<Delivery, 'state' | 'wait'> & { isFailing: boolean };

/** Returns true for a delivery that waits after a failed attempt. While its endpoint is off, nothing is sent, so nothing fails. */
export function isFailing({ state, attempts, wait }: Pick<Delivery, 'state' | 'attempts' | 'wait'>): boolean {
  return state === 'waiting' && wait?.isOn !== false && (attempts.at(-1)?.fault ?? null) !== null;
}

/** An address that events are delivered to. `types` is null for all types. `reason`: why it is disabled. */
export type Endpoint = {
  id: string;
  url: string;
  types: readonly EventType[] | null;
  state: 'on' | 'disabled';
  reason: 'gone' | 'failing' | 'seller' | null;
  failingSinceMs: number | null;
  /** Why the last attempt failed, of an endpoint that fails; null when that is not known. */
  lastFault: string | null;
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
  /** The endpoint's secret, and the former one during a rotation; or the reason why they are unknown. */
  secrets: readonly string[] | { fault: string };
  email: string | null;
  tries: number;
};

/** The result of an attempt. `waiting`: it is tried again after `waitMs`. */
export type Outcome = { state: 'delivered' | 'failed' | 'waiting'; waitMs: number; isGone: boolean };

/** Events to deliver again: from one event to another, both included, and from one time to another, without the latter. Null: no limit. */
export type EventRange = {
  from: string | null;
  to: string | null;
  sinceMs: number | null;
  untilMs: number | null;
  types: readonly EventType[] | null;
};

/** The result of delivering a range again. `next`: the event to continue from, when there were too many for one run. */
export type Replayed = { count: number; next: string | null };

/** The filter of a list of events. */
export type EventFilter = {
  type?: EventType;
  account?: string;
  state?: Delivery['state'];
  /** Of those that wait: true for those whose last attempt failed and whose endpoint is on, false for the others. */
  isFailing?: boolean;
  /** The events before this one. */
  before?: string;
};

/** Counts of deliveries and endpoints. `oldestMs` is the time of the oldest event that an endpoint has not received, null if there is none. */
export type EventTotals = { waiting: number; failed: number; disabled: number; oldestMs: number | null };

/** The result of encrypting the stored secrets again. `unreadable`: endpoints whose secret cannot be decrypted, and why. */
export type Resealed = { count: number; unreadable: readonly { endpoint: string; fault: string }[] };

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
  /** The reason why no secret can be stored, so that `add` and `rotate` throw; null if it can. */
  readonly secretFault: string | null;
  /** Encrypts the secrets that are not encrypted by the first key, and forgets former ones that sign no more. */
  reseal(): Promise<Resealed>;
  /** Returns false when there are too many endpoints. */
  add(
    endpoint: { id: string; url: string; types: readonly EventType[] | null; secret: string },
    who: string,
  ): Promise<boolean>;
  /**
   * Replaces the secret. The former one signs as well for a day, or no more when it `endsNow`. Returns false when there is no such endpoint.
   */
  rotate(id: string, secret: string, endsNow: boolean, who: string): Promise<boolean>;
  /** Changes the address and the types; the secret stays. Returns false when there is no such endpoint. */
  change(endpoint: Pick<Endpoint, 'id' | 'url' | 'types'>, who: string): Promise<boolean>;
  enable(id: string, isOn: boolean, who: string): Promise<boolean>;
  remove(id: string, who: string): Promise<boolean>;
  /** Sends a test event to one endpoint. Returns its id, or null when there is no such endpoint. */
  test(id: string, who: string): Promise<string | null>;
  /** Lists events, the latest first. */
  list(filter: EventFilter, max: number): Promise<(SellerEvent & { states: readonly Delivery['state'][] })[]>;
  /** The deliveries of listed events, by the ids of the events. */
  deliveriesOf(events: readonly SellerEvent[]): Promise<ReadonlyMap<string, readonly ListedDelivery[]>>;
  find(id: string): Promise<{ event: SellerEvent; deliveries: readonly Delivery[] } | null>;
  /**
   * Queues the published events of a range again that the endpoint wants, also those from before it was added. Returns null when there is no such
   * endpoint or event.
   */
  replay(endpoint: string, range: EventRange, who: string): Promise<Replayed | null>;
  /**
   * Counts the events that `replay` would queue, up to a maximum; `isMore`: there are more. Returns null when there is no such endpoint or event.
   */
  countReplay(endpoint: string, range: EventRange): Promise<{ count: number; isMore: boolean } | null>;
  /** Makes the next attempt due now. Returns false when the event is not the next one of its account that waits for the endpoint, or the endpoint is off. */
  deliverNow(endpoint: string, event: string, who: string): Promise<boolean>;
  totals(): Promise<EventTotals>;
}
