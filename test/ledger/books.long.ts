import { isDeepStrictEqual } from 'node:util';
import { uuidv7 } from '@sluice/kernel/id';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IdempotencyKey, IdempotencyKeys } from '../../src/ledger/idempotency-key.ts';
import {
  type Batch,
  type BatchResult,
  type LeaseReturn,
  LedgerInconsistent,
  type LedgerStore,
} from '../../src/ledger/ledger-store.ts';
import type { Usage } from '../../src/ledger/usage.ts';
import { firstBreaches } from '../support/random-histories.ts';
import { runs } from '../support/runs.ts';
import * as SqlFlaw from '../support/sql-flaw.ts';
import { unguarded } from '../support/unguarded.ts';
import { type Given, ModelLedgerStore } from './model-ledger-store.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';

const hourMs = 60 * 60 * 1000;
const nowMs = Math.floor(Date.now() / 1000) * 1000;
const prices = [7, 1000];

const pick = fc.nat(1000);
const one = fc.nat(1);
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      writer: one,
      /** The next number, the last one again, or one that leaves a gap. `stale`: the current epoch, the one before it or after it. */
      seq: fc.oneof(
        { weight: 8, arbitrary: fc.constant(1) },
        { weight: 2, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.constant(2) },
      ),
      stale: fc.oneof(
        { weight: 18, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.constantFrom(1, -1) },
      ),
      delivered: fc.nat(3),
      checkpoint: fc.boolean(),
      calls: fc.array(
        fc.record({
          pick,
          units: fc.integer({ min: 0, max: 6 }),
          price: one,
          again: fc.nat(5),
          keep: fc.constantFrom('no', 'no', 'whole', 'bare'),
          tooMuch: fc.nat(40),
        }),
        { maxLength: 3 },
      ),
      returns: fc.array(pick, { maxLength: 2 }),
      recalled: fc.boolean(),
      wants: fc.array(
        fc.record({
          account: one,
          plans: fc.nat(2),
          price: one,
          units: fc.nat(12),
          headroom: fc.nat(9),
          recall: fc.boolean(),
          moneyOnly: fc.boolean(),
        }),
        { maxLength: 2 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('open' as const), writer: one }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), writer: one, stale: one }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('undeliver' as const),
      picks: fc.array(pick, { maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('draw' as const),
      writer: one,
      stale: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: one }),
      account: one,
      key: one,
      request: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: one }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('giveUp' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reap' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      account: one,
      lot: fc.constantFrom(
        { asset: 'unit', kind: 'trial' } as const,
        { asset: 'unit', kind: 'allowance' } as const,
        { asset: 'usd', kind: 'credit' } as const,
        { asset: 'usd', kind: 'grant' } as const,
      ),
      plan: one,
      amount: fc.integer({ min: 1, max: 30 }),
      hours: fc.constantFrom(null, null, 2, 1, -1),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type BatchStep = Extract<Step, { kind: 'batch' }>;
const steps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
const draw = { kind: 'draw', writer: 0, stale: 0, account: 0, key: 0, request: 0 } as const;
/** Steps that random search takes long to find: a second call cannot have a key, and gives up what it does not have. */
const examples: [Step[]][] = [[[{ kind: 'open', writer: 0 }, draw, draw, { kind: 'giveUp', pick: 1 }, draw]]];

/** Applies the same steps to PostgreSQL and to the model, under names that are unique to the run. */
class Comparison {
  readonly real: OpenLedgerStore;
  readonly model = new ModelLedgerStore(() => nowMs);
  readonly accounts: string[];
  readonly writers: string[];
  readonly epochs = [0, 0];
  readonly seqs = [0, 0];
  readonly drawn: IdempotencyKey[] = [];
  /** IdempotencyKeys whose calls were settled or are being settled. */
  readonly #served = new Set<IdempotencyKey>();
  last: Batch | null = null;

  constructor(real: OpenLedgerStore, run: string) {
    this.real = real;
    this.accounts = ['ann', 'bob'].map((name) => `${name} ${run}`);
    this.writers = ['a', 'b'].map((name) => `${name} ${run}`);
  }

  /** Takes a step. Returns the results of PostgreSQL and of the model. */
  async take(one: Step): Promise<[unknown, unknown]> {
    const { real, model } = this;
    switch (one.kind) {
      case 'grant': {
        const account = this.accounts[one.account] ?? '';
        const amount = one.lot.asset === 'usd' ? one.amount * 333 : one.amount;
        const expiresMs = one.hours === null ? null : nowMs + one.hours * hourMs;
        const given: Given = { account, ...one.lot, plan: one.plan === 0 ? 'p' : 'q', amount, expiresMs };
        model.grant(given, await real.grant(given));
        return [null, null];
      }
      case 'open': {
        const writer = this.writers[one.writer] ?? '';
        const both = await this.#both((books) => books.openWriter(writer));
        if (typeof both[0] === 'number') [this.epochs[one.writer], this.seqs[one.writer]] = [both[0], 0];
        return both;
      }
      case 'close':
        return this.#both((books) =>
          books.closeWriter(this.writers[one.writer] ?? '', (this.epochs[one.writer] ?? 0) - one.stale),
        );
      case 'undeliver': {
        const known = [...model.usage.keys()];
        const calls = one.picks.flatMap((pick) => known[pick % known.length] ?? []);
        return this.#both((books) => books.undeliver(calls));
      }
      case 'draw': {
        const digest = (index: number) => String(index).repeat(64);
        const idempotencyKey: IdempotencyKey = {
          account: this.accounts[one.account] ?? '',
          key: digest(one.key),
          request: digest(one.request),
          callId: uuidv7(Date.now()),
          writer: this.writers[one.writer] ?? '',
          epoch: (this.epochs[one.writer] ?? 0) - one.stale,
        };
        this.drawn.push(idempotencyKey);
        return this.#both((books) => books.claim(idempotencyKey));
      }
      case 'giveUp': {
        const idempotencyKey = this.drawn[one.pick % this.drawn.length];
        return idempotencyKey ? this.#both((books) => books.giveUp(idempotencyKey)) : [null, null];
      }
      case 'reap': {
        await real.sql`SELECT ledger.reap_silent('0 seconds')`.catch(() => {});
        for (const [writer, { open }] of model.writers)
          if (open) await outcome(async () => model.reap(writer));
        return [null, null];
      }
      case 'expire':
        await real.sql`SELECT ledger.expire()`;
        model.expire();
        return [null, null];
      case 'batch': {
        const batch = one.seq === 0 && this.last ? this.last : this.#compose(one);
        const both = await this.#both((books) => books.batch(batch));
        if (state(both[0]) === 'ok' && batch !== this.last) this.seqs[one.writer] = batch.seq;
        this.last = batch;
        return both;
      }
    }
  }

  async #both<T>(act: (books: LedgerStore & IdempotencyKeys) => Promise<T>) {
    return [
      await outcome(() => act({ ...this.real.books, ...this.real.idempotencyKeys })),
      await outcome(() => act(this.model)),
    ] as [unknown, unknown];
  }

  #compose(one: BatchStep): Batch {
    const writer = this.writers[one.writer] ?? '';
    const seq = (this.seqs[one.writer] ?? 0) + one.seq;
    const free = this.#free(writer);
    const calls = one.calls.map((call) => this.#call(writer, free, call));
    const usage = calls.flatMap((call) => call.usage);
    const lots = [...free.keys()];
    const returned = one.checkpoint ? new Set(one.returns.map((pick) => lots[pick % lots.length])) : [];
    const returns = [...returned].flatMap((lot): LeaseReturn[] => {
      const amount = lot === undefined ? 0 : (free.get(lot) ?? 0);
      if (lot === undefined || amount <= 0) return [];
      return [{ account: this.model.lots.get(lot)?.account ?? '', lot, amount, recalled: one.recalled }];
    });
    return {
      writer,
      epoch: (this.epochs[one.writer] ?? 0) - one.stale,
      seq,
      deliveredSeq: Math.max(0, seq - 1 - one.delivered),
      checkpoint: one.checkpoint,
      usage,
      storedResponses: calls.flatMap(({ answer }) => answer ?? []),
      returns,
      wants: one.wants.map(({ account, plans, price, units, headroom, recall, moneyOnly }) => ({
        account: this.accounts[account] ?? '',
        plans: [['p'], ['p', 'q'], ['r']][plans] ?? [],
        price: prices[price] ?? 0,
        units,
        headroomUnits: headroom,
        recall,
        moneyOnly,
      })),
    };
  }

  /** Returns the unspent part of a writer's leases. */
  #free(writer: string): Map<number, number> {
    const free = new Map(this.model.leases.get(writer));
    if (!this.model.writers.has(writer)) return free;
    for (const [lot, amount] of this.model.uncheckpointed(writer))
      free.set(lot, (free.get(lot) ?? 0) - amount);
    return free;
  }

  /** Makes up a call on one or two of the writer's leased lots, or repeats one that is already in the ledger. */
  #call(
    writer: string,
    free: Map<number, number>,
    one: BatchStep['calls'][number],
  ): { usage: Usage[]; answer: Batch['storedResponses'][number] | null } {
    const usage = this.#usage(free, one);
    const [first] = usage;
    const isFresh = first !== undefined && !this.model.usage.has(first.callId) && one.keep !== 'no';
    const idempotencyKey = this.drawn.findLast(
      (drawn) =>
        drawn.writer === writer &&
        drawn.account === first?.account &&
        this.model.idempotencyKeys.get(`${drawn.account} ${drawn.key}`) === drawn &&
        !this.#served.has(drawn),
    );
    if (!isFresh || !idempotencyKey) return { usage, answer: null };
    this.#served.add(idempotencyKey);
    const { account, key, callId } = idempotencyKey;
    const body = one.keep === 'whole' ? Buffer.from([0, 34, 92, 255]) : null;
    return {
      usage: usage.map((row) => ({ ...row, callId })),
      answer: { account, key, callId, status: 200, headers: ['x', 'a "b"\\\u{e9}{},'], body },
    };
  }

  #usage(free: Map<number, number>, one: BatchStep['calls'][number]): Usage[] {
    const known = [...this.model.usage.values()];
    const again = one.again === 0 ? known[one.pick % known.length] : undefined;
    if (again) return [...again.values()];
    const price = prices[one.price] ?? 0;
    const lots = [...free.keys()];
    const first = this.model.lots.get(lots[one.pick % lots.length] ?? 0);
    const call = {
      callId: uuidv7(Date.now()),
      service: 's',
      operation: 'o "x"\\',
      status: 200,
      price,
      key: one.pick % 3 ? null : `key_${one.pick}`,
    };
    if (!first)
      return [
        { ...call, draw: 0, account: this.accounts[0] ?? '', lot: null, plan: null, units: 0, amount: 0 },
      ];
    return lots
      .map((id) => this.model.lots.get(id))
      .filter((lot) => lot?.account === first.account)
      .slice(0, 2)
      .flatMap((lot, draw): Usage[] => {
        if (!lot) return [];
        const each = lot.asset === 'usd' ? price : 1;
        const room = Math.max(0, Math.floor((free.get(lot.id) ?? 0) / each));
        const units = one.tooMuch === 0 ? room + 1 : Math.min(one.units, room);
        free.set(lot.id, (free.get(lot.id) ?? 0) - units * each);
        return [
          { ...call, draw, account: lot.account, lot: lot.id, plan: lot.plan, units, amount: units * each },
        ];
      });
  }
}

