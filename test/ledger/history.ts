import fc from 'fast-check';
import { budgetPlan } from '../../src/ledger/hold.ts';
import type { Given, Safeguard } from './model-ledger-store.ts';
import { type Call, type Fate, type Process, World, type WriterClass } from './world.ts';

const names = ['a', 'b'];
const accounts = ['ann', 'bob', 'cid'];
const plans = [['p'], ['p', 'q']];
const prices = [1000, 7, 0];

const pick = fc.nat(1000);
const writer = fc.nat(names.length - 1);
const account = fc.nat(accounts.length - 1);
const fate = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Fate>('answered') },
  ...(
    [
      'committed, answered later',
      'lost',
      'committed, answer lost',
      'cut off, arrives late',
      'silence',
    ] as const
  ).map((one) => ({
    weight: 1,
    arbitrary: fc.constant<Fate>(one),
  })),
);
const kind = <K extends string>(name: K) => fc.constant(name);

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: kind('call'),
      writer,
      account,
      plan: fc.nat(1),
      price: fc.nat(9).map((n) => (n < 8 ? 0 : n - 7)),
      units: fc.integer({ min: 1, max: 12 }),
      key: fc.option(fc.nat(2), { freq: 2 }),
      isSmall: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
      capped: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      turn: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: kind('settle'), pick, used: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('release'), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('extend'),
      pick,
      units: fc.integer({ min: 1, max: 24 }),
      turn: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('deliver'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('lose'), pick }) },
  { weight: 14, arbitrary: fc.record({ kind: kind('answer'), writer, pick, fate }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('hear'), writer }) },
  { weight: 8, arbitrary: fc.record({ kind: kind('pass'), ms: fc.constantFrom(10, 50, 250, 1000, 6000) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('kill'), writer }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('pause'), writer }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('cut'), writer }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reap') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('arrive'), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('grant'),
      account,
      plan: fc.nat(1),
      usd: fc.boolean(),
      amount: fc.integer({ min: 1, max: 20 }),
      endsMs: fc.option(fc.constantFrom(300, 5000, 1_000_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('expire') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind('set end'),
      pick,
      endsMs: fc.option(fc.constantFrom(0, 0, 300, 1_000_000)),
    }),
  },
);

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
export const history: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 1, maxLength: 80, size: 'max' });

const opening: Given[] = [
  { account: 'ann', asset: 'usd', kind: 'credit', plan: 'p', amount: 20_500, expiresMs: null },
  { account: 'bob', asset: 'unit', kind: 'trial', plan: 'p', amount: 15, expiresMs: null },
  { account: 'bob', asset: 'usd', kind: 'credit', plan: 'q', amount: 10_000, expiresMs: null },
  { account: 'key', asset: 'usd', kind: 'budget', plan: budgetPlan, amount: 20_000, expiresMs: null },
];

/** Runs a history on two writers, brings it to an end, and returns every broken promise. */
export async function live(
  writerClass: WriterClass,
  steps: readonly Step[],
  without: Safeguard | null = null,
  count: (events: number) => void = () => {},
): Promise<string[]> {
  const world = new World(writerClass, names, without);
  // Lets the test runner work between two histories.
  await new Promise(setImmediate);
  for (const given of opening) world.books.grant(given);
  await world.open();
  for (const one of steps) await take(world, one);
  await world.wind();
  // Lots that are about to expire must not expire while they are counted.
  await world.pass(6_000);
  const epochs = new Map([...world.books.writers].map(([name, { epoch }]) => [name, epoch]));
  await expectReach(world);
  await expectKept(world);
  await world.drain();

  const { breaches, books, calls, processes } = world;
  breaches.push(...books.prove());
  if ([...books.leases.values()].some((leases) => leases.size > 0)) breaches.push('leases are left');
  for (const process of processes)
    for (const event of process.events)
      if (event.kind === 'ledger_inconsistent') breaches.push(`books broken: ${event.error}`);
  for (const call of calls) breaches.push(...judge(world, call, epochs));
  breaches.push(...judgeKeys(world));
  count(world.events);
  return breaches;
}

