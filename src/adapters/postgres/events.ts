import { id as newId } from '@sluice/kernel/id';
import type { StoredSecrets } from '../../identity/stored-secret.ts';
import type {
  Delivery,
  DueEvent,
  EventFilter,
  EventRange,
  EventTotals,
  Replayed,
  SellerEvent,
  SellerEvents,
} from '../../payment/event.ts';
import type { Connection } from './connection.ts';
import { openEndpoints, ownerOf } from './event-endpoints.ts';
import { announced } from './notices.ts';
import type * as Schema from './schema/events.ts';
import type { Row } from './schema/row.ts';

const publishedMax = 500;
/** Longer than an attempt can take (adapters/event-sender.ts). A process that holds a lane longer is dead. */
const leaseMs = 45_000;
/** The time for which an endpoint fails before it is disabled. */
const failingMax = '3 days';
/** Number of events that one statement looks at to queue them again. */
const replayedAtOnceMax = 2_000;
/** Number of events after which a run that queues them again ends: a person waits for it in the console. */
const replayedMax = 20_000;

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
 * @param secrets encrypts the secrets of the endpoints
 * @param leasedMs the time after which another process may deliver an event that this one has taken
 * @param queuedMax the number of events that one run of `replay` queues again
 */
export function openSellerEvents(
  sql: Connection,
  secrets: StoredSecrets,
  leasedMs: number = leaseMs,
  queuedMax: number = replayedMax,
): SellerEvents {
  return {
    publish: () => publish(sql),
    totals: () => readTotals(sql),
    ...openDeliveries(sql, secrets, leasedMs),
    ...openEndpoints(sql, secrets),
    ...openLog(sql),
    replay: (endpoint, range, who) => replay(sql, endpoint, range, queuedMax, who),
  };
}

/** Publishes committed events. Returns false if there may be more. */
export async function publish(sql: Connection): Promise<boolean> {
  const [row] = await sql<[{ count: number }]>`SELECT shop.publish_events(${publishedMax}) AS count`;
  return row.count < publishedMax;
}

/** Counts deliveries and endpoints. */
export async function readTotals(sql: Connection): Promise<EventTotals> {
  const [row] = await sql<[{ waiting: number; failed: number; disabled: number; oldest: Date | null }]>`SELECT
    (SELECT count(*) FROM shop.event_delivery WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM shop.event_delivery WHERE state = 'failed') AS failed,
    (SELECT count(*) FROM shop.event_endpoint WHERE state = 'disabled') AS disabled,
    (SELECT min(e.at) FROM shop.event_lane l JOIN shop.event_endpoint p ON p.id = l.endpoint_id AND p.state = 'on'
      CROSS JOIN LATERAL (SELECT d.position FROM shop.event_delivery d WHERE d.endpoint_id = l.endpoint_id
        AND d.account_id = l.account_id AND d.state = 'waiting' ORDER BY d.position LIMIT 1) d
      JOIN shop.event e ON e.position = d.position) AS oldest`;
  const { oldest, ...counts } = row;
  return { ...counts, oldestMs: oldest?.getTime() ?? null };
}

function openDeliveries(
  sql: Connection,
  secrets: StoredSecrets,
  leasedMs: number,
): Pick<SellerEvents, 'take' | 'finish'> {
  return {
    async take(busy) {
      const name = newId('lse');
      const [row] = await sql<
        DueRow[]
      >`SELECT * FROM shop.take_event(${name}, ${`${leasedMs} milliseconds`}::interval, string_to_array(${busy.join(' ')}, ' '))`;
      return row ? dueEvent(row, name, secrets) : null;
    },
    async finish(due, attempt, { state, waitMs, isGone }) {
      const [row] = await sql<[{ recorded: boolean; disabled: boolean }]>`SELECT * FROM shop.finish_event(
        ${due.endpoint}, ${due.account}, ${due.position}, ${due.lease}, ${state}, ${sql.json(attempt)},
        ${`${waitMs} milliseconds`}::interval, ${failingMax}::interval, ${isGone})`;
      return row;
    },
  };
}

