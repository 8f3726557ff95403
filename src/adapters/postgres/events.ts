import { id as newId } from '@sluice/kernel/id';
import type { StoredSecrets } from '../../identity/stored-secret.ts';
import type { DueEvent, EventRange, EventTotals, Replayed, SellerEvents } from '../../payment/event.ts';
import type { Connection } from './connection.ts';
import { openEndpoints, ownerOf } from './event-endpoints.ts';
import { openEventLog } from './event-log.ts';
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
    ...openEventLog(sql),
    replay: (endpoint, range, who) => replay(sql, endpoint, range, queuedMax, who),
    countReplay: (endpoint, range) => countReplay(sql, endpoint, range, queuedMax),
    deliverNow: (endpoint, event, who) => deliverNow(sql, endpoint, event, who),
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

/** The positions of a range, and its conditions as parameters; null when it names an unknown event. */
async function readPositions(
  sql: Connection,
  { from, to, sinceMs, untilMs, types }: EventRange,
): Promise<{
  first: number;
  last: number;
  since: Date | null;
  until: Date | null;
  types: string | null;
} | null> {
  const [since = null, until = null] = [sinceMs, untilMs].map((ms) => (ms === null ? null : new Date(ms)));
  const [[range], first, last] = await Promise.all([
    sql<[{ first: number; last: number }]>`SELECT * FROM shop.event_positions(${since}, ${until})`,
    from === null ? 0 : positionOf(sql, from),
    to === null ? Number.MAX_SAFE_INTEGER : positionOf(sql, to),
  ]);
  if (first === null || last === null) return null;
  return {
    ...{ first: Math.max(first, range.first), last: Math.min(last, range.last) },
    ...{ since, until, types: types?.join(' ') ?? null },
  };
}

async function replay(
  sql: Connection,
  endpoint: string,
  range: EventRange,
  queuedMax: number,
  who: string,
): Promise<Replayed | null> {
  const found = await readPositions(sql, range);
  if (found === null) return null;
  const { first, last, since, until, types } = found;
  let count = 0;
  let at = first;
  do {
    const [row] = await announced(
      sql,
      sql<
        [{ count: number | null }]
      >`SELECT shop.replay_events(${endpoint}, ${at}, ${Math.min(last, at + replayedAtOnceMax - 1)},
        string_to_array(${types}, ' '), ${since}, ${until}, ${who}) AS count`,
    );
    if (row.count === null) return null;
    count += row.count;
    at += replayedAtOnceMax;
  } while (at <= last && count + replayedAtOnceMax <= queuedMax);
  const [next] = await sql<
    { id: string }[]
  >`SELECT id FROM shop.event WHERE position BETWEEN ${at} AND ${last} ORDER BY position LIMIT 1`;
  return { count, next: next?.id ?? null };
}

async function countReplay(
  sql: Connection,
  endpoint: string,
  range: EventRange,
  countMax: number,
): Promise<{ count: number; isMore: boolean } | null> {
  const found = await readPositions(sql, range);
  const [known] = await sql`SELECT FROM shop.event_endpoint WHERE id = ${endpoint}`;
  if (found === null || known === undefined) return null;
  const { first, last, since, until, types } = found;
  const [{ count }] = await sql<[{ count: number }]>`SELECT count(*) FROM (
    SELECT FROM shop.wanted_events(${endpoint}, ${first}, ${last}, string_to_array(${types}, ' '), ${since}, ${until}) w
    WHERE NOT EXISTS (SELECT FROM shop.event_delivery d WHERE d.endpoint_id = ${endpoint} AND d.position = w AND d.state = 'waiting')
    LIMIT ${countMax + 1}) found`;
  return { count: Math.min(count, countMax), isMore: count > countMax };
}

async function deliverNow(sql: Connection, endpoint: string, event: string, who: string): Promise<boolean> {
  const [row] = await announced(
    sql,
    sql<[{ done: boolean }]>`SELECT shop.hurry_event(${endpoint}, ${event}, ${who}) AS done`,
  );
  return row.done;
}

async function positionOf(sql: Connection, event: string): Promise<number | null> {
  const [row] = await sql<{ position: number | null }[]>`SELECT position FROM shop.event WHERE id = ${event}`;
  return row?.position ?? null;
}
