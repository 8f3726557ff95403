import { id as newId } from '@sluice/kernel/id';
import type {
  Delivery,
  DueEvent,
  Endpoint,
  EventFilter,
  SellerEvent,
  SellerEvents,
} from '../../payment/event.ts';
import { endpointsMax } from '../../payment/event-endpoint.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type * as Schema from './schema/events.ts';
import type { Row } from './schema/row.ts';

const publishedMax = 500;
/** Longer than an attempt can take (adapters/event-sender.ts). A process that holds a lane longer is dead. */
const leaseMs = 45_000;
/** The time for which an endpoint fails before it is disabled. */
const failingMax = '3 days';
const overlap = '1 day';
/** Number of events that one statement queues again. */
const replayedAtOnceMax = 2_000;

type EventRow = Row<typeof Schema.event>;
type DueRow = Pick<EventRow, 'type' | 'account_id' | 'at' | 'data'> & {
  endpoint_id: string;
  url: string;
  secrets: string[];
  event_id: string;
  email: string | null;
  position: number;
  tries: number;
};

/**
 * Stores the seller's events, and the endpoints that they are delivered to.
 * @param leasedMs the time after which another process may deliver an event that this one has taken
 */
export function openSellerEvents(sql: Connection, leasedMs: number = leaseMs): SellerEvents {
  return { ...openDeliveries(sql, leasedMs), ...openEndpoints(sql), ...openLog(sql) };
}

function openDeliveries(
  sql: Connection,
  leasedMs: number,
): Pick<SellerEvents, 'publish' | 'take' | 'finish' | 'totals'> {
  return {
    async publish() {
      const [row] = await sql<[{ count: number }]>`SELECT shop.publish_events(${publishedMax}) AS count`;
      return row.count < publishedMax;
    },
    async take(busy) {
      const name = newId('lse');
      const [row] = await sql<
        DueRow[]
      >`SELECT * FROM shop.take_event(${name}, ${`${leasedMs} milliseconds`}::interval, string_to_array(${busy.join(' ')}, ' '))`;
      return row ? dueEvent(row, name) : null;
    },
    async finish(due, attempt, { state, waitMs, isGone }) {
      const [row] = await sql<[{ recorded: boolean; disabled: boolean }]>`SELECT * FROM shop.finish_event(
        ${due.endpoint}, ${due.account}, ${due.position}, ${due.lease}, ${state}, ${sql.json(attempt)},
        ${`${waitMs} milliseconds`}::interval, ${failingMax}::interval, ${isGone})`;
      return row;
    },
    async totals() {
      const [row] = await sql<
        [{ waiting: number; failed: number; disabled: number; oldest: Date | null }]
      >`SELECT
        (SELECT count(*) FROM shop.event_delivery WHERE state = 'waiting') AS waiting,
        (SELECT count(*) FROM shop.event_delivery WHERE state = 'failed') AS failed,
        (SELECT count(*) FROM shop.event_endpoint WHERE state = 'disabled') AS disabled,
        (SELECT min(e.at) FROM shop.event_lane l JOIN shop.event_endpoint p ON p.id = l.endpoint_id AND p.state = 'on'
          CROSS JOIN LATERAL (SELECT d.position FROM shop.event_delivery d WHERE d.endpoint_id = l.endpoint_id
            AND d.account_id = l.account_id AND d.state = 'waiting' ORDER BY d.position LIMIT 1) d
          JOIN shop.event e ON e.position = d.position) AS oldest`;
      const { oldest, ...counts } = row;
      return { ...counts, oldestMs: oldest?.getTime() ?? null };
    },
  };
}

function dueEvent(
  { endpoint_id, url, secrets, event_id, email, position, tries, ...row }: DueRow,
  name: string,
): DueEvent {
  return {
    ...{ lease: name, endpoint: endpoint_id, url, secrets, email, tries },
    ...{ id: event_id, type: row.type, atMs: row.at.getTime(), account: row.account_id },
    ...{ data: row.data, position },
  };
}

type EndpointMethods = 'endpoints' | 'add' | 'rotate' | 'enable' | 'remove' | 'test';

