import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { can, type Role } from '../../../identity/operators/role.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as Promotion from '../../../payment/promotion.ts';
import type { Console } from '../console.ts';
import * as GrantFaults from '../grant-faults.ts';
import type { FormResult } from '../pages/account.ts';
import * as Page from '../pages/codes.ts';
import { problem } from '../pages/login-page.ts';
import { planNames } from '../plan-names.ts';
import { type ConsoleResponse, done } from '../response.ts';

const path = '/admin/console/codes';
const formFields = ['code', 'usd', 'units', 'plan', 'expires', 'days', 'max'];

export type CodesContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'clock'> &
  Pick<SellerContext, 'promotions'>;

/** Promotion codes: the list, a new code, the end of one. */
export function addCodesSection(console: Console, shop: CodesContext): void {
  const page = async (
    role: Role,
    result: FormResult,
    draft: Page.CodesFacts['draft'] = null,
  ): Promise<ConsoleResponse> => {
    const facts = {
      codes: await shop.promotions.list(),
      plans: shop.catalog.plans,
      planName: planNames(shop),
      nowMs: shop.clock(),
      canChange: can(role, 'codes'),
      result,
      draft,
    };
    return { title: 'Codes', status: result?.isBad ? 422 : 200, main: Page.codes(facts) };
  };
  console.addSection('Codes', path, (_, { role }, flash) => page(role, flash));

  console.addPage('/admin/console/codes/:code/end', async (c) => {
    const code = Promotion.normal(c.req.param('code') ?? '');
    const found = (await shop.promotions.list()).find((one) => one.code === code);
    if (found !== undefined && found.endedMs !== null) {
      const text = `${found.code} has ended. What it granted remains.`;
      const main = problem('Code already ended', text, { path, name: 'All codes' });
      return { title: 'Code already ended', status: 410, main };
    }
    if (found === undefined) {
      const text = 'There is no code with this name.';
      const main = problem('Code not found', text, { path, name: 'All codes' });
      return { title: 'Code not found', status: 404, main };
    }
    return { title: `End ${found.code}`, main: Page.confirmEnd(found) };
  });

  console.addAction(path, async (_, form, { who, role }) => {
    if (form.get('act') === 'end') {
      const code = Promotion.normal(form.get('code') ?? '') ?? '';
      return (await shop.promotions.end(code, who))
        ? done(path, `${code} has ended. What it granted remains.`)
        : page(role, { text: 'Nothing was ended: there is no active code with this name.', isBad: true });
    }
    if (form.get('act') !== 'create')
      return page(role, { text: 'Unknown action. Reload the page and try again.', isBad: true });
    const values = GrantFaults.filledIn(form, formFields);
    const claimedOnly = form.get('claimed_only') === 'yes';
    const said = { ...values, ...(claimedOnly && { claimed_only: true }) };
    const read = Promotion.parse(said, shop.catalog.plans, shop.clock());
    if (read.kind === 'fault') {
      const faults = GrantFaults.faultsOf(values, read.faults);
      const fix = { id: 'create', name: 'Go to the form' };
      const result = { text: 'Nothing was created. Correct the marked fields.', isBad: true, fix };
      return page(role, result, { values, claimedOnly, faults });
    }
    const { code } = read.draft;
    if (await shop.promotions.make(read.draft, who)) return done(path, `${code} is accepted from now on.`);
    // A form that was sent twice.
    if ((await shop.promotions.list()).some((one) => one.endedMs === null && isSame(one, read.draft)))
      return done(path, `${code} is accepted. It was created before, with the same terms.`);
    const faults = { code: 'This code is or was in use. Choose another one.' };
    return page(role, { text: 'Nothing was created.', isBad: true }, { values, claimedOnly, faults });
  });
}

function isSame(one: Promotion.PromotionDraft, other: Promotion.PromotionDraft): boolean {
  const fields = [
    'code',
    'plan',
    'asset',
    'amount',
    'expiresMs',
    'lotDays',
    'redemptionsMax',
    'claimedOnly',
  ] as const;
  return fields.every((field) => one[field] === other[field]);
}
