import type { Console } from '../../console.ts';
import * as Page from '../../pages/console/audit.ts';

const pageSize = 50;

/** What was done, page by page; of one account where it is named. */
export function add(console: Console): void {
  const { shop } = console;
  console.room('Audit log', '/admin/console/audit', async (c) => {
    const account = c.req.query('account')?.trim() || null;
    const before = c.req.query('before') ?? '';
    const from = /^\d{1,15}$/.test(before) ? Number(before) : null;
    const found = await shop.audit.list(account, from, pageSize + 1);
    const entries = found.slice(0, pageSize);
    const next = found.length > pageSize ? (entries.at(-1)?.id ?? null) : null;
    return { title: 'Audit log', main: Page.audit({ account, entries, next }) };
  });
}
