import type { Revocation, Revocations } from '../../identity/revocation-list.ts';
import { id as freshId } from '../../kernel/id.ts';
import type { Connection } from './connection.ts';

/** Longer than any assertion lives: after that a revocation names nothing. */
const revocationKeptMs = 92 * 24 * 60 * 60 * 1000;

/**
 * How long a process trusts what it has heard after its last sure sign of hearing: its own pulse, which went through the
 * database and came back, and so did all that was announced before it.
 */
const deafAfterMs = 2_500;
/** After this a revocation need not wait for who has not confirmed it: that process is dead, or deaf and asks the record. */
const confirmWaitMs = deafAfterMs + 500;
/** One channel for everything, so that nothing overtakes. */
const channel = 'revocations';

/** A revocation of this process on its way to the others. `missing` is null until our own word of it is back. */
type Spreading = PromiseWithResolvers<void> & { missing: Set<string> | null; confirmed: Set<string> };

export type Open = Revocations & {
  /** Shows to all, this process included, that it hears. To be called at least twice in `deafAfterMs`. */
  pulse(): Promise<void>;
};

/**
 * The record of revocations, and the ear for those of other processes, who confirm each what they have heard.
 * @param heard is told each id: first those on record since `sinceMs()`, then every further one
 */
export async function open(
  sql: Connection,
  heard: (id: string) => void,
  sinceMs: () => number,
): Promise<Open> {
  const self = freshId('hears');
  const spreading = new Map<string, Spreading>();
  const pulses = new Map<string, number>();
  let heardUntilMs = Number.NEGATIVE_INFINITY;
  /** How often LISTEN took hold, and for which of these times the record tells what was missed before. */
  let listened = 0;
  let read = 0;

  const say = (...words: (string | number)[]) => sql`SELECT pg_notify(${channel}, ${words.join(' ')})`;

  function onPulse(from: string, sentMs: number): void {
    const nowMs = performance.now();
    if (from === self && read === listened) heardUntilMs = sentMs;
    pulses.set(from, nowMs);
    for (const [name, atMs] of pulses) if (nowMs - atMs > confirmWaitMs) pulses.delete(name);
  }

  function onRevoked(id: string): void {
    heard(id);
    // Unconfirmed it costs the one who waits a moment, nothing more.
    say('confirmed', self, id).catch(() => undefined);
    const mine = spreading.get(id);
    if (mine) mine.missing = new Set([self, ...pulses.keys()].filter((name) => !mine.confirmed.has(name)));
  }

  function onConfirmed(from: string, id: string): void {
    const mine = spreading.get(id);
    mine?.confirmed.add(from);
    mine?.missing?.delete(from);
    if (mine?.missing?.size === 0) mine.resolve();
  }

  async function pulse(): Promise<void> {
    if (read !== listened) {
      const upTo = listened;
      const since = new Date(sinceMs());
      const rows = await sql<{ id: string }[]>`SELECT id FROM shop.revocation WHERE created_at >= ${since}`;
      for (const { id } of rows) heard(id);
      read = upTo;
    }
    await say('pulse', self, performance.now());
  }

  await sql.listen(
    channel,
    (payload) => {
      const [kind, first = '', second = ''] = payload.split(' ');
      if (kind === 'pulse') onPulse(first, Number(second));
      else if (kind === 'revoked') onRevoked(first);
      else if (kind === 'confirmed') onConfirmed(first, second);
    },
    () => {
      listened += 1;
    },
  );
  await pulse();

  return {
    pulse,
    get isHeard() {
      return read === listened && performance.now() - heardUntilMs < deafAfterMs;
    },
    async add({ id, revokedMs }: Revocation) {
      const fresh = { missing: null, confirmed: new Set<string>(), ...Promise.withResolvers<void>() };
      const mine = spreading.get(id) ?? fresh;
      spreading.set(id, mine);
      try {
        await sql`WITH added AS (
            INSERT INTO shop.revocation (id, created_at, expires_at)
            VALUES (${id}, ${new Date(revokedMs)}, ${new Date(revokedMs + revocationKeptMs)}) ON CONFLICT DO NOTHING
          ) SELECT pg_notify(${channel}, ${`revoked ${id}`})`;
        const late = setTimeout(mine.resolve, confirmWaitMs);
        await mine.promise;
        clearTimeout(late);
      } finally {
        spreading.delete(id);
      }
    },
    async has(ids) {
      const rows = await sql`SELECT 1 FROM shop.revocation WHERE id = ANY (${sql.array([...ids])}) LIMIT 1`;
      return rows.length > 0;
    },
  };
}
