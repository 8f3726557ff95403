import { afterAll, beforeAll, expect, test } from 'vitest';
import { CheckoutMismatch } from '../../src/payment/processor.ts';
import * as World from './world.ts';

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** Creates an order whose page has closed unpaid. */
async function closedOnce(): Promise<World.Sale> {
  const sale = await world.sale(null);
  await sale.openPage(0, 0);
  for (const session of sale.openPages()) sale.processor.expire(session);
  return sale;
}

const rounds = Array.from({ length: 20 }, (_, round) => round);

test('tabs of one browser that ask for a new page at once are led to the same one', async () => {
  for (const _ of rounds) {
    const sale = await closedOnce();
    const opened = await Promise.all([sale.openPage(0, 0), sale.openPage(1, 0), sale.openPage(1, 0)]);
    expect(sale.openPages()).toHaveLength(1);
    expect(opened.map((one) => one?.kind)).toEqual(['redirect', 'redirect', 'redirect']);
  }
});

test('an order has one open page, however two browsers take it from one another', async () => {
  for (const _ of rounds) {
    const sale = await closedOnce();
    const asks = [0, 1, 0, 1, 1].map((browser, at) => sale.openPage(at % 2, browser));
    await Promise.all(asks);
    expect(sale.openPages().length).toBeLessThanOrEqual(1);
    const [page] = sale.openPages();
    if (page !== undefined) expect((await sale.read()).checkoutSession).toBe(page);
  }
});

test('a page whose address was lost is followed by the next one, when it is requested with other facts', async () => {
  const sale = await world.sale(null);
  const { processor } = sale;
  const open = processor.openCheckout.bind(processor);
  processor.openCheckout = async (order) => {
    if (order.pagesClosed === 0) throw new CheckoutMismatch('requested before its payer signed in');
    return open(order);
  };
  const opened = await Promise.all([sale.openPage(0, 0), sale.openPage(1, 0)]);
  expect(opened.map((one) => one?.kind)).toEqual(['redirect', 'redirect']);
  expect(sale.openPages()).toHaveLength(1);
  expect((await sale.read()).pagesClosed).toBe(1);
});

test('a page with the address of a person who has signed out is closed, and the next one shows no address of theirs', async () => {
  const sale = await world.sale('acc_shared');
  const payer = { account: 'acc_shared', email: 'ada@example.com' };
  const urlOf = (opened: Awaited<ReturnType<typeof sale.openPage>>) =>
    opened?.kind === 'redirect' ? opened.url : null;
  const shown = async () => (await sale.processor.readCheckout(sale.openPages()[0] ?? '')).email;
  const first = urlOf(await sale.openPage(0, 0, payer));
  expect([urlOf(await sale.openPage(1, 0, payer)), await shown()]).toEqual([first, payer.email]);
  const second = urlOf(await sale.openPage(0, 0, null));
  expect(second).toEqual(expect.any(String));
  expect([sale.openPages().length, await shown()]).toEqual([1, null]);
  // A page without an address stays for a person who signs in.
  expect(urlOf(await sale.openPage(1, 0, payer))).toBe(second);
});

test('a page with the address of another person stays until its payment is known', async () => {
  const sale = await world.sale('acc_shared');
  await sale.openPage(0, 0, { account: 'acc_shared', email: 'ada@example.com' });
  await sale.payPage();
  expect(await sale.openPage(0, 0, null)).toEqual({ kind: 'paid' });
});

test('only the browser whose page is paid is issued the tokens', async () => {
  for (const _ of rounds) {
    const sale = await closedOnce();
    const opened = await Promise.all([sale.openPage(0, 0), sale.openPage(1, 1)]);
    const { checkoutSession } = await sale.read();
    const isPayer = opened.map((one) => one?.kind === 'redirect' && one.url.endsWith(`/${checkoutSession}`));
    await sale.payPage();
    expect(await Promise.all([sale.comeBack(0, 0), sale.comeBack(1, 1)])).toEqual(isPayer);
  }
});
