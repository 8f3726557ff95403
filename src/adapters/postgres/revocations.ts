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

/**
 * Opens the record of revocations, and the ear for those of other processes.
 * @param heard is told each id: first those on record since `sinceMs()`, then every further one
 */
export async function open(
  sql: Connection,
  heard: (id: string) => void,
  sinceMs: () => number,
): Promise<HeardRevocations> {
  const revocations = new HeardRevocations(sql, heard, sinceMs);
  await revocations.listen();
  await revocations.pulse();
  return revocations;
}

/** Every process confirms to all others what it has heard. */
class HeardRevocations implements Revocations {
  readonly #sql: Connection;
  readonly #heard: (id: string) => void;
  readonly #sinceMs: () => number;
  readonly #self = freshId('hears');
  readonly #spreading = new Map<string, Spreading>();
  /** When each process was last known to hear. */
  readonly #pulses = new Map<string, number>();
  #heardUntilMs = Number.NEGATIVE_INFINITY;
  /** How often LISTEN took hold, and for which of these times the record has told what was missed before. */
  #listened = 0;
  #read = 0;
  #listeningSinceMs = 0;

  constructor(sql: Connection, heard: (id: string) => void, sinceMs: () => number) {
    this.#sql = sql;
    this.#heard = heard;
    this.#sinceMs = sinceMs;
  }

  get isHeard(): boolean {
    return this.#read === this.#listened && performance.now() - this.#heardUntilMs < deafAfterMs;
  }

  async add({ id, revokedMs }: Revocation): Promise<void> {
    const fresh = { missing: null, confirmed: new Set<string>(), ...Promise.withResolvers<void>() };
    const mine = this.#spreading.get(id) ?? fresh;
    this.#spreading.set(id, mine);
    try {
      await this.#sql`WITH added AS (
          INSERT INTO shop.revocation (id, created_at, expires_at)
          VALUES (${id}, ${new Date(revokedMs)}, ${new Date(revokedMs + revocationKeptMs)}) ON CONFLICT DO NOTHING
        ) SELECT pg_notify(${channel}, ${`revoked ${id}`})`;
      const late = setTimeout(mine.resolve, confirmWaitMs);
      await mine.promise;
      clearTimeout(late);
    } finally {
      this.#spreading.delete(id);
    }
  }

  async has(ids: readonly string[]): Promise<boolean> {
    const sql = this.#sql;
    const rows = await sql`SELECT 1 FROM shop.revocation WHERE id = ANY (${sql.array([...ids])}) LIMIT 1`;
    return rows.length > 0;
  }

  /** Shows to all, this process included, that it hears. To be called at least twice in `deafAfterMs`. */
  async pulse(): Promise<void> {
    if (this.#read !== this.#listened) {
      const upTo = this.#listened;
      const since = new Date(this.#sinceMs());
      const rows = await this.#sql`SELECT id FROM shop.revocation WHERE created_at >= ${since}`;
      for (const { id } of rows) this.#heard(id);
      this.#read = upTo;
    }
    await this.#say('pulse', this.#self, String(performance.now()));
  }

  async listen(): Promise<void> {
    await this.#sql.listen(
      channel,
      (payload) => {
        const [kind, first = '', second = ''] = payload.split(' ');
        if (kind === 'pulse') this.#onPulse(first, Number(second));
        else if (kind === 'revoked') this.#onRevoked(first);
        else if (kind === 'confirmed') this.#onConfirmed(first, second);
      },
      () => {
        this.#listened += 1;
        this.#listeningSinceMs = performance.now();
      },
    );
  }

  #onPulse(from: string, sentMs: number): void {
    const nowMs = performance.now();
    if (from === this.#self && this.#read === this.#listened) this.#heardUntilMs = sentMs;
    this.#pulses.set(from, nowMs);
    for (const [name, atMs] of this.#pulses) if (nowMs - atMs > confirmWaitMs) this.#pulses.delete(name);
  }

  #onRevoked(id: string): void {
    this.#heard(id);
    // Unconfirmed it costs the one who waits a moment, nothing more.
    this.#say('confirmed', this.#self, id).catch(() => undefined);
    const mine = this.#spreading.get(id);
    if (!mine) return;
    // Whoever hears has shown it within `deafAfterMs`. Who listens for less than that does not know them all yet.
    const knowsAllInMs = this.#listeningSinceMs + deafAfterMs - performance.now();
    if (knowsAllInMs > 0) setTimeout(() => this.#expectAll(mine), knowsAllInMs);
    else this.#expectAll(mine);
  }

  /** Every process that hears is to confirm what this one has revoked. */
  #expectAll(mine: Spreading): void {
    const hearing = [this.#self, ...this.#pulses.keys()];
    mine.missing = new Set(hearing.filter((name) => !mine.confirmed.has(name)));
    if (mine.missing.size === 0) mine.resolve();
  }

  #onConfirmed(from: string, id: string): void {
    const mine = this.#spreading.get(id);
    mine?.confirmed.add(from);
    mine?.missing?.delete(from);
    if (mine?.missing?.size === 0) mine.resolve();
  }

  async #say(...words: string[]): Promise<void> {
    await this.#sql`SELECT pg_notify(${channel}, ${words.join(' ')})`;
  }
}
