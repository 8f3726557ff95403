import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { Console } from '../console.ts';
import * as Page from '../pages/audit.ts';

const pageSize = 50;

/** The audit log, page by page, of all accounts or of one. */
export function addAuditSection(console: Console, shop: Pick<SellerContext, 'audit'>): void {
  console.addSection('Audit log', '/admin/console/audit', async (c) => {
    const account = c.req.query('account')?.trim() || null;
    const before = c.req.query('before') ?? '';
    const from = /^\d{1,15}$/.test(before) ? Number(before) : null;
    const found = await shop.audit.list(account, from, pageSize + 1);
    const entries = found.slice(0, pageSize);
    const next = found.length > pageSize ? (entries.at(-1)?.id ?? null) : null;
    return { title: 'Audit log', main: Page.audit({ account, entries, next }) };
  });
}