async function take(world: World, step: Step): Promise<void> {
  const process = 'writer' in step ? world.processes[step.writer] : undefined;
  if (process?.paused && step.kind !== 'kill' && step.kind !== 'pause') return;
  switch (step.kind) {
    case 'call':
      if (process)
        await world.call(process, request(step), step.key === null ? null : `k${step.key}`, step.isSmall);
      if (process && step.turn) await world.turn(process);
      return;
    case 'settle': {
      const call = choose(world, step.pick, isUnderWay);
      if (call) await world.settle(call, Math.min(step.used, call.hold?.units ?? 0));
      return;
    }
    case 'extend': {
      const call = choose(world, step.pick, isUnderWay);
      if (call) await world.extend(call, step.units);
      if (call && step.turn) await world.turn(call.process);
      return;
    }
    case 'release': {
      const call = choose(world, step.pick, isUnderWay);
      if (call) await world.release(call);
      return;
    }
    case 'deliver': {
      const call = choose(world, step.pick, isLeaving);
      if (call) await world.deliver(call);
      return;
    }
    case 'lose': {
      const call = choose(world, step.pick, isLeaving);
      if (call) await world.lose(call);
      return;
    }
    case 'answer':
      if (!process) return;
      await world.turn(process);
      await world.answer(process, step.pick, step.fate);
      return world.turn(process);
    case 'hear':
      return process && world.hear(process);
    case 'pass':
      for (const one of world.processes) if (!one.paused) await world.turn(one);
      return world.pass(step.ms);
    case 'kill':
      return process && world.kill(process);
    case 'pause':
      if (process) process.paused = !process.paused;
      return;
    case 'cut':
      if (process) process.cut = !process.cut;
      return;
    case 'reap':
      return world.books.reapSilent(5_000);
    case 'arrive':
      return world.arrive(step.pick);
    case 'grant':
      world.books.grant({
        account: accounts[step.account] ?? '',
        asset: step.usd ? 'usd' : 'unit',
        kind: step.usd ? 'credit' : 'allowance',
        plan: plans[1]?.[step.plan] ?? '',
        amount: step.usd ? step.amount * 999 : step.amount,
        expiresMs: step.endsMs === null ? null : world.nowMs + step.endsMs,
      });
      return;
    case 'expire':
      return world.books.expire();
    case 'set end': {
      const lots = [...world.books.lots.values()].filter(({ plan }) => plan !== budgetPlan);
      const { id = 0 } = lots[step.pick % lots.length] ?? {};
      return world.books.setEnd(id, step.endsMs === null ? null : world.nowMs + step.endsMs);
    }
  }
}

function request({ account, plan, price, units, capped }: Extract<Step, { kind: 'call' }>) {
  return {
    key: capped ? { id: 'key', capped } : null,
    account: accounts[account] ?? '',
    plans: plans[plan] ?? [],
    price: prices[price] ?? 0,
    units,
  };
}

const isUnderWay = ({ hold, used, released, extending, process }: Call) =>
  hold !== null && used === null && !released && !extending && !process.paused && !process.dead;

const isLeaving = ({ settlement, delivered, lost }: Call) =>
  settlement?.kind === 'settled' && !delivered && !lost;

function choose(world: World, pick: number, fits: (call: Call) => boolean): Call | undefined {
  const fitting = world.calls.filter((call) => !call.process.dead && !call.process.paused && fits(call));
  return fitting[pick % fitting.length];
}

/** Checks that, with no call under way, any writer can hold the whole balance of an account, and one unit more is `exhausted`. */
async function expectReach(world: World): Promise<void> {
  const price = 1000;
  for (const process of world.processes) {
    for (const account of [...accounts, 'key']) {
      const units = affordable(world, account, price);
      const ask = { account, plans: ['p', 'q', budgetPlan], price };
      const more = await held(world, process, { ...ask, units: units + 1 });
      if (more !== 'exhausted' && more !== 'no_plan')
        world.breaches.push(`${units + 1} of ${units} units were ${more}`);
      if (units === 0) continue;
      const all = await held(world, process, { ...ask, units });
      if (all !== 'held') world.breaches.push(`${units} affordable units were ${all}`);
    }
  }
}

