import { id as newId } from '@sluice/kernel/id';
import type { StoredSecrets } from '../../identity/stored-secret.ts';
import type { Endpoint, Resealed, SellerEvents } from '../../payment/event.ts';
import { endpointsMax } from '../../payment/event-endpoint.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type * as Schema from './schema/events.ts';
import type { Row } from './schema/row.ts';

/** The time for which a former secret signs as well. */
const overlap = '1 day';

/** The row that the secrets of an endpoint belong to. */
export function ownerOf(endpoint: string): string {
  return `event_endpoint:${endpoint}`;
}

type EndpointMembers =
  | 'endpoints'
  | 'secretFault'
  | 'reseal'
  | 'add'
  | 'rotate'
  | 'change'
  | 'enable'
  | 'remove'
  | 'test';

/** Stores the endpoints of events, and their secrets. */
export function openEndpoints(sql: Connection, secrets: StoredSecrets): Pick<SellerEvents, EndpointMembers> {
  type EndpointRow = Row<typeof Schema.eventEndpoint> & {
    waiting: number;
    failed: number;
    fault: string | null;
  };
  return {
    async endpoints() {
      const rows = await sql<EndpointRow[]>`SELECT p.*,
          (SELECT count(*) FROM shop.event_delivery d WHERE d.endpoint_id = p.id AND d.state = 'waiting') AS waiting,
          (SELECT count(*) FROM shop.event_delivery d WHERE d.endpoint_id = p.id AND d.state = 'failed') AS failed,
          CASE WHEN p.failing_since IS NOT NULL THEN (SELECT d.attempts -> -1 ->> 'fault' FROM shop.event_delivery d
            WHERE d.endpoint_id = p.id AND d.state IN ('waiting', 'failed') AND d.attempts <> '[]'
            ORDER BY d.attempts -> -1 ->> 'at' DESC LIMIT 1) END AS fault
        FROM shop.event_endpoint p ORDER BY p.created_at, p.id`;
      return rows.map(
        (row): Endpoint => ({
          ...{ id: row.id, url: row.url, types: row.types, state: row.state },
          ...{ reason: row.reason as Endpoint['reason'], waiting: row.waiting, failed: row.failed },
          failingSinceMs: row.failing_since?.getTime() ?? null,
          lastFault: row.fault,
          createdMs: row.created_at.getTime(),
        }),
      );
    },
    secretFault: secrets.fault,
    reseal: () => reseal(sql, secrets),
    async add({ id, url, types, secret }, who) {
      const sealed = secrets.seal(secret, ownerOf(id));
      const [row] = await sql<[{ added: boolean }]>`SELECT shop.add_event_endpoint(
        ${id}, ${url}, string_to_array(${types?.join(' ') ?? null}, ' '), ${sealed}, ${endpointsMax}, ${who}) AS added`;
      return row.added;
    },
    async rotate(id, secret, endsNow, who) {
      const sealed = secrets.seal(secret, ownerOf(id));
      const [row] = await sql<
        [{ done: boolean }]
      >`SELECT shop.rotate_event_secret(${id}, ${sealed}, ${endsNow ? '0' : overlap}::interval, ${who}) AS done`;
      return row.done;
    },
    async change({ id, url, types }, who) {
      const [row] = await announced(
        sql,
        sql<[{ done: boolean }]>`SELECT shop.change_event_endpoint(
          ${id}, ${url}, string_to_array(${types?.join(' ') ?? null}, ' '), ${who}) AS done`,
      );
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

/** Reads the secrets of all endpoints as they are stored. A former one that signs no more is null. */
export function storedSecrets(
  sql: Connection,
): Promise<{ id: string; secret: string; former: string | null; previous: string | null }[]> {
  return sql`SELECT id, secret, CASE WHEN previous_until > now() THEN previous_secret END AS former, previous_secret AS previous
    FROM shop.event_endpoint ORDER BY id`;
}

/** Returns the reason why the current secret of an endpoint cannot be decrypted; null if it can. */
export function unreadable(secrets: StoredSecrets, id: string, stored: string): string | null {
  const opened = secrets.open(stored, ownerOf(id));
  return 'fault' in opened ? opened.fault : null;
}

async function reseal(sql: Connection, secrets: StoredSecrets): Promise<Resealed> {
  let count = 0;
  const found: Resealed['unreadable'][number][] = [];
  for (const { id, secret, former, previous } of await storedSecrets(sql)) {
    const fault = unreadable(secrets, id, secret);
    if (fault !== null) found.push({ endpoint: id, fault });
    const again = (stored: string) => {
      const opened = secrets.open(stored, ownerOf(id));
      const isKept = 'fault' in opened || secrets.fault !== null || secrets.isCurrent(stored);
      return isKept ? stored : secrets.seal(opened.secret, ownerOf(id));
    };
    const next = { secret: again(secret), previous: former === null ? null : again(former) };
    if (next.secret === secret && next.previous === previous) continue;
    // A rotation meanwhile wins.
    const { count: changed } =
      await sql`UPDATE shop.event_endpoint SET secret = ${next.secret}, previous_secret = ${next.previous}
      WHERE id = ${id} AND secret = ${secret} AND previous_secret IS NOT DISTINCT FROM ${previous}`;
    count += changed;
  }
  return { count, unreadable: found };
}
