import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { HaCluster } from './ha-cluster.ts';
import type { Node } from './node.ts';

export type Moment = { atMs: number; what: string };

const pollMs = 50;
const askMsMax = 500;
/** The moments of a takeover in the logs of Patroni and PostgreSQL, which share a file. */
const logged: readonly [RegExp, string][] = [
  [/promoted self to leader/, 'Patroni holds the leader lock'],
  [/received promote request/, 'PostgreSQL is told to promote'],
  [/database system is ready to accept connections/, 'PostgreSQL accepts writes'],
  [/Demoting self|demoted self/, 'Patroni demotes'],
  [/following a different leader/, 'Patroni follows the new leader'],
  [/started streaming WAL/, 'the standby streams'],
  [/is now a synchronous standby/, 'a standby is synchronous'],
];

/** Observes a takeover: what the nodes log, and what HAProxy and its clients can do. */
export class TimeLine {
  readonly #cluster: HaCluster;
  readonly #fromMs = Date.now();
  readonly #moments: Moment[] = [];
  #isOver = false;
  readonly #watching: Promise<unknown>;

  constructor(cluster: HaCluster) {
    this.#cluster = cluster;
    this.#watching = Promise.all([
      this.#watch('HAProxy leads to a primary', `SELECT 1 WHERE NOT pg_is_in_recovery()`),
      this.#watch(
        'a commit through HAProxy is confirmed',
        `SELECT pg_logical_emit_message(true, 'probe', '')`,
      ),
    ]);
  }

  /** Ends the observation. Returns the moments since its beginning, in order, in seconds. */
  async end(): Promise<string[]> {
    this.#isOver = true;
    await this.#watching;
    const ofNodes = await Promise.all(this.#cluster.nodes.map((node) => this.#logged(node)));
    return [...this.#moments, ...ofNodes.flat()]
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ atMs, what }) => `${((atMs - this.#fromMs) / 1_000).toFixed(1)} s ${what}`);
  }

  async #logged({ name, dir }: Node): Promise<Moment[]> {
    const text = await readFile(join(dir, 'patroni.log'), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => {
      const [, day, time, ms] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)[,.](\d{3})/.exec(line) ?? [];
      if (day === undefined) return [];
      const atMs = Date.parse(`${day}T${time}.${ms}Z`);
      const found = logged.find(([pattern]) => pattern.test(line));
      return found === undefined || atMs < this.#fromMs ? [] : [{ atMs, what: `${name}: ${found[1]}` }];
    });
  }

  /** Notes each moment at which a statement fails after it succeeded, and the reverse. */
  async #watch(what: string, statement: string): Promise<void> {
    let was = true;
    for (; !this.#isOver; await sleep(pollMs)) {
      const sql = postgres(this.#cluster.url, {
        max: 1,
        connect_timeout: 1,
        fetch_types: false,
        onnotice: () => {},
      });
      const rows = sql.unsafe(statement).then(
        ({ length }) => length > 0,
        () => false,
      );
      const is = await Promise.race([rows, sleep(askMsMax, false)]);
      await sql.end({ timeout: 0 });
      if (is !== was) this.#moments.push({ atMs: Date.now(), what: is ? what : `no more: ${what}` });
      was = is;
    }
  }
}