async function held(
  world: World,
  process: Process,
  ask: { account: string; plans: string[]; price: number; units: number },
) {
  const call = await world.call(process, ask);
  await world.rounds(20, () => call.held !== null);
  await world.release(call);
  return call.held?.kind;
}

function affordable(world: World, account: string, price: number): number {
  let units = 0;
  let money = 0;
  for (const { lot: id, remaining } of world.books.statement(account)) {
    const lot = world.books.lots.get(id);
    if (!lot || (lot.expiresMs !== null && lot.expiresMs <= world.nowMs)) continue;
    if (lot.asset === 'unit') units += remaining;
    else money += remaining;
  }
  return units + Math.floor(money / price);
}

/** Checks the final charge of a call against what its buyer received. `epochs`: the final epochs of the writers. */
function judge(world: World, call: Call, epochs: ReadonlyMap<string, number>): string[] {
  const { settlement, hold, process, delivered, deliveredInTime, request } = call;
  const net = world.net(call);
  const kept = world.books.kept.get(request.callId);
  // A stored response is returned again for its charge, so the charge is never reversed, whatever its first buyer received.
  if (kept?.body) {
    const charged = [...(world.books.usage.get(request.callId)?.values() ?? [])];
    const cost = charged.reduce((sum, { amount, plan }) => sum + (plan === budgetPlan ? 0 : amount), 0);
    return net === cost ? [] : [`${request.callId} is kept and cost ${net}`];
  }
  const cost =
    settlement?.kind === 'settled' ? settlement.charges.reduce((sum, { amount }) => sum + amount, 0) : 0;
  if (call.lost) return net === 0 ? [] : [`${request.callId} broke off and cost ${net}`];
  const survived = hold !== null && epochs.get(process.name) === hold.epoch;
  const label = `${request.callId} (${settlement?.kind ?? 'unanswered'}, ${delivered ? 'delivered' : 'kept'})`;
  if (survived || cost === 0) return net === cost ? [] : [`${label} cost ${net} instead of ${cost}`];
  // Others ended its writer: charges of undelivered responses were reversed, and perhaps of delivered ones that were not reported yet.
  if (net === 0 || (net === cost && deliveredInTime)) return [];
  return [`${label} cost ${net} in a writer that was reaped`];
}

/** Checks that any process returns the response of a key again, unless it was too large to be stored or was not delivered. */
async function expectKept(world: World): Promise<void> {
  for (const call of [...world.calls]) {
    const { key, isSmall, request, settlement } = call;
    if (key === null || !isSmall || settlement?.kind !== 'settled') continue;
    for (const process of world.processes) {
      const again = await world.call(process, request, key);
      await world.rounds(20, () => again.barred !== null || again.held !== null);
      const given = again.barred?.kind === 'kept' ? again.barred.response.callId : null;
      if (given !== request.callId) world.breaches.push(`${request.callId} is not given again under ${key}`);
      await world.release(again);
    }
  }
}

/** Checks that one key charges one call, and that every response under it is that call's. */
function judgeKeys(world: World): string[] {
  const breaches: string[] = [];
  const keyed = world.calls.filter(({ key }) => key !== null);
  for (const [name, same] of Map.groupBy(keyed, ({ key, request }) => `${request.account} ${key}`)) {
    const charged = same.filter((call) => world.net(call) > 0);
    if (charged.length > 1) breaches.push(`${name} is charged ${charged.length} times`);
    const given = same.flatMap(({ request, barred, delivered, isSmall, used }) => {
      if (barred?.kind === 'kept') return barred.response.body ? barred.response.callId : [];
      return delivered && isSmall && used !== null ? request.callId : [];
    });
    if (new Set(given).size > 1) breaches.push(`${name} gives the answers of ${[...new Set(given)]}`);
  }
  return breaches;
}
