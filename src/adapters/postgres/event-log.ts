import {
  type Delivery,
  type EventFilter,
  isFailing,
  type ListedDelivery,
  type SellerEvent,
  type SellerEvents,
  type Wait,
} from '../../payment/event.ts';
import type { Connection } from './connection.ts';
import type * as Schema from './schema/events.ts';
import type { Row } from './schema/row.ts';

type EventRow = Row<typeof Schema.event>;
type DeliveryRow = Omit<Delivery, 'wait'> & {
  position: number;
  is_on: boolean;
  due_at: Date | null;
  is_under_way: boolean;
  after: string | null;
};

/** Reads the events with their deliveries. */
export function openEventLog(sql: Connection): Pick<SellerEvents, 'list' | 'find' | 'deliveriesOf'> {
  return {
    async list({ type, account, state, before, ...filter }: EventFilter, max) {
      const failing =
        filter.isFailing === undefined
          ? sql``
          : sql`AND (d.attempts -> -1 ->> 'fault' IS NOT NULL
              AND EXISTS (SELECT FROM shop.event_endpoint p WHERE p.id = d.endpoint_id AND p.state = 'on')) = ${filter.isFailing}`;
      const rows = await sql<(EventRow & { states: Delivery['state'][] })[]>`SELECT e.*,
          ARRAY(SELECT d.state FROM shop.event_delivery d WHERE d.position = e.position ORDER BY d.endpoint_id) AS states
        FROM shop.event e WHERE true ${type ? sql`AND e.type = ${type}` : sql``} ${account ? sql`AND e.account_id = ${account}` : sql``}
        ${state ? sql`AND EXISTS (SELECT FROM shop.event_delivery d WHERE d.position = e.position AND d.state = ${state} ${failing})` : sql``}
        ${before ? sql`AND e.seq < (SELECT seq FROM shop.event WHERE id = ${before})` : sql``} ORDER BY e.seq DESC LIMIT ${max}`;
      return rows.map((row) => ({ ...sellerEvent(row), states: row.states }));
    },
    async deliveriesOf(events) {
      const rows = await readDeliveries(sql, events);
      const at = Map.groupBy(rows, ({ position }) => position);
      const listed = (row: DeliveryRow): ListedDelivery => {
        const one = { ...row, wait: waitOf(row) };
        return { state: one.state, wait: one.wait, isFailing: isFailing(one) };
      };
      return new Map(events.map(({ id, position }) => [id, (at.get(position ?? -1) ?? []).map(listed)]));
    },
    async find(id) {
      const [row] = await sql<EventRow[]>`SELECT * FROM shop.event WHERE id = ${id}`;
      if (!row) return null;
      const event = sellerEvent(row);
      const deliveries = (await readDeliveries(sql, [event])).map(
        (one): Delivery => ({
          ...{ endpoint: one.endpoint, url: one.url, state: one.state },
          ...{ attempts: one.attempts, wait: waitOf(one) },
        }),
      );
      return { event, deliveries };
    },
  };
}

/** Reads the deliveries of events. For a waiting one, `after` is the earlier event that is sent first, and `due_at` the next attempt of its lane. */
function readDeliveries(
  sql: Connection,
  events: readonly Pick<SellerEvent, 'position'>[],
): Promise<DeliveryRow[]> {
  const positions = events.flatMap(({ position }) => (position === null ? [] : [position]));
  return sql<
    DeliveryRow[]
  >`SELECT d.position, d.endpoint_id AS endpoint, p.url, d.state, d.attempts, p.state = 'on' AS is_on,
      l.due_at, l.lease IS NOT NULL AND l.due_at > clock_timestamp() AS is_under_way, CASE WHEN f.position < d.position THEN f.id END AS after
    FROM shop.event_delivery d JOIN shop.event_endpoint p ON p.id = d.endpoint_id
    LEFT JOIN shop.event_lane l ON d.state = 'waiting' AND l.endpoint_id = d.endpoint_id AND l.account_id = d.account_id
    LEFT JOIN LATERAL (SELECT e.id, w.position FROM shop.event_delivery w JOIN shop.event e ON e.position = w.position
      WHERE w.endpoint_id = l.endpoint_id AND w.account_id = l.account_id AND w.state = 'waiting' ORDER BY w.position LIMIT 1) f ON true
    WHERE d.position = ANY (string_to_array(${positions.join(' ')}, ' ')::bigint[]) ORDER BY d.position, p.created_at, p.id`;
}

function waitOf({ state, is_on, due_at, is_under_way, after }: DeliveryRow): Wait | null {
  if (state !== 'waiting' || due_at === null) return null;
  return { isOn: is_on, after, isUnderWay: is_under_way, dueMs: due_at.getTime() };
}

export function sellerEvent(row: EventRow): SellerEvent {
  return {
    ...{ id: row.id, type: row.type, atMs: row.at.getTime(), account: row.account_id },
    ...{ data: row.data, position: row.position },
  };
}
