import { afterAll, beforeAll, test } from 'vitest';
import { at, front, openSite, type Site, Visitor } from './history.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

test('a new shop is empty in every section, and shows its first steps', async () => {
  const seller = await Visitor.at(site);
  await seller.signIn();
  const sections = {
    overview: [front, 'first steps of a new shop'],
    accounts: [at('accounts'), 'none yet'],
    payments: [at('payments'), 'none yet'],
    codes: [at('codes'), 'none yet'],
    events: [at('events'), 'none yet without encryption keys'],
    catalogue: [at('catalogue'), 'as shipped, nothing published'],
    health: [at('health'), 'all good in a new shop'],
    audit: [at('audit'), 'no actions yet'],
    team: [at('team'), 'only the admin token'],
  } as const;
  for (const [section, [path, state]] of Object.entries(sections)) {
    seller.group = `console-${section}`;
    await seller.see(path, state);
  }
  seller.group = 'console-payments';
  await seller.see(at('payments?view=requests'), 'refund requests, none');
  await seller.see(at('payments?view=returned'), 'refunds and disputes, none');
  await seller.see(at('payments?state=declined'), 'declined, none');
  seller.group = 'console-accounts';
  await seller.see(at('accounts?q=nobody@example.com'), 'search without a result');
  seller.group = 'console-not-found';
  await seller.see(at('pricing'), 'no page at this address');
  await seller.see(at('accounts/acc_none'), 'no such account');
  await seller.see(at('payments/pur_none'), 'no such purchase');
  await seller.see(at('events/evt_none'), 'no such event');
  await seller.see(at('catalogue/history/999'), 'no such publication');
  await seller.see(at('codes/NONE-26/end'), 'no such code');
  await seller.leave();
});
