import type { Join } from '../../identity/joins.ts';
import type { Revocation, Revocations } from '../../identity/revocation-list.ts';
import { id as freshId } from '../../kernel/id.ts';
import { bounded, type Connection } from './connection.ts';

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

/** A revocation or join of this process on its way to the others. `missing` is null until our own word of it is back. */
type Spreading = PromiseWithResolvers<void> & { missing: Set<string> | null; confirmed: Set<string> };

/** Is told what is on record since `sinceMs()`, then every further revocation and join; and which accounts are frozen, or not any more. */
export type Ear = {
  revoked(id: string): void;
  joined(join: Join): void;
  /** Only these are frozen. */
  frozen(accounts: readonly string[]): void;
  froze(account: string, isFrozen: boolean): void;
  sinceMs(): number;
};

/** Opens the record of revocations, and the ear for those of other processes and for accounts that were joined. */
export async function open(sql: Connection, ear: Ear): Promise<HeardRevocations> {
  const revocations = new HeardRevocations(sql, ear);
  await revocations.listen();
  await revocations.pulse();
  return revocations;
}

/** Every process confirms to all others what it has heard. */
class HeardRevocations implements Revocations {
  readonly #sql: Connection;
  readonly #ear: Ear;
  readonly #self = freshId('hears');
  readonly #spreading = new Map<string, Spreading>();
  /** When each process was last known to hear. */
  readonly #pulses = new Map<string, number>();
  #heardUntilMs = Number.NEGATIVE_INFINITY;
  /** How often LISTEN took hold, and for which of these times the record has told what was missed before. */
  #listened = 0;
  #read = 0;
  #listeningSinceMs = 0;
  /** What was heard of frozen accounts while the record was read: it is newer. */
  readonly #frozeMeanwhile = new Map<string, boolean>();

  constructor(sql: Connection, ear: Ear) {
    this.#sql = sql;
    this.#ear = ear;
  }

  get isHeard(): boolean {
    return this.#read === this.#listened && performance.now() - this.#heardUntilMs < deafAfterMs;
  }

  async add({ id, revokedMs }: Revocation): Promise<void> {
    const record = () => this.#sql`WITH added AS (
        INSERT INTO shop.revocation (id, created_at, expires_at)
        VALUES (${id}, ${new Date(revokedMs)}, ${new Date(revokedMs + revocationKeptMs)}) ON CONFLICT DO NOTHING
      ) SELECT pg_notify(${channel}, ${`revoked ${id}`})`;
    await this.#spread(id, record, () => true);
  }

  /** The statements that join and freeze announce it themselves (shop.join_accounts, shop.freeze). */
  telling<T>(account: string, work: () => Promise<T>, tells: (done: T) => boolean): Promise<T> {
    return this.#spread(account, work, tells);
  }

  /** Does what announces `id`; where it `announced`, waits until every process has confirmed that it heard. */
  async #spread<T>(id: string, work: () => Promise<T>, announced: (done: T) => boolean): Promise<T> {
    const fresh = { missing: null, confirmed: new Set<string>(), ...Promise.withResolvers<void>() };
    const mine = this.#spreading.get(id) ?? fresh;
    this.#spreading.set(id, mine);
    try {
      const done = await work();
      if (!announced(done)) return done;
      const late = setTimeout(mine.resolve, confirmWaitMs);
      await mine.promise;
      clearTimeout(late);
      return done;
    } finally {
      this.#spreading.delete(id);
    }
  }

  async has(ids: readonly string[]): Promise<boolean> {
    const sql = this.#sql;
    const found = sql`SELECT 1 FROM shop.revocation WHERE id = ANY (${sql.array([...ids])}) LIMIT 1`;
    return (await bounded(found)).length > 0;
  }

  /** Shows to all, this process included, that it hears. To be called at least twice in `deafAfterMs`. */
  async pulse(): Promise<void> {
    if (this.#read !== this.#listened) {
      const upTo = this.#listened;
      const since = new Date(this.#ear.sinceMs());
      const rows = await this.#sql`SELECT id FROM shop.revocation WHERE created_at >= ${since}`;
      for (const { id } of rows) this.#ear.revoked(id);
      const joins = await this.#sql<
        Join[]
      >`SELECT id AS from, joined_to AS to FROM shop.account WHERE joined_at >= ${since}`;
      for (const join of joins) this.#ear.joined(join);
      this.#frozeMeanwhile.clear();
      const frozen = await this.#sql<
        { id: string }[]
      >`SELECT id FROM shop.account WHERE frozen_at IS NOT NULL`;
      this.#ear.frozen(frozen.map(({ id }) => id));
      for (const [account, isFrozen] of this.#frozeMeanwhile) this.#ear.froze(account, isFrozen);
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
        else if (kind === 'revoked' || kind === 'joined') this.#onHeard(first, second);
        else if (kind === 'frozen' || kind === 'thawed') this.#onFroze(first, kind === 'frozen');
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

  /** `id` was revoked; or, where there is a `to`, is the account that has become a part of that one. */
  #onHeard(id: string, to: string): void {
    if (to === '') this.#ear.revoked(id);
    else this.#ear.joined({ from: id, to });
    this.#confirm(id);
  }

  #onFroze(account: string, isFrozen: boolean): void {
    if (this.#read !== this.#listened) this.#frozeMeanwhile.set(account, isFrozen);
    this.#ear.froze(account, isFrozen);
    this.#confirm(account);
  }

  #confirm(id: string): void {
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