const state = (answer: unknown) => (answer as BatchResult | null)?.state;

/** Returns the result of a method in a fixed order, or `broken` when it reports an inconsistency, which a retry cannot fix. */
async function outcome(act: () => Promise<unknown>): Promise<unknown> {
  try {
    const answer = await act();
    if (state(answer) !== 'ok') return answer ?? null;
    const { granted = [], holdings = [] } = answer as Extract<BatchResult, { state: 'ok' }>;
    const byAccount = [...holdings].sort((a, b) => (a.account < b.account ? -1 : 1));
    return {
      state: 'ok',
      granted,
      holdings: byAccount.map((held) => ({ ...held, plans: [...held.plans].sort() })),
    };
  } catch (error) {
    // A failed CHECK in a checkpoint inside `openWriter` is reported as the database's own error.
    if (error instanceof LedgerInconsistent || (error as { code?: string }).code === '23514') return 'broken';
    throw error;
  }
}

let compared = 0;

/** Returns the first difference between PostgreSQL and the model; null when they agree and the ledger is consistent. */
async function parting(real: OpenLedgerStore, all: readonly Step[]): Promise<unknown> {
  const comparison = new Comparison(real, `run ${++compared}`);
  const { model, accounts, writers } = comparison;
  const compare = async (what: unknown, [actual, expected]: [unknown, unknown]) => {
    const statements = await Promise.all(accounts.map((account) => real.statement(account)));
    const modelled = accounts.map((account) => model.statement(account));
    return isDeepStrictEqual([actual, statements], [expected, modelled])
      ? null
      : { what, actual, expected, statements, modelled };
  };
  try {
    const first: Step[] = [0, 1].flatMap((writer): Step[] => [
      { kind: 'open', writer },
      {
        kind: 'grant',
        account: writer,
        lot: { asset: 'usd', kind: 'credit' },
        plan: 0,
        amount: 30,
        hours: null,
      },
    ]);
    for (const one of [...first, ...all]) {
      const both = await comparison.take(one);
      const difference = await compare(one, both);
      if (difference) return difference;
      if (both[0] === 'broken') return null;
    }
    const breaches = await real.prove();
    return breaches.length > 0 ? breaches : null;
  } finally {
    // The next run counts open writers.
    await real.sql`UPDATE ledger.writer SET open = false WHERE id = ANY (${writers})`;
    await real.sql`DELETE FROM ledger.lease WHERE writer_id = ANY (${writers})`;
    await unguarded(real.sql, async (sql) => {
      await sql`DELETE FROM ledger.batch WHERE writer_id = ANY (${writers})`;
      await sql`DELETE FROM ledger.usage WHERE writer_id = ANY (${writers})`;
      for (const table of ['stored_response', 'idempotency_key', 'idempotency_key_day', 'posting', 'lot'])
        await sql`DELETE FROM ledger.${sql(table)} WHERE account_id = ANY (${accounts})`;
    });
  }
}