function dueEvent(
  { endpoint_id, url, secrets: stored, event_id, email, position, tries, ...row }: DueRow,
  name: string,
  secrets: StoredSecrets,
): DueEvent {
  const [current = { fault: 'the endpoint has no secret' }, ...former] = stored.map((one) =>
    secrets.open(one, ownerOf(endpoint_id)),
  );
  // A former secret that cannot be decrypted is left out: the current one was set since.
  const opened = [current, ...former].flatMap((one) => ('secret' in one ? [one.secret] : []));
  return {
    ...{ lease: name, endpoint: endpoint_id, url, email, tries },
    secrets: 'fault' in current ? current : opened,
    ...{ id: event_id, type: row.type, atMs: row.at.getTime(), account: row.account_id },
    ...{ data: row.data, position },
  };
}

function openLog(sql: Connection): Pick<SellerEvents, 'list' | 'find'> {
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
      type Found = Omit<Delivery, 'dueMs'> & { due_at: Date | null };
      const rows = await sql<Found[]>`SELECT d.endpoint_id AS endpoint, p.url, d.state, d.attempts, l.due_at
        FROM shop.event_delivery d JOIN shop.event_endpoint p ON p.id = d.endpoint_id
        LEFT JOIN shop.event_lane l ON d.state = 'waiting' AND p.state = 'on' AND l.endpoint_id = d.endpoint_id AND l.account_id = d.account_id
        WHERE d.position = ${row.position} ORDER BY p.created_at`;
      const deliveries = rows.map(({ due_at, ...one }) => ({ ...one, dueMs: due_at?.getTime() ?? null }));
      return { event: sellerEvent(row), deliveries };
    },
  };
}

async function replay(
  sql: Connection,
  endpoint: string,
  { from, to, sinceMs, untilMs, types }: EventRange,
  queuedMax: number,
  who: string,
): Promise<Replayed | null> {
  const [since, until] = [sinceMs, untilMs].map((ms) => (ms === null ? null : new Date(ms)));
  const [[range], first, last] = await Promise.all([
    sql<
      [{ first: number; last: number }]
    >`SELECT * FROM shop.event_positions(${since ?? null}, ${until ?? null})`,
    from === null ? 0 : positionOf(sql, from),
    to === null ? Number.MAX_SAFE_INTEGER : positionOf(sql, to),
  ]);
  if (first === null || last === null) return null;
  const end = Math.min(last, range.last);
  let count = 0;
  let at = Math.max(first, range.first);
  do {
    const [row] = await announced(
      sql,
      sql<
        [{ count: number | null }]
      >`SELECT shop.replay_events(${endpoint}, ${at}, ${Math.min(end, at + replayedAtOnceMax - 1)},
        string_to_array(${types?.join(' ') ?? null}, ' '), ${since ?? null}, ${until ?? null}, ${who}) AS count`,
    );
    if (row.count === null) return null;
    count += row.count;
    at += replayedAtOnceMax;
  } while (at <= end && count + replayedAtOnceMax <= queuedMax);
  const [next] = await sql<
    { id: string }[]
  >`SELECT id FROM shop.event WHERE position BETWEEN ${at} AND ${end} ORDER BY position LIMIT 1`;
  return { count, next: next?.id ?? null };
}

async function positionOf(sql: Connection, event: string): Promise<number | null> {
  const [row] = await sql<{ position: number | null }[]>`SELECT position FROM shop.event WHERE id = ${event}`;
  return row?.position ?? null;
}

export function sellerEvent(row: EventRow): SellerEvent {
  return {
    ...{ id: row.id, type: row.type, atMs: row.at.getTime(), account: row.account_id },
    ...{ data: row.data, position: row.position },
  };
}
