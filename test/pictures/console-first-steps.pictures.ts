import { beforeAll, test } from 'vitest';
import { at, front, openSite } from './history.ts';
import type { Studio } from './studio.ts';

let site: Studio;
beforeAll(async () => {
  site = await openSite();
  return () => site.close();
});

test('a new shop is empty in every section, and shows its first steps', async () => {
  const seller = await site.seller('console-overview');
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
  for (const [section, [path, state]] of Object.entries(sections))
    await seller.in(`console-${section}`).see(path, state);
  await seller.in('console-payments').visits({
    'refund requests, none': at('payments?view=requests'),
    'refunds and disputes, none': at('payments?view=returned'),
    'declined, none': at('payments?state=declined'),
  });
  await seller.in('console-accounts').see(at('accounts?q=nobody@example.com'), 'search without a result');
  await seller.in('console-not-found').visits({
    'no page at this address': at('pricing'),
    'no such account': at('accounts/acc_none'),
    'no such purchase': at('payments/pur_none'),
    'no such event': at('events/evt_none'),
    'no such publication': at('catalogue/history/999'),
    'no such code': at('codes/NONE-26/end'),
  });
});
