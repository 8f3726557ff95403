import { AsyncLocalStorage } from 'node:async_hooks';

/** A statement without a result at its deadline. If `wasSent`, the database may still run it later. */
export class StatementLate extends Error {
  readonly code = 'CONNECTION_STALLED';
  readonly wasSent: boolean;

  constructor(wasSent: boolean) {
    super('the database does not respond');
    this.wasSent = wasSent;
  }
}

export type StatementLimits<Sql> = {
  /**
   * Longest wait for a result in milliseconds, from the moment that the statement is awaited. Above the server's statement timeout; infinite
   * for none.
   */
  deadlineMs: number;
  /** The same for statements on a connection from `reserve`; by default `deadlineMs`. */
  reservedDeadlineMs?: number;
  /** The statements are not bound by the budget of a request (`withinBudget`): they serve many requests, or may take long. */
  ignoresBudget?: boolean;
  /** Statements that may run at the same time. Further ones wait, and are never sent if their deadline passes first. */
  concurrentMax: number;
  /** A statement without a result this long after it was sent has lost its connection. */
  stalledMs: number;
  /** Called with the driver's pool of such a statement. */
  onStalled(pool: Sql): void;
};

/** Time that one request may wait for the database in total. */
type Budget = { leftMs: number; running: number; sinceMs: number };

const budgets = new AsyncLocalStorage<{ budget: Budget | null }>();

/**
 * Runs `work`, whose statements wait at most `budgetMs` for the database in total. Statements that run at the same time count once. The
 * budget ends with `work`: timers and jobs that it has started are not bound by it.
 */
export async function withinBudget<T>(budgetMs: number, work: () => Promise<T>): Promise<T> {
  const scope: { budget: Budget | null } = { budget: { leftMs: budgetMs, running: 0, sinceMs: 0 } };
  try {
    return await budgets.run(scope, work);
  } finally {
    scope.budget = null;
  }
}

/**
 * Runs `work` outside the budget of its request; each statement keeps its own deadline. For what has to be recorded after money has moved.
 */
export function withoutBudget<T>(work: () => Promise<T>): Promise<T> {
  return budgets.run({ budget: null }, work);
}

/**
 * Returns the driver's `sql` with a deadline on every statement: on those of its template tag, of `unsafe`, and of connections from
 * `reserve`. A statement without a result in time rejects with `StatementLate`. `pool` returns the driver's pool of the moment. Streams and
 * cursors have no deadline after their first response.
 */
export function limited<Sql extends object>(pool: () => Sql, limits: StatementLimits<Sql>): Sql {
  const slots = openSlots(limits.concurrentMax);
  const bind = (statement: unknown, from: Sql) => bound(statement, limits, slots, from);
  return facade(pool, bind, async (from) => {
    const asked = (Reflect.get(from, 'reserve') as () => Promise<Reserved>)();
    // A copy of the promise, because `bind` changes the one that it is given.
    const given = bind(
      asked.then((connection) => connection),
      from,
    ) as Promise<Reserved>;
    const connection = await given.catch((error: unknown) => {
      if (error instanceof StatementLate) asked.then((late) => late.release()).catch(() => {});
      throw error;
    });
    // It runs its statements one after the other, whatever the pool does.
    const own = openSlots(Number.POSITIVE_INFINITY);
    const deadlineMs = limits.reservedDeadlineMs ?? limits.deadlineMs;
    const ownLimits = { ...limits, deadlineMs, stalledMs: Number.POSITIVE_INFINITY };
    return facade(
      () => connection,
      (statement) => bound(statement, ownLimits, own, from),
      null,
    );
  });
}

type Callable = (...args: unknown[]) => unknown;
type Reserved = { release(): void };

