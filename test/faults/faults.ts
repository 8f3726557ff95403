import type postgres from 'postgres';
import type { Dice } from '../purchase/dice.ts';
import { clientMoments } from './attempt.ts';
import type { Cluster } from './cluster.ts';
import type { Fate } from './database-proxy.ts';
import type { Gateway } from './gateway.ts';
import { upstreamMoments } from './upstream.ts';

const databaseMoments = [
  'settlement sent',
  'settlement done',
  'hold sent',
  'hold done',
  'heartbeat sent',
  'heartbeat done',
  'ticket sent',
  'ticket done',
  'ticket given up sent',
  'ticket given up done',
  'giving back sent',
  'giving back done',
  'lane opened sent',
  'lane opened done',
  'reaping sent',
  'reaping done',
] as const;
/** The named points of the path at which a process can be struck. */
const moments = [...upstreamMoments, ...databaseMoments, ...clientMoments];
export type Moment = (typeof moments)[number];
/** Most calls pass these, and money is at stake in them. */
const hotMoments: readonly Moment[] = [
  'request arrived',
  'answer sent',
  'settlement sent',
  'settlement done',
  'ticket done',
  'answer begun',
  'answer half read',
  'answer read',
];

/** What is done to the process at its moment, or to its connection. */
const strikes = [
  ...Array<'kill'>(5).fill('kill'),
  ...Array<'cut'>(4).fill('cut'),
  'pause',
  'pause past the lease',
  ...Array<'hold back'>(2).fill('hold back'),
] as const;
/** What is done to all at once, at any moment. */
const blows = [
  'terminate backends',
  'terminate backends',
  'crash the database',
  'lock the lanes',
  'lock the lots',
  'crowd the database',
  'set a clock',
  'set a clock',
] as const;
/** What is done to a process at one of its moments. */
export type Aim = { act: (typeof strikes)[number]; at: Moment };
type Strike = Aim & { callsLeft: number };

/** A strike whose moment does not come in so many calls is given up. */
const strikeCallsMax = 400;
const restartMsMax = 6_000;
const pauseMsMax = 900;
/** Longer than the silence after which a lane is taken for dead. */
const pastLeaseMs = 6_500;
const holdBackMsMax = 4_000;
const lockMsMax = 2_500;
const crowd = 90;
const crowdMs = 1_500;
const clockMs = [-3_600_000, -70_000, -2_000, 2_000, 70_000, 3_600_000];

/** Everything that goes wrong in a run, drawn by its dice: of `aims` alone, where there are some. */
export class Faults {
  readonly counts: Record<string, number> = {};
  /** Moments at which a process was struck. */
  readonly struck: Record<string, number> = {};
  readonly #dice: Dice;
  readonly #gateways: readonly Gateway[];
  readonly #cluster: Cluster;
  /** On a connection of its own each. */
  readonly #connect: () => postgres.Sql;
  readonly #aims: readonly Aim[] | null;
  #pending: Strike[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;
  #crashing = false;
  #failure: Error | null = null;

  constructor(
    dice: Dice,
    gateways: readonly Gateway[],
    cluster: Cluster,
    connect: () => postgres.Sql,
    aims: readonly Aim[] | null,
  ) {
    this.#dice = dice;
    this.#gateways = gateways;
    this.#cluster = cluster;
    this.#connect = connect;
    this.#aims = aims;
  }

  /** Something is to go wrong: a strike that waits for its moment, or a blow at once. */
  next(): void {
    const dice = this.#dice;
    if (this.#aims) this.#await(dice.pick(this.#aims));
    else if (dice.chance(0.25)) this.#blow(dice.pick(blows));
    else this.#await({ act: dice.pick(strikes), at: dice.pick(dice.chance(0.6) ? hotMoments : moments) });
  }

  #await(aim: Aim): void {
    this.#pending.push({ ...aim, callsLeft: strikeCallsMax });
  }