function openEndpoints(sql: Connection): Pick<SellerEvents, EndpointMethods> {
  type EndpointRow = Row<typeof Schema.eventEndpoint> & { waiting: number; failed: number };
  return {
    async endpoints() {
      const rows = await sql<EndpointRow[]>`SELECT p.*,
          (SELECT count(*) FROM shop.event_delivery d WHERE d.endpoint_id = p.id AND d.state = 'waiting') AS waiting,
          (SELECT count(*) FROM shop.event_delivery d WHERE d.endpoint_id = p.id AND d.state = 'failed') AS failed
        FROM shop.event_endpoint p ORDER BY p.created_at, p.id`;
      return rows.map(
        (row): Endpoint => ({
          ...{ id: row.id, url: row.url, types: row.types, state: row.state },
          ...{ reason: row.reason as Endpoint['reason'], waiting: row.waiting, failed: row.failed },
          failingSinceMs: row.failing_since?.getTime() ?? null,
          createdMs: row.created_at.getTime(),
        }),
      );
    },
    async add({ id, url, types, secret }, who) {
      const [row] = await sql<[{ added: boolean }]>`SELECT shop.add_event_endpoint(
        ${id}, ${url}, string_to_array(${types?.join(' ') ?? null}, ' '), ${secret}, ${endpointsMax}, ${who}) AS added`;
      return row.added;
    },
    async rotate(id, secret, who) {
      const [row] = await sql<
        [{ done: boolean }]
      >`SELECT shop.rotate_event_secret(${id}, ${secret}, ${overlap}::interval, ${who}) AS done`;
      return row.done;
    },
    async enable(id, isOn, who) {
      const [row] = await announced(
        sql,
        sql<[{ done: boolean }]>`SELECT shop.switch_event_endpoint(${id}, ${isOn}, ${who}) AS done`,
      );
      return row.done;
    },
    async remove(id, who) {
      const [row] = await sql<[{ done: boolean }]>`SELECT shop.remove_event_endpoint(${id}, ${who}) AS done`;
      return row.done;
    },
    async test(id, who) {
      const [row] = await announced(
        sql,
        sql<[{ id: string | null }]>`SELECT shop.test_event_endpoint(${id}, ${newId('tst')}, ${who}) AS id`,
      );
      return row.id;
    },
  };
}

function openLog(sql: Connection): Pick<SellerEvents, 'list' | 'find' | 'replay'> {
  const positionOf = async (id: string) => {
    const [row] = await sql<{ position: number | null }[]>`SELECT position FROM shop.event WHERE id = ${id}`;
    return row?.position ?? null;
  };
  return {
    async list({ type, account, state, before }: EventFilter, max) {
      const rows = await sql<(EventRow & { states: Delivery['state'][] })[]>`SELECT e.*,
          ARRAY(SELECT d.state FROM shop.event_delivery d WHERE d.position = e.position ORDER BY d.endpoint_id) AS states
        FROM shop.event e WHERE true ${type ? sql`AND e.type = ${type}` : sql``} ${account ? sql`AND e.account_id = ${account}` : sql``}
        ${state ? sql`AND EXISTS (SELECT FROM shop.event_delivery d WHERE d.position = e.position AND d.state = ${state})` : sql``}
        ${before ? sql`AND e.seq < (SELECT seq FROM shop.event WHERE id = ${before})` : sql``} ORDER BY e.seq DESC LIMIT ${max}`;
      return rows.map((row) => ({ ...sellerEvent(row), states: row.states }));
    },
    async find(id) {
      const [row] = await sql<EventRow[]>`SELECT * FROM shop.event WHERE id = ${id}`;
      if (!row) return null;
      const deliveries = await sql<Delivery[]>`SELECT d.endpoint_id AS endpoint, p.url, d.state, d.attempts
        FROM shop.event_delivery d JOIN shop.event_endpoint p ON p.id = d.endpoint_id WHERE d.position = ${row.position} ORDER BY p.created_at`;
      return { event: sellerEvent(row), deliveries };
    },
    async replay(endpoint, from, to, who) {
      const first = await positionOf(from);
      const [head] = await sql<[{ position: number }]>`SELECT position FROM shop.event_head`;
      const last = to === null ? head.position : await positionOf(to);
      if (first === null || last === null) return null;
      let total = 0;
      for (let at = first; at <= last; at += replayedAtOnceMax) {
        const end = Math.min(last, at + replayedAtOnceMax - 1);
        const [row] = await announced(
          sql,
          sql<
            [{ count: number | null }]
          >`SELECT shop.replay_events(${endpoint}, ${at}, ${end}, ${who}) AS count`,
        );
        if (row.count === null) return null;
        total += row.count;
      }
      return total;
    },
  };
}

export function sellerEvent(row: EventRow): SellerEvent {
  return {
    ...{ id: row.id, type: row.type, atMs: row.at.getTime(), account: row.account_id },
    ...{ data: row.data, position: row.position },
  };
}
