import { id as freshId } from '@sluice/kernel/id';
import type { Join } from '../../identity/joined-accounts.ts';
import type { Revocation, Revocations } from '../../identity/revocation-list.ts';
import type { Connection } from './connection.ts';
import type { Listener } from './listener.ts';
import { announced } from './notices.ts';

/** Longer than the lifetime of any assertion. After that a revocation has no effect. */
const revocationKeptMs = 92 * 24 * 60 * 60 * 1000;

/**
 * A process relies on its notifications for this long after its own heartbeat came back through the database, because everything announced
 * before that heartbeat has arrived too.
 */
const deafAfterMs = 2_500;
/** A revocation waits this long for confirmations. A process that has not confirmed by then is dead, or knows that it must read the table. */
const confirmWaitMs = deafAfterMs + 500;
/** One channel for all kinds, so that notifications stay in order. */
const channel = 'revocations';

/** A revocation or join announced by this process. `missing` is null until its own notification has come back. */
type Spreading = PromiseWithResolvers<void> & { missing: Set<string> | null; confirmed: Set<string> };

/** Receives the recorded revocations and joins since `sinceMs()`, then all further ones, and changes of frozen accounts. */
export type RevocationSubscriber = {
  revoked(id: string): void;
  joined(join: Join): void;
  /** Replaces the set of frozen accounts. */
  frozen(accounts: readonly string[]): void;
  froze(account: string, isFrozen: boolean): void;
  sinceMs(): number;
};

/** Opens the table of revocations, and subscribes to revocations and joins of other processes. */
export async function openRevocations(
  sql: Connection,
  listener: Listener,
  subscriber: RevocationSubscriber,
): Promise<SharedRevocations> {
  const revocations = new SharedRevocations(sql, listener, subscriber);
  await revocations.listen();
  await revocations.pulse();
  return revocations;
}

/** Revocations in PostgreSQL. Every process confirms the notifications that it receives. */
export class SharedRevocations implements Revocations {
  readonly #sql: Connection;
  readonly #listener: Listener;
  readonly #subscriber: RevocationSubscriber;
  readonly #self = freshId('hears');
  readonly #spreading = new Map<string, Spreading>();
  /** When each process last received notifications. */
  readonly #pulses = new Map<string, number>();
  #heardUntilMs = Number.NEGATIVE_INFINITY;
  /** Number of times that LISTEN began, and the number for which the table was read since. They differ while notifications may be missing. */
  #listened = 0;
  #read = 0;
  #listeningSinceMs = 0;
  /** Changes of frozen accounts received while the table was read. They are newer than the table's rows. */
  readonly #frozeMeanwhile = new Map<string, boolean>();

  constructor(sql: Connection, listener: Listener, subscriber: RevocationSubscriber) {
    this.#sql = sql;
    this.#listener = listener;
    this.#subscriber = subscriber;
  }

  get isConnected(): boolean {
    return this.#read === this.#listened && performance.now() - this.#heardUntilMs < deafAfterMs;
  }

  async add({ id, revokedMs, account }: Revocation): Promise<void> {
    const sql = this.#sql;
    // A revocation that was recorded before is confirmed only when a standby has it.
    const record = () =>
      announced(
        sql,
        sql`WITH added AS (
            INSERT INTO shop.revocation (id, account_id, created_at, expires_at)
            VALUES (${id}, ${account}, ${new Date(revokedMs)}, ${new Date(revokedMs + revocationKeptMs)}) ON CONFLICT DO NOTHING
          ) SELECT ledger.announce(${channel}, ${`revoked ${id}`}), ledger.await_standby()`,
      );
    await this.#spread(id, record, () => true);
  }

  /** Runs work whose statement announces a join or freeze (shop.join_accounts, shop.freeze), and sends the notice after its commit. */
  announcing<T>(account: string, work: () => Promise<T>, isAnnounced: (done: T) => boolean): Promise<T> {
    return this.#spread(account, work, isAnnounced);
  }

  /** Runs work that announces `id`. If it did, waits until every process has confirmed the notification. */
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
    return (await found).length > 0;
  }

  /** Sends a heartbeat to all processes, including this one. Call it at least twice in `deafAfterMs`. */
  async pulse(): Promise<void> {
    if (this.#read !== this.#listened) {
      const upTo = this.#listened;
      const since = new Date(this.#subscriber.sinceMs());
      const rows = await this.#sql`SELECT id FROM shop.revocation WHERE created_at >= ${since}`;
      for (const { id } of rows) this.#subscriber.revoked(id);
      const joins = await this.#sql<
        Join[]
      >`SELECT id AS from, joined_to AS to FROM shop.account WHERE joined_at >= ${since}`;
      for (const join of joins) this.#subscriber.joined(join);
      this.#frozeMeanwhile.clear();
      const frozen = await this.#sql<
        { id: string }[]
      >`SELECT id FROM shop.account WHERE frozen_at IS NOT NULL`;
      this.#subscriber.frozen(frozen.map(({ id }) => id));
      for (const [account, isFrozen] of this.#frozeMeanwhile) this.#subscriber.froze(account, isFrozen);
      this.#read = upTo;
    }
    // Notices of processes that died before they sent them go with it.
    const pulse = `pulse ${this.#self} ${performance.now()}`;
    await this.#sql`SELECT ledger.send_notices(), pg_notify(${channel}, ${pulse})`;
    this.#listener.expect();
  }

  async listen(): Promise<void> {
    await this.#listener.listen(
      channel,
      (payload) => {
        const [kind, first = '', second = ''] = payload.split(' ');
        if (kind === 'pulse') this.#onPulse(first, Number(second));
        else if (kind === 'revoked' || kind === 'joined') this.#onHeard(first, second);
        else if (kind === 'frozen' || kind === 'unfrozen') this.#onFroze(first, kind === 'frozen');
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

  /** `id` was revoked; or, if `to` is not empty, the account `id` was joined to that one. */
  #onHeard(id: string, to: string): void {
    if (to === '') this.#subscriber.revoked(id);
    else this.#subscriber.joined({ from: id, to });
    this.#confirm(id);
  }

  #onFroze(account: string, isFrozen: boolean): void {
    if (this.#read !== this.#listened) this.#frozeMeanwhile.set(account, isFrozen);
    this.#subscriber.froze(account, isFrozen);
    this.#confirm(account);
  }

  #confirm(id: string): void {
    // A lost confirmation only delays the process that waits for it.
    this.#say('confirmed', this.#self, id).catch(() => undefined);
    const mine = this.#spreading.get(id);
    if (!mine) return;
    // Every connected process sends a heartbeat within `deafAfterMs`. Before that, this process may not know them all.
    const knowsAllInMs = this.#listeningSinceMs + deafAfterMs - performance.now();
    if (knowsAllInMs > 0) setTimeout(() => this.#expectAll(mine), knowsAllInMs);
    else this.#expectAll(mine);
  }

  /** Expects a confirmation from every connected process. */
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
