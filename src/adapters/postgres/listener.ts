import { setTimeout as sleep } from 'node:timers/promises';
import * as PostgresUrl from '@sluice/kernel/postgres-url';
import postgres from 'postgres';

/** Delay before a lost connection is opened again: it doubles with each attempt, up to the maximum. */
const againMs = 50;
const againMsMax = 1_000;
const connectTimeoutSeconds = 2;
/** Maximum time for a connection to be opened and to listen. */
const openMsMax = 5_000;
const statementTimeoutMs = 2_000;
/** A connection on which a notification does not arrive for this long after its commit is deaf. */
const silenceMsMax = 2_000;

type Subscription = { channel: string; heard(payload: string): void; listening(): void };
/** Options of the driver that its types do not list. */
type Events = { onnotify(channel: string, payload: string): void; onclose(): void };

/**
 * Receives notifications of PostgreSQL, on a connection of its own. A connection that is closed, that leads to a server which is not the
 * primary yet, or that receives nothing, is replaced until one listens. The driver's own `listen` tries once after a connection was closed: if
 * that attempt is refused, because the new primary is not promoted yet, it never listens again.
 */
export class Listener {
  /** One for all connections: it remembers which of several hosts served. */
  readonly #address: ReturnType<typeof PostgresUrl.driver>;
  readonly #subscriptions: Subscription[] = [];
  #session: postgres.Sql | null = null;
  /** Resolves when a new connection listens to all channels; null while no connection is being replaced. */
  #replacing: Promise<void> | null = null;
  #isListening = false;
  #isEnded = false;
  #silence: NodeJS.Timeout | NodeJS.Immediate | undefined;

  /** @param url PostgreSQL 15 or later, without a pooler in transaction mode */
  constructor(url: string) {
    this.#address = PostgresUrl.driver(url);
  }

  /**
   * Listens to a channel until the end. Rejects if that cannot begin.
   * @param listening called when it begins, and whenever it begins again: notifications may have been missed before
   */
  async listen(
    channel: string,
    heard: (payload: string) => void,
    listening: () => void = () => {},
  ): Promise<void> {
    const subscription = { channel, heard, listening };
    this.#subscriptions.push(subscription);
    try {
      if (this.#isBeingReplaced()) return await inTime(this.#replacing);
      this.#session ??= this.#connect();
      await inTime(this.#session.unsafe(`LISTEN ${channel}`));
      this.#isListening = true;
      listening();
    } catch (fault) {
      // The connection was replaced meanwhile: the next one listens to this channel, too.
      if (this.#isBeingReplaced()) return await inTime(this.#replacing);
      this.#subscriptions.splice(this.#subscriptions.indexOf(subscription), 1);
      throw fault;
    }
  }

  /** This process has committed a notification to one of the channels. If nothing arrives in time, the connection is replaced. */
  expect(): void {
    // The second step reads first what arrived while this process itself was stopped.
    this.#silence ??= setTimeout(() => {
      this.#silence = setImmediate(() => this.#replace());
    }, silenceMsMax).unref();
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#hearsAgain();
    await this.#session?.end({ timeout: 1 });
  }

  #connect(): postgres.Sql {
    const { url, options } = this.#address;
    const events: Events = {
      onnotify: (channel, payload) => {
        if (session === this.#session) this.#hear(channel, payload);
      },
      onclose: () => {
        if (session === this.#session && this.#isListening) this.#replace();
      },
    };
    const session: postgres.Sql = postgres(url, {
      ...options,
      ...events,
      max: 1,
      connect_timeout: connectTimeoutSeconds,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'sluice listener', statement_timeout: statementTimeoutMs },
    });
    return session;
  }

  #hear(channel: string, payload: string): void {
    this.#hearsAgain();
    for (const subscription of this.#subscriptions)
      if (subscription.channel === channel) subscription.heard(payload);
  }

  #hearsAgain(): void {
    clearTimeout(this.#silence as NodeJS.Timeout);
    clearImmediate(this.#silence as NodeJS.Immediate);
    this.#silence = undefined;
  }

  #replace(): void {
    this.#hearsAgain();
    if (this.#isEnded || !this.#isListening) return;
    this.#isListening = false;
    drop(this.#session);
    this.#replacing = this.#listenAgain().finally(() => {
      this.#replacing = null;
    });
  }

  #isBeingReplaced(): boolean {
    return this.#replacing !== null;
  }

  /** Opens connections until one listens to all channels. One statement subscribes to all, so that one notification proves all. */
  async #listenAgain(): Promise<void> {
    for (let attempt = 0; !this.#isEnded; attempt++) {
      await sleep(Math.min(againMs * 2 ** attempt, againMsMax));
      const session = this.#connect();
      this.#session = session;
      try {
        // Channels may be added meanwhile.
        for (let count = 0; count < this.#subscriptions.length; ) {
          count = this.#subscriptions.length;
          const channels = new Set(this.#subscriptions.map(({ channel }) => `LISTEN ${channel}`));
          await inTime(session.unsafe([...channels].join('; ')));
        }
        this.#isListening = true;
        for (const { listening } of this.#subscriptions) listening();
        return;
      } catch {
        // Refused, silent, or not the primary: the next attempt may succeed.
        drop(session);
      }
    }
  }
}

/** Closes a connection without waiting for a server that may be silent. */
function drop(session: postgres.Sql | null): void {
  session?.end({ timeout: 0 }).catch(() => undefined);
}

/** Settles like a statement, or rejects when the server is silent. */
async function inTime(statement: PromiseLike<unknown> | null): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the database does not listen in time')), openMsMax);
  try {
    await Promise.race([statement, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