function facade<Sql extends object>(
  pool: () => Sql,
  bind: (statement: unknown, from: Sql) => unknown,
  reserve: ((from: Sql) => Promise<Reserved>) | null,
): Sql {
  return new Proxy(pool(), {
    apply(_, self, args) {
      const from = pool();
      return bind(Reflect.apply(from as unknown as Callable, self, args), from);
    },
    get(_, name) {
      const from = pool();
      const member = Reflect.get(from, name) as unknown;
      if (name === 'unsafe') return (...args: unknown[]) => bind((member as Callable)(...args), from);
      return name === 'reserve' && reserve !== null ? () => reserve(from) : member;
    },
  });
}

type Waiting = { start(): void; isLate(): boolean };
type Slots = ReturnType<typeof openSlots>;

/** Admits statements in the order of their arrival. */
function openSlots(max: number) {
  let free = max;
  const queue: Waiting[] = [];
  return {
    acquire(waiting: Waiting): void {
      if (free > 0) {
        free -= 1;
        waiting.start();
      } else queue.push(waiting);
    },
    release(): void {
      let next = queue.shift();
      while (next?.isLate()) next = queue.shift();
      if (next) next.start();
      else free += 1;
    },
  };
}

/** Puts a deadline on `statement`. A part of another statement is never awaited itself, so that nothing happens to it. */
function bound<Sql>(statement: unknown, limits: StatementLimits<Sql>, slots: Slots, from: Sql): unknown {
  if (!(statement instanceof Promise)) return statement;
  const wait = Object.getPrototypeOf(statement).then as Promise<unknown>['then'];
  let result: Promise<unknown> | null = null;
  const run = () => {
    result ??= inTime((onOk, onFail) => void wait.call(statement, onOk, onFail), limits, slots, from);
    return result;
  };
  return Object.assign(statement, {
    // The driver sends a statement when it is awaited.
    // biome-ignore lint/suspicious/noThenProperty: it replaces that of the driver
    then: (...handlers: Parameters<typeof wait>) => run().then(...handlers),
    catch: (onFail: (reason: unknown) => unknown) => run().catch(onFail),
    finally: (onEnd: () => void) => run().finally(onEnd),
  });
}

type Send = (onOk: (value: unknown) => void, onFail: (reason: unknown) => void) => void;

function inTime<Sql>(
  send: Send,
  { deadlineMs, ignoresBudget, stalledMs, onStalled }: StatementLimits<Sql>,
  slots: Slots,
  from: Sql,
): Promise<unknown> {
  const budget = ignoresBudget ? null : (budgets.getStore()?.budget ?? null);
  const waitMs = Math.min(deadlineMs, budget === null ? deadlineMs : left(budget));
  if (waitMs <= 0) return Promise.reject(new StatementLate(false));
  return new Promise<unknown>((resolve, reject) => {
    let isSent = false;
    let isLate = false;
    const end = startWait(budget);
    const deadline = later(waitMs, () => {
      isLate = true;
      end();
      reject(new StatementLate(isSent));
    });
    const start = () => {
      isSent = true;
      const stalled = later(stalledMs, () => onStalled(from))?.unref();
      const settle = (done: () => void) => {
        clearTimeout(deadline);
        clearTimeout(stalled);
        if (!isLate) end();
        slots.release();
        done();
      };
      send(
        (value) => settle(() => resolve(value)),
        (reason) => settle(() => reject(reason)),
      );
    };
    slots.acquire({ start, isLate: () => isLate });
  });
}

function later(ms: number, work: () => void): NodeJS.Timeout | undefined {
  return Number.isFinite(ms) ? setTimeout(work, ms) : undefined;
}

/** Starts to count time against the budget. Returns a function that ends it. */
function startWait(budget: Budget | null): () => void {
  if (budget === null) return () => {};
  if (budget.running === 0) budget.sinceMs = performance.now();
  budget.running += 1;
  return () => {
    if (budget.running === 1) budget.leftMs = left(budget);
    budget.running -= 1;
  };
}

function left({ leftMs, running, sinceMs }: Budget): number {
  return Math.max(0, running === 0 ? leftMs : leftMs - (performance.now() - sinceMs));
}
