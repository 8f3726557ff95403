import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { fates } from './fake-processor.ts';
import * as World from './world.ts';

/** Number of sales that run concurrently in each run, because one of them waits half of the time. */
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
  { weight: 1, arbitrary: fc.record({ does: fc.constant('openPage' as const), at, browser: at }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('payPage' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('comeBack' as const), at, browser: at }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('notice' as const), at, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reconcile' as const), at }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pass' as const), minutes: fc.constantFrom(1, 6, 25) }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** The events of one order; those of an inner list happen at the same time. */
const script = fc.record({
  account: fc.boolean(),
  pageOpen: fc.boolean(),
  steps: fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
  /** At the end either all webhook events arrive, or none, so that only reconciliation is left. */
  end: fc.constantFrom('notices', 'reconciliation'),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

/** The recipients of the new account's tokens, one for each time that tokens were issued. */
type Issued = ('card' | 'page')[];

async function perform(sale: World.Sale, what: Act, issued: Issued): Promise<void> {
  switch (what.does) {
    case 'submit':
      return submit(sale, what, issued);
    case 'notice':
      await sale.notice(what.at, what.which);
      return;
    case 'payPage':
      return sale.payPage();
    case 'pass':
      return sale.pass(what.minutes * 60_000);
    case 'openPage':
      await sale.openPage(what.at, what.browser);
      return;
    case 'comeBack':
      if (await sale.comeBack(what.at, what.browser)) issued.push('page');
      return;
    default:
      await sale[what.does](what.at);
  }
}

async function submit(
  sale: World.Sale,
  what: Extract<Act, { does: 'submit' }>,
  issued: Issued,
): Promise<void> {
  sale.processor.fate = what.fate;
  const charged = sale.processor.taken.some(({ challengeId }) => challengeId !== null);
  const isGranted = (await sale.read()).state === 'granted';
  const answer = await sale.submit(what.at, what.token);
  // After money has moved, no response is a 402.
  if (charged || isGranted) expect(answer?.kind).not.toBe('payment_required');
  if (answer?.kind !== 'granted') return;
  expect(sale.processor.taken.length).toBeGreaterThan(0);
  if (await sale.tokens(what.at, answer)) issued.push('card');
}

async function play({ account, pageOpen, steps, end }: Script): Promise<void> {
  const sale = await world.sale(account ? 'acc_of_the_buyer' : null);
  const taken = () => sale.processor.taken.reduce((sum, { received }) => sum + received, 0);
  const issued: Issued = [];
  if (pageOpen) await sale.openPage(0);
  for (const step of steps) {
    await Promise.all(step.map((what) => perform(sale, what, issued)));
    expect(await sale.credit()).toBeLessThanOrEqual(taken());
    // Two open pages could both be paid, and the tokens would go to the browser of the later one.
    expect(sale.openPages().length).toBeLessThanOrEqual(1);
  }
  // Tokens are issued once, to the payer, and never for an account that existed before.
  expect(issued.length).toBeLessThanOrEqual(account ? 0 : 1);
  for (const by of issued)
    expect(sale.processor.taken.some(({ challengeId }) => (challengeId === null) === (by === 'page'))).toBe(
      true,
    );

  // All processes restart, and a day passes in which the order can be resolved.
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
    { numRuns: runs(80) },
  );
});
