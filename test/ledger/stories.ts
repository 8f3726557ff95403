import { type Call, type Process, World, type WriterClass } from './world.ts';

const price = 1000;
const ask = (units: number) => ({ account: 'ann', plans: ['p'], price, units });
const credit = (amount: number) =>
  ({ account: 'ann', asset: 'usd', kind: 'credit', plan: 'p', amount, expiresMs: null }) as const;

const trial = (amount: number, expiresMs: number | null) =>
  ({ account: 'ann', asset: 'unit', kind: 'trial', plan: 'p', amount, expiresMs }) as const;

const budget = (amount: number) =>
  ({ account: 'key', asset: 'usd', kind: 'budget', plan: '#budget', amount, expiresMs: null }) as const;

/** Opens a world of one account with `money`, and writers by their names. */
async function open(writerClass: WriterClass, money: number, names: string[]): Promise<World> {
  const world = new World(writerClass, names);
  world.books.grant(credit(money));
  await world.open();
  return world;
}

function writer(world: World, index = 0): Process {
  const process = world.processes[index];
  if (!process) throw new Error('no such writer');
  return process;
}

/** Makes a call and waits until it has its hold. */
async function held(world: World, process: Process, units: number): Promise<Call> {
  const call = await world.call(process, ask(units));
  await world.rounds(20, () => call.held !== null);
  return call;
}

async function settled(world: World, process: Process, units: number): Promise<Call> {
  const call = await held(world, process, units);
  await world.settle(call, units);
  await world.rounds(20, () => call.settlement !== null);
  return call;
}

const unless = (holds: boolean, breach: string) => (holds ? [] : [breach]);

