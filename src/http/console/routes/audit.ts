import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as AccountSearch from '../../../identity/account-search.ts';
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
const accountsMax = 100;

/** The audit log, page by page, with a filter and an export. */
export function addAuditSection(
  console: Console,
  shop: Pick<SellerContext, 'audit' | 'console'> & Pick<CatalogContext, 'catalog'>,
): void {
  const { audit } = shop;
  const planName = planNames(shop);

  console.addSection('Audit log', '/admin/console/audit', async (c, { role }) => {
    const filter = filterOf(c);
    const before = c.req.query('before') ?? '';
    const from = /^\d{1,15}$/.test(before) ? Number(before) : null;
    const read = await restrictionOf(shop, filter);
    const [found, acts] = await Promise.all([audit.list(read.restriction, from, pageSize + 1), audit.acts()]);
    const entries = found.slice(0, pageSize);
    const next = found.length > pageSize ? (entries.at(-1)?.id ?? null) : null;
    const facts = {
      ...{ filter, acts, entries, next, planName, canExport: can(role, 'export') },
      accountFault: read.fault,
    };
    return { title: 'Audit log', main: Page.audit({ ...facts, isFirst: from === null }) };
  });
  console.addPage('/admin/console/audit.csv', async (c) => {
    const { restriction } = await restrictionOf(shop, filterOf(c));
    return Csv.download<AuditEntry>(
      'audit',
      ['when', 'person', 'ip', 'action', 'subject', 'details'],
      (after, max) => audit.list(restriction, after?.id ?? null, max),
      ({ atMs, who, act, subject, before, after }) => {
        const { name, address } = Page.actor(who);
        const details = Page.isUnknown(act, after) ? ['outcome unknown'] : [];
        return [
          ...[Csv.time(atMs), name, address, nameOfAct(act), subject],
          [detailsText(act, before, after), ...details].filter((one) => one !== '').join('; '),
        ];
      },
    );
  });
}

/** The accounts that the filter means: an email address means those of its person. */
async function restrictionOf(
  { console: { accounts } }: Pick<SellerContext, 'console'>,
  { account, ...others }: Page.TypedFilter,
): Promise<{ restriction: AuditFilter; fault: string | null }> {
  if (account === undefined) return { restriction: others, fault: null };
  const query = AccountSearch.read(account);
  const isWhole = query?.kind === 'id' || (query?.kind === 'email' && account.includes('@'));
  const found = isWhole ? await accounts.find(query, accountsMax) : [];
  const its = (email: string | null) => email !== null && email.toLowerCase() === account.toLowerCase();
  const meant = found.filter((one) => query?.kind === 'id' || its(one.email) || its(one.payerEmail));
  return {
    restriction: { ...others, accounts: meant.map(({ id }) => id) },
    fault:
      meant.length > 0
        ? null
        : 'No account has this id or address. Enter a whole email address, or the whole id.',
  };
}

/** The list without sign-ins is the usual one: they would drown everything else. */
function signInsOf(show: string | undefined): Pick<AuditFilter, 'signIns'> {
  if (show === 'all') return {};
  return { signIns: show === 'sign-ins' ? 'only' : 'none' };
}

function filterOf(c: Call): Page.TypedFilter {
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