let real: OpenLedgerStore;
beforeAll(async () => {
  real = await openLedgerStore();
});
afterAll(() => real.end());

test('PostgreSQL answers as the model does, whatever comes in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      expect(await parting(real, all)).toBeNull();
    }),
    { numRuns: Number(process.env.RUNS ?? runs(100)), endOnFailure: true },
  );
});

describe('the comparison finds books that', () => {
  const mutants: [what: string, name: string, from: string, to: string][] = [
    ['take a batch of a stale epoch', 'batch', ' OR v_writer.epoch <> p_epoch', ''],
    ['take a batch after the end', 'batch', ' OR NOT v_writer.open', ''],
    [
      'answer a repetition with nothing',
      'batch',
      'RETURN coalesce(v_result, \'{"state":"ok"}\');',
      'RETURN \'{"state":"ok"}\';',
    ],
    ['take a batch without its predecessor', 'batch', 'p_seq > 1', 'p_seq > 1000'],
    [
      'sum what was booked before',
      'batch',
      'INTO u_call, u_account, u_lot, u_amount FROM booked',
      'INTO u_call, u_plan, u_price, u_price FROM booked',
    ],
    ['forget what they checkpointed', 'batch', 'SET checkpointed_seq = p_seq,', 'SET'],
    ['forget what was delivered', 'batch', 'delivered_seq = greatest(delivered_seq, p_delivered),', ''],
    ['keep what was given back', 'batch', 'SET avail = k.avail + r.amount', 'SET avail = k.avail'],
    ['grant more than the share of a writer', 'batch', '(2 * v_live)', '1'],
    ['grant a part to who recalls', 'batch', 'IF v_want.recall THEN', 'IF false THEN'],
    [
      'grant money for the units that units bear',
      'batch',
      'v_units := v_units - v_need',
      'v_units := v_units',
    ],
    ['grant lots of other plans', 'drawable_lots', " AND plan_id = ANY (string_to_array(p_plans, ','))", ''],
    [
      'grant units for calls that are priced in money',
      'drawable_lots',
      "(asset = 'usd' OR p_money_only IS NOT TRUE)",
      'true',
    ],
    [
      'grant what has expired',
      'drawable_lots',
      '(expires_at IS NULL OR expires_at > clock_timestamp())',
      'true',
    ],
    [
      'burn the newest first',
      'drawable_lots',
      'ORDER BY priority, expires_at NULLS LAST, id',
      'ORDER BY priority, id DESC',
    ],
    [
      'show what has expired',
      'holdings',
      '(k.expires_at IS NULL OR k.expires_at > clock_timestamp())',
      'true',
    ],
    ["count others' spending as left", 'holdings', 'IF cardinality(p_exact) > 0 THEN', 'IF false THEN'],
    [
      'give back what is given back',
      'credit_undelivered',
      'ON CONFLICT DO NOTHING',
      'ON CONFLICT (key) DO UPDATE SET amount = posting.amount',
    ],
    ['give back what they will give again', 'credit_undelivered', ' AND k.body IS NOT NULL', ' AND false'],
    [
      'keep what they give back',
      'credit_undelivered',
      'ledger.stored_response WHERE call_id = ANY (v_calls)',
      'ledger.stored_response WHERE false',
    ],
    [
      'serve an idempotency key again that is answered',
      'acquire_idempotency_key',
      'v_kept.call_id IS NULL AND NOT v_lives',
      'NOT v_lives',
    ],
    [
      'take over an idempotency key of a living writer',
      'acquire_idempotency_key',
      'AND n.epoch = v_idempotency_key.epoch AND n.open',
      'AND false',
    ],
    [
      'leave an idempotency key to a writer that has ended',
      'acquire_idempotency_key',
      'AND n.epoch = v_idempotency_key.epoch AND n.open',
      '',
    ],
    [
      'give another request its answer',
      'acquire_idempotency_key',
      'v_idempotency_key.request <> p_request',
      'false',
    ],
    [
      'give up the idempotency key of another call',
      'release_idempotency_keys',
      ' AND t.call_id = g.call_id',
      '',
    ],
    ['give up what is answered', 'release_idempotency_keys', 'NOT EXISTS', 'EXISTS (SELECT 1) OR NOT EXISTS'],
    ['keep no answer', 'batch', 'IF cardinality(k_call) > 0 THEN', 'IF false THEN'],
    ['give nothing back at the end', 'reap', 'IF v_calls IS NOT NULL THEN', 'IF false THEN'],
    ['keep leases of the dead', 'reap', 'SET avail = k.avail + l.amount', 'SET avail = k.avail'],
    ['keep the epoch at the end', 'reap', 'SET epoch = epoch + 1,', 'SET'],
    [
      'checkpoint nothing at the end',
      'reap',
      'PERFORM ledger.checkpoint(p_writer, v_writer.epoch, v_writer.checkpointed_seq);',
      '',
    ],
    ['close a writer for a stale epoch', 'close_writer', ' AND epoch = p_epoch', ''],
    ['expire what is not expired', 'expire', 'expires_at <= clock_timestamp() AND', 'true AND'],
  ];
  test.each(mutants)('%s', async (_, name, from, to) => {
    const [row] = await real.sql`SELECT pg_get_functiondef(${`ledger.${name}`}::regproc) AS source`;
    await real.sql.unsafe(SqlFlaw.replacing(`ledger.${name}`, from, to));
    try {
      const breaches = (all: readonly Step[]) =>
        parting(real, all).then(
          (difference) => (difference === null ? [] : [JSON.stringify(difference)]),
          () => ['failed'],
        );
      expect(await firstBreaches(steps, breaches, { numRuns: 1000, seed: 2, examples })).not.toEqual([]);
    } finally {
      await real.sql.unsafe(row?.source);
    }
  });
});
