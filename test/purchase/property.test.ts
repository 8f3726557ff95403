import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fates } from './fake-processor.ts';
import * as World from './world.ts';

const runs = 80;
/** So many sales run beside each other in each run: half the time of one is waiting. */
const salesBeside = 8;
const hourMs = 60 * 60_000;

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const at = fc.nat({ max: 1 });
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('submit' as const),
      at,
      token: fc.constantFrom('spt_one', 'spt_one', 'spt_two'),
      fate: fc.constantFrom(...fates),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('openPage' as const), at }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('payPage' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('comeBack' as const), at }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('notice' as const), at, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reconcile' as const), at }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pass' as const), minutes: fc.constantFrom(1, 6, 25) }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** What happens to one order: the acts of an inner list happen at once. */
const script = fc.record({
  account: fc.boolean(),
  pageOpen: fc.boolean(),
  steps: fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
  /** Whether all notices come in the end, or none: then reconciliation is alone. */
  end: fc.constantFrom('notices', 'reconciliation'),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

async function perform(sale: World.Sale, what: Act, owners: Set<string>): Promise<void> {
  switch (what.does) {
    case 'submit':
      return submit(sale, what, owners);
    case 'notice':
      await sale.notice(what.at, what.which);
      return;
    case 'payPage':
      return sale.payPage();
    case 'pass':
      return sale.pass(what.minutes * 60_000);
    default:
      await sale[what.does](what.at);
  }
}

async function submit(
  sale: World.Sale,
  what: Extract<Act, { does: 'submit' }>,
  owners: Set<string>,
): Promise<void> {
  sale.processor.fate = what.fate;
  const charged = sale.processor.taken.some(({ challengeId }) => challengeId !== null);
  const isGranted = (await sale.read()).state === 'granted';
  const answer = await sale.submit(what.at, what.token);
  // Once money has moved, no answer is a 402.
  if (charged || isGranted) expect(answer?.kind).not.toBe('payment_required');
  if (answer?.kind !== 'granted') return;
  expect(sale.processor.taken.length).toBeGreaterThan(0);
  if (answer.own) owners.add(what.token);
}

async function play({ account, pageOpen, steps, end }: Script): Promise<void> {
  const sale = await world.sale(account ? 'acc_of_the_buyer' : null);
  const taken = () => sale.processor.taken.reduce((sum, { received }) => sum + received, 0);
  const owners = new Set<string>();
  if (pageOpen) await sale.openPage(0);
  for (const step of steps) {
    await Promise.all(step.map((what) => perform(sale, what, owners)));
    expect(await sale.credit()).toBeLessThanOrEqual(taken());
  }
  // Only one credential is ever given the keys of the account.
  expect(owners.size).toBeLessThanOrEqual(1);

  // Whoever was at work is gone, and the world has a day to set things right.
  await Promise.all([sale.restart(0), sale.restart(1)]);
  sale.pass(25 * hourMs);
  sale.processor.isClosed = true;
  if (end === 'notices') {
    const count = sale.processor.notices().length;
    for (let which = 0; which < count; which += 1) await sale.notice(which % 2, which);
    expect(await sale.credit()).toBe(taken());
  }
  await Promise.all([sale.reconcile(0), sale.reconcile(1)]);
  expect(await sale.credit()).toBe(taken());
  expect((await sale.read()).state).not.toBe('claimed');
  // At most one charge for the challenge, and one payment of the page.
  expect(sale.processor.taken.length).toBeLessThanOrEqual(2);
  if (taken() > 0) expect((await sale.read()).state).toBe('granted');
}

test('credit granted is money received, whatever happens to an order, in whatever order and however often', async () => {
  const scripts = fc.array(script, { minLength: salesBeside, maxLength: salesBeside });
  await fc.assert(
    fc.asyncProperty(scripts, async (all) => {
      await Promise.all(all.map(play));
    }),
    { numRuns: runs },
  );
}, 60_000);
