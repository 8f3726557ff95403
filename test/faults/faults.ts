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
  'idempotencyKey sent',
  'idempotencyKey done',
  'idempotencyKey given up sent',
  'idempotencyKey given up done',
  'giving back sent',
  'giving back done',
  'writer opened sent',
  'writer opened done',
  'reaping sent',
  'reaping done',
] as const;
/** The named points at which a process can be struck. */
const moments = [...upstreamMoments, ...databaseMoments, ...clientMoments];
export type Moment = (typeof moments)[number];
/** The points that most calls pass and where money is at stake. */
const hotMoments: readonly Moment[] = [
  'request arrived',
  'answer sent',
  'settlement sent',
  'settlement done',
  'idempotencyKey done',
  'answer begun',
  'answer half read',
  'answer read',
  'stream half sent',
  'stream half read',
];

/** Faults of one process or its connection, at one of its points. */
const strikes = [
  ...Array<'kill'>(5).fill('kill'),
  ...Array<'cut'>(4).fill('cut'),
  'pause',
  'pause past the lease',
  ...Array<'hold back'>(2).fill('hold back'),
  'drain',
  'reload',
] as const;
/** Faults that affect all processes, at any time. */
const blows = [
  'terminate backends',
  'terminate backends',
  'crash the database',
  'lock the writers',
  'lock the lots',
  'crowd the database',
  'set a clock',
  'set a clock',
] as const;
/** A fault of a process at one of its points. */
export type Aim = { act: (typeof strikes)[number]; at: Moment };
type Strike = Aim & { callsLeft: number };

/** A strike is given up when its point is not reached within this many calls. */
const strikeCallsMax = 400;
const restartMsMax = 6_000;
const pauseMsMax = 900;
/** Longer than the silence after which a writer is considered dead. */
const pastLeaseMs = 6_500;
const holdBackMsMax = 4_000;
const lockMsMax = 2_500;
const crowd = 90;
const crowdMs = 1_500;
const clockMs = [-3_600_000, -70_000, -2_000, 2_000, 70_000, 3_600_000];

/** All faults of a run, chosen at random; only from `aims` when there are any. */
export class Faults {
  readonly counts: Record<string, number> = {};
  /** Number of strikes by point. */
  readonly struck: Record<string, number> = {};
  readonly #dice: Dice;
  readonly #gateways: readonly Gateway[];
  readonly #cluster: Cluster;
  /** Opens a separate connection for each fault. */
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

  /** Causes the next fault: a strike that waits for its point, or one that affects all processes at once. */
  next(): void {
    const dice = this.#dice;
    if (this.#aims) this.#await(dice.pick(this.#aims));
    else if (dice.chance(0.25)) this.#blow(dice.pick(blows));
    else this.#await({ act: dice.pick(strikes), at: dice.pick(dice.chance(0.6) ? hotMoments : moments) });
  }

  #await(aim: Aim): void {
    this.#pending.push({ ...aim, callsLeft: strikeCallsMax });
  }

  /** Reports that a call has ended, which brings waiting strikes closer to being given up. */
  pass(): void {
    for (const strike of this.#pending) strike.callsLeft -= 1;
    const [late] = this.#pending;
    if (!late || late.callsLeft > 0) return;
    this.#pending.shift();
    this.#count('moments that did not come');
  }

  /** Reports that a process has reached a point. The first strike that waits for the point is carried out. */
  meet(gateway: Gateway, at: Moment): Fate {
    if (this.#isOver) return 'pass';
    const index = this.#pending.findIndex((strike) => strike.at === at);
    const [strike] = index < 0 ? [] : this.#pending.splice(index, 1);
    return strike ? this.#strike(strike, gateway) : 'pass';
  }

  /** Stops causing faults. Resolves when all current ones have ended and every clock is right again. */
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
        // The statement may still reach the database.
        return done(
          gateway.kill(dice.chance(0.5) ? 0 : dice.int(restartMsMax)),
          dice.chance(0.5) ? 'cut' : 'pass',
        );
      case 'drain':
        return done(gateway.drain(), 'pass');
      case 'reload':
        this.#wait(gateway.reload());
        return done(true, 'pass');
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
      case 'lock the writers':
        this.#do((sql) => hold(sql, 'PERFORM 1 FROM ledger.writer FOR UPDATE', forMs));
        break;
      case 'lock the lots':
        this.#do((sql) => hold(sql, 'PERFORM 1 FROM ledger.lot ORDER BY id FOR UPDATE', forMs));
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

  /** Runs `work` on its own connection. Errors are ignored, because another fault may break that connection. */
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
