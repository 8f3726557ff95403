import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { AuditEntry, AuditFilter } from '../../../identity/audit.ts';
import { can } from '../../../identity/operators/role.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import { dayOf } from '../../../payment/order-search.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import * as Csv from '../csv.ts';
import * as Page from '../pages/audit.ts';
import { detailsText } from '../pages/audit-details.ts';
import { nameOfAct } from '../pages/audit-sentence.ts';
import { planNames } from '../plan-names.ts';

const pageSize = 25;
const textCharsMax = 200;

/** The audit log, page by page, with a filter and an export. */
export function addAuditSection(
  console: Console,
  shop: Pick<SellerContext, 'audit'> & Pick<CatalogContext, 'catalog'>,
): void {
  const { audit } = shop;
  const planName = planNames(shop);

  console.addSection('Audit log', '/admin/console/audit', async (c, { role }) => {
    const filter = filterOf(c);
    const before = c.req.query('before') ?? '';
    const from = /^\d{1,15}$/.test(before) ? Number(before) : null;
    const [found, acts] = await Promise.all([audit.list(filter, from, pageSize + 1), audit.acts()]);
    const entries = found.slice(0, pageSize);
    const next = found.length > pageSize ? (entries.at(-1)?.id ?? null) : null;
    const facts = { filter, acts, entries, next, planName, canExport: can(role, 'export') };
    return { title: 'Audit log', main: Page.audit({ ...facts, isFirst: from === null }) };
  });
  console.addPage('/admin/console/audit.csv', (c) =>
    Csv.download<AuditEntry>(
      'audit',
      ['when', 'person', 'ip', 'action', 'subject', 'details'],
      (after, max) => audit.list(filterOf(c), after?.id ?? null, max),
      ({ atMs, who, act, subject, before, after }) => {
        const { name, address } = Page.actor(who);
        const details = Page.isUnknown(act, after) ? ['outcome unknown'] : [];
        return [
          ...[Csv.time(atMs), name, address, nameOfAct(act), subject],
          [detailsText(act, before, after), ...details].filter((one) => one !== '').join('; '),
        ];
      },
    ),
  );
}

/** The list without sign-ins is the usual one: they would drown everything else. */
function signInsOf(show: string | undefined): Pick<AuditFilter, 'signIns'> {
  if (show === 'all') return {};
  return { signIns: show === 'sign-ins' ? 'only' : 'none' };
}

function filterOf(c: Call): AuditFilter {
  const said = (name: string) => c.req.query(name)?.trim().slice(0, textCharsMax) || undefined;
  const [account, text, act] = [said('account'), said('text'), said('act')];
  const [from, to] = [dayOf(said('from')), dayOf(said('to'))];
  return {
    ...(account && { account }),
    ...(text && { text }),
    ...(act ? { act } : signInsOf(said('show'))),
    ...(from && { from }),
    ...(to && { to }),
  };
}