/** Interleavings that random search seldom finds, named by the promise that they test. Each returns the breaches. */
export const stories: Record<string, (writerClass: WriterClass) => Promise<string[]>> = {
  'serves two calls that come at once, with a little at hand': async (writerClass) => {
    const world = await open(writerClass, 1_000_000, ['a']);
    await world.release(await held(world, writer(world), 5));
    const calls = [await world.call(writer(world), ask(10)), await world.call(writer(world), ask(10))];
    await world.rounds(2);
    return unless(
      calls.every(({ hold }) => hold),
      `refused as ${calls.map((call) => call.held?.kind)}`,
    );
  },

  'serves two calls at two prices that come at once': async (writerClass) => {
    const world = await open(writerClass, 1_000_000, ['a']);
    await world.release(await held(world, writer(world), 5));
    const calls = [
      await world.call(writer(world), ask(10)),
      await world.call(writer(world), { ...ask(1000), price: 7 }),
    ];
    await world.rounds(3);
    return unless(
      calls.every(({ hold }) => hold),
      `refused as ${calls.map((call) => call.held?.kind)}`,
    );
  },

  'serves two calls of which one was quicker, as long as the books have enough for the other': async (
    writerClass,
  ) => {
    const world = await open(writerClass, 60 * price, ['a']);
    await world.release(await held(world, writer(world), 5));
    const first = await world.call(writer(world), ask(31));
    // The ledger store is being asked for the first call's missing credit.
    await world.turn(writer(world));
    const calls = [first, await world.call(writer(world), ask(28))];
    await world.rounds(5, () => calls.every((call) => call.held));
    return unless(
      calls.every(({ hold }) => hold),
      `refused as ${calls.map((call) => call.held?.kind)}`,
    );
  },

  'serves one of two calls in two writers that together want more than there is': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a', 'b']);
    for (const process of [...world.processes]) await world.release(await held(world, process, 30));
    const calls = [await world.call(writer(world, 0), ask(50)), await world.call(writer(world, 1), ask(50))];
    await world.rounds(30, () => calls.every((call) => call.held));
    const kinds = calls.map((call) => call.held?.kind).sort();
    return unless(kinds.join() === 'held,in_flight', `they were ${kinds}`);
  },

  'holds more for a call that needs more, and charges all of it': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    world.books.grant(trial(15, null));
    world.books.grant(budget(60 * price));
    const call = await world.call(writer(world), { ...ask(10), key: { id: 'key', capped: true } });
    await world.rounds(20, () => call.held !== null);
    await world.extend(call, 40);
    await world.rounds(20, () => call.extended !== null);
    await world.settle(call, 40);
    await world.rounds(20, () => call.settlement !== null);
    return [
      ...world.breaches,
      ...unless(call.settlement?.kind === 'settled', `it was ${call.extended?.kind}`),
      ...unless(world.net(call) === 15 + 25 * price, `it cost ${world.net(call)}`),
    ];
  },

  'charges units that came while it was under way before its money': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const call = await held(world, writer(world), 10);
    world.books.grant(trial(15, null));
    await world.rounds(3);
    await world.extend(call, 40);
    await world.rounds(20, () => call.extended !== null);
    await world.settle(call, 40);
    await world.rounds(20, () => call.settlement !== null);
    return [...world.breaches, ...unless(world.net(call) === 15 + 25 * price, `it cost ${world.net(call)}`)];
  },

  'says at once that a call cannot get more, by what the whole call needs': async (writerClass) => {
    const world = await open(writerClass, 25 * price, ['a']);
    const call = await held(world, writer(world), 10);
    await world.extend(call, 30);
    await world.rounds(5, () => call.extended !== null);
    const { extended } = call;
    const isTold =
      extended?.kind === 'exhausted' &&
      extended.required === 30 * price &&
      extended.available === 25 * price &&
      extended.affordableUnits === 25;
    await world.settle(call, 10);
    await world.rounds(20, () => call.settlement !== null);
    return [
      ...unless(isTold, `it was told ${JSON.stringify(extended)}`),
      ...unless(world.net(call) === 10 * price, `what it held cost ${world.net(call)}`),
    ];
  },

  'gives back what it held in addition, when its writer was ended meanwhile': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const call = await held(world, writer(world), 30);
    world.books.reap('a');
    await world.rounds(30, () => world.books.writers.get('a')?.open === true && writer(world).writer.ready);
    await world.extend(call, 40);
    await world.rounds(20, () => call.extended !== null);
    const { extended } = call;
    const all = await held(world, writer(world), 60);
    return [
      ...unless(extended?.kind === 'unavailable', `it was ${extended?.kind}`),
      ...unless(all.held?.kind === 'held', `all of it was ${all.held?.kind}`),
    ];
  },

  'burns first what was given while it looked': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const first = await world.call(writer(world), ask(1));
    await world.turn(writer(world));
    await world.answer(writer(world), 0, 'committed, answered later');
    world.books.grant(trial(5, null));
    await world.hear(writer(world));
    await world.rounds(3, () => first.held !== null);
    await world.release(first);
    const second = await held(world, writer(world), 1);
    return unless(second.hold?.draws[0]?.lot.asset === 'unit', 'it drew money though there were units');
  },

  'draws no more on a lot that has ended, though a call held it then': async (writerClass) => {
    const world = new World(writerClass, ['a']);
    const lot = world.books.grant(trial(5, null));
    world.books.grant(trial(1, null));
    await world.open();
    const first = await held(world, writer(world), 1);
    world.books.setEnd(lot, world.nowMs);
    await world.rounds(3);
    await held(world, writer(world), 1);
    await world.release(first);
    const last = await held(world, writer(world), 1);
    return unless(last.held?.kind === 'in_flight', `it was ${last.held?.kind}`);
  },

  'draws on a lot that lives longer than it knew': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const lot = world.books.grant(trial(5, world.nowMs + 300));
    await held(world, writer(world), 1);
    world.books.setEnd(lot, world.nowMs + 1_000_000);
    await world.rounds(3);
    await held(world, writer(world), 1);
    await world.pass(400);
    const second = await held(world, writer(world), 1);
    return unless(second.hold?.draws[0]?.lot.asset === 'unit', 'it took it for ended');
  },

  'takes no answer of an old epoch for one of a new epoch': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const old = await settled(world, writer(world), 1);
    world.books.reap('a');
    await world.rounds(30, () => world.books.writers.get('a')?.open === true && writer(world).writer.ready);
    const fresh = await settled(world, writer(world), 1);
    await world.deliver(old);
    await world.rounds(6, () => false, 250);
    const atSeq = [old, fresh].map((call) => world.books.usage.get(call.request.callId)?.size);
    await world.kill(writer(world));
    await world.rounds(3);
    return [
      ...unless(atSeq.join() === '1,1', 'not on the books'),
      ...unless(world.net(fresh) === 0, 'kept what it never delivered'),
    ];
  },

  'refuses what is settled while it opens': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const [first, second] = [await held(world, writer(world), 1), await held(world, writer(world), 1)];
    await world.settle(first, 1);
    await world.turn(writer(world));
    world.books.reap('a');
    await world.answer(writer(world), 0, 'answered');
    await world.settle(second, 1);
    await world.rounds(5);
    return [
      ...unless(second.settlement?.kind === 'refused', `it was ${second.settlement?.kind}`),
      ...unless(
        writer(world).events.every(({ kind }) => kind !== 'ledger_inconsistent'),
        'it took what it had not',
      ),
    ];
  },

  'gives back what did not leave, though its neighbour in the batch did': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const [left, kept] = [await held(world, writer(world), 1), await held(world, writer(world), 1)];
    for (const call of [left, kept]) await world.settle(call, 1);
    await world.rounds(2, () => kept.settlement !== null);
    await world.deliver(left);
    await world.rounds(6, () => false, 250);
    await world.kill(writer(world));
    await world.rounds(3);
    return unless(world.net(kept) === 0, 'kept what it never delivered');
  },

  'gives back what it refused before it leaves': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const call = await held(world, writer(world), 3);
    await world.settle(call, 3);
    await world.turn(writer(world));
    await world.answer(writer(world), 0, 'committed, answer lost');
    writer(world).cut = true;
    for (let i = 0; i < 8; i++) await world.pass(1000);
    writer(world).cut = false;
    await world.pass(50);
    await world.answer(writer(world), 0, 'answered');
    await world.drain();
    return [
      ...world.breaches,
      ...unless(call.settlement?.kind === 'refused', 'not refused'),
      ...unless(world.net(call) === 0, `a refused call cost ${world.net(call)}`),
    ];
  },

  'sends no heartbeat beside its end': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    await world.deliver(await settled(world, writer(world), 1));
    world.nowMs += 5_000;
    await world.leave(writer(world));
    await world.answer(writer(world), 0, 'committed, answered later');
    await world.pass(50);
    await world.turn(writer(world));
    while (writer(world).requests.length > 0) await world.answer(writer(world), -1, 'answered');
    return unless(
      writer(world).events.every(({ kind }) => kind !== 'fenced'),
      'it was fenced by its own end',
    );
  },

  'stays closed when it is fenced as it leaves': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const call = await held(world, writer(world), 1);
    await world.settle(call, 1);
    await world.turn(writer(world));
    world.books.reap('a');
    await world.leave(writer(world), 'late');
    await world.answer(writer(world), 0, 'answered');
    await world.pass(50);
    await world.answer(writer(world), -1, 'answered');
    await world.arrive(0);
    return unless(writer(world).left && !world.books.writers.get('a')?.open, 'it opened again');
  },

  'refuses a call whose answer from the books never comes': async (writerClass) => {
    const world = await open(writerClass, 60 * price, ['a']);
    const call = await held(world, writer(world), 1);
    await world.settle(call, 1);
    await world.turn(writer(world));
    for (let i = 0; i < 40 && !call.settlement; i++) {
      await world.answer(writer(world), 0, 'silence');
      await world.pass(250);
    }
    return unless(call.settlement?.kind === 'refused', 'still waiting after 10 s');
  },

  'gives again what it charged, when it dies before it was sent': async (writerClass) => {
    const world = await open(writerClass, 100 * price, ['a']);
    const first = await keyed(world, ask(5));
    await world.settle(first, 5);
    await world.rounds(20, () => first.settlement !== null);
    await world.kill(writer(world));
    await world.rounds(20);
    const again = await keyed(world, ask(5));
    return [
      ...unless(isGiven(again, first), `it was ${again.barred?.kind ?? 'made anew'}`),
      ...unless(world.net(first) === 5 * price, `it cost ${world.net(first)}`),
    ];
  },

  'gives back what it charged and could not keep, and makes it anew': async (writerClass) => {
    const world = await open(writerClass, 100 * price, ['a']);
    const first = await keyed(world, ask(5), false);
    await world.settle(first, 5);
    await world.rounds(20, () => first.settlement !== null);
    await world.kill(writer(world));
    await world.rounds(20);
    const again = await keyed(world, ask(5), false);
    return [
      ...unless(again.held?.kind === 'held', `it was ${again.barred?.kind}`),
      ...unless(world.net(first) === 0, `it cost ${world.net(first)}`),
    ];
  },

  'keeps a free answer before it gives it': async (writerClass) => {
    const world = await open(writerClass, 100 * price, ['a']);
    const first = await keyed(world, { ...ask(5), price: 0 });
    await world.settle(first, 5);
    const wasFirst = first.settlement === null;
    await world.rounds(20, () => first.settlement !== null);
    return unless(wasFirst && first.settlement !== null, 'it was given before it was kept');
  },

  'charges a key once, though the books were away as it was charged': async (writerClass) => {
    const world = await open(writerClass, 100 * price, ['a']);
    const first = await keyed(world, ask(5));
    await world.settle(first, 5);
    await world.turn(writer(world));
    for (let i = 0; i < 100 && first.settlement === null; i++) {
      await world.answer(writer(world), 0, 'lost');
      await world.pass(250);
    }
    // The report that is sent last arrives first.
    await world.rounds(20);
    const again = await keyed(world, ask(5));
    return [
      ...unless(first.settlement?.kind === 'refused', `it was ${first.settlement?.kind}`),
      ...unless(isGiven(again, first), `it was ${again.barred?.kind ?? 'made anew'}`),
    ];
  },
};

/** Makes a call with an idempotency key, which is either held or barred. */
async function keyed(world: World, request: ReturnType<typeof ask>, isSmall = true): Promise<Call> {
  const call = await world.call(writer(world), request, 'k', isSmall);
  await world.rounds(20, () => call.held !== null || call.barred !== null);
  return call;
}

function isGiven({ barred }: Call, first: Call): boolean {
  return barred?.kind === 'kept' && barred.response.callId === first.request.callId;
}