  /** A call has ended: those that wait for a moment wait for one call less. */
  pass(): void {
    for (const strike of this.#pending) strike.callsLeft -= 1;
    const [late] = this.#pending;
    if (!late || late.callsLeft > 0) return;
    this.#pending.shift();
    this.#count('moments that did not come');
  }

  /** A moment of a process has come: the first that comes to it is struck. */
  meet(gateway: Gateway, at: Moment): Fate {
    if (this.#isOver) return 'pass';
    const index = this.#pending.findIndex((strike) => strike.at === at);
    const [strike] = index < 0 ? [] : this.#pending.splice(index, 1);
    return strike ? this.#strike(strike, gateway) : 'pass';
  }

  /** No more faults; resolves when what was begun has ended, and every clock is right again. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#pending = [];
    await Promise.all(this.#underWay);
    if (this.#failure) throw this.#failure;
    for (const gateway of this.#gateways) gateway.setClock(0);
  }

  #strike({ act, at }: Strike, gateway: Gateway): Fate {
    const dice = this.#dice;
    const done = (isDone: boolean, fate: Fate): Fate => {
      this.#count(isDone ? act : 'strikes at nobody');
      if (isDone) this.struck[at] = (this.struck[at] ?? 0) + 1;
      return fate;
    };
    switch (act) {
      case 'kill':
        // What was on its way may arrive all the same.
        return done(
          gateway.kill(dice.chance(0.5) ? 0 : dice.int(restartMsMax)),
          dice.chance(0.5) ? 'cut' : 'pass',
        );
      case 'pause':
        return done(gateway.pause(dice.int(pauseMsMax)), 'pass');
      case 'pause past the lease':
        return done(gateway.pause(pastLeaseMs), 'pass');
      case 'cut':
        if (!(databaseMoments as readonly string[]).includes(at)) gateway.cut();
        return done(true, 'cut');
      case 'hold back':
        return done(true, sleep(dice.int(holdBackMsMax)));
    }
  }

  #blow(act: (typeof blows)[number]): void {
    const dice = this.#dice;
    const forMs = dice.int(lockMsMax);
    if (act === 'crash the database' && this.#crashing) return;
    this.#count(act);
    switch (act) {
      case 'terminate backends':
        this.#do(endBackends);
        break;
      case 'crash the database':
        this.#crash();
        break;
      case 'lock the lanes':
        this.#do((sql) => hold(sql, 'PERFORM 1 FROM ledger.lane FOR UPDATE', forMs));
        break;
      case 'lock the lots':
        this.#do((sql) => hold(sql, 'PERFORM 1 FROM ledger.bucket ORDER BY id FOR UPDATE', forMs));
        break;
      case 'crowd the database':
        for (let guest = 0; guest < crowd; guest++)
          this.#do((sql) => sql`SELECT pg_sleep(${crowdMs / 1_000})`);
        break;
      case 'set a clock':
        dice.pick(this.#gateways).setClock(dice.pick(clockMs));
        break;
    }
  }

  #crash(): void {
    this.#crashing = true;
    const back = this.#cluster.crash().then(
      () => {
        this.#crashing = false;
      },
      (error: unknown) => {
        this.#failure = new Error('the database does not come back', { cause: error });
      },
    );
    this.#wait(back);
  }

  /** On a connection of its own; that it breaks is another fault's doing. */
  #do(work: (sql: postgres.Sql) => Promise<unknown>): void {
    const sql = this.#connect();
    const done = work(sql)
      .catch(() => undefined)
      .then(() => sql.end({ timeout: 1 }));
    this.#wait(done);
  }

  #wait(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.then(() => this.#underWay.delete(work));
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

function endBackends(sql: postgres.Sql): Promise<unknown> {
  return sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice'`;
}

function hold(sql: postgres.Sql, lock: string, ms: number): Promise<unknown> {
  return sql.unsafe(`DO $$ BEGIN ${lock}; PERFORM pg_sleep(${ms / 1_000}); END $$`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
