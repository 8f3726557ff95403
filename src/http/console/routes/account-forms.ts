import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as CancelForSeller from '../../../journeys/cancel-for-seller.ts';
import * as Freezing from '../../../journeys/freezing.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as CreditGrant from '../../../payment/credit-grant.ts';
import * as GrantFaults from '../grant-faults.ts';
import type { FormResult } from '../pages/account.ts';
import { endText } from '../pages/account-plans.ts';
import { amount } from '../pages/figures.ts';
import { planNames } from '../plan-names.ts';

type Result = NonNullable<FormResult>;
type RefusedGrant = Result & { draft: GrantFaults.FormDraft | null };
type GrantShop = Pick<CatalogContext, 'catalog'> & Pick<IdentityContext, 'clock'>;

const grantFields = ['usd', 'units', 'plan', 'expires', 'reason', 'key'];

/** Reads the form of a grant: its values as they were typed, and the grant, or why it is refused. */
export function readGrant(
  shop: GrantShop,
  account: string,
  form: URLSearchParams,
):
  | { kind: 'grant'; grant: CreditGrant.CreditGrant; values: Record<string, string> }
  | { kind: 'refused'; refused: RefusedGrant; values: Record<string, string> } {
  const values = GrantFaults.filledIn(form, grantFields);
  const read = CreditGrant.parse({ account, ...values }, shop.catalog.plans, shop.clock());
  const faults = read.kind === 'fault' ? [...read.faults] : [];
  // Programs may leave it out; a person gives money away.
  if (values.reason === undefined) faults.push({ field: 'reason', message: 'Must be given' });
  if (read.kind === 'gift' && faults.length === 0) return { kind: 'grant', grant: read.creditGrant, values };
  return {
    ...{ kind: 'refused', values },
    refused: refusedGrant('Nothing was granted. Correct the marked fields.', {
      values,
      faults: GrantFaults.faultsOf(values, faults),
    }),
  };
}

function refusedGrant(text: string, draft: GrantFaults.FormDraft): RefusedGrant {
  return { text, isBad: true, fix: { id: 'grant', name: 'Go to the form' }, draft };
}

/** Grants credit, once for the key of a form. */
export async function grant(
  shop: GrantShop & Pick<SellerContext, 'creditGrants'>,
  account: string,
  form: URLSearchParams,
  who: string,
): Promise<RefusedGrant> {
  const read = readGrant(shop, account, form);
  if (read.kind === 'refused') return read.refused;
  const given = await shop.creditGrants.give(read.grant, who);
  const draft = { values: read.values, faults: {} };
  switch (given.kind) {
    case 'given':
      return { text: `Granted ${amount(read.grant.asset, read.grant.amount)}.`, isBad: false, draft: null };
    case 'mismatch':
      return {
        text: 'This form was already used for another grant. Check the grants of the account, then fill in the form again.',
        ...{ isBad: true, draft: null },
      };
    case 'unknown_account':
      return refusedGrant('This account does not exist.', draft);
    case 'too_much':
      return refusedGrant(
        'Nothing was granted: the account would have more than a billion dollars or a quadrillion results.',
        draft,
      );
  }
}

type CancelShop = CancelForSeller.CancelContext;

/** Freezes or unfreezes an account, and cancels its plans when the form asks for it. Returns null when there is no such account. */
export async function freeze(
  shop: Pick<IdentityContext, 'accounts' | 'revocations'> & CancelShop,
  account: string,
  isFrozen: boolean,
  form: URLSearchParams,
  who: string,
): Promise<Result | null> {
  const reason = form.get('reason')?.trim() || null;
  const frozen = await Freezing.set(shop, account, isFrozen, reason, who);
  if (frozen.kind === 'unknown_account') return null;
  const isOther = frozen.kind === 'same' && !(await isOwnRepetition(shop, account, isFrozen, reason, who));
  const text = isOther
    ? `The account was already ${isFrozen ? 'frozen' : 'active'}. Your reason was not recorded.`
    : isFrozen
      ? 'The account is frozen.'
      : 'The account can call and buy again.';
  if (!isFrozen || form.get('cancel') !== 'yes') return { text, isBad: false };
  const joined = await shop.accounts.resolveAccount(account);
  const ends = (await CancelForSeller.cancelAll(shop, joined, who)).map((one) => cancelText(shop, one));
  return { text: [text, ...ends.map((end) => end.text)].join(' '), isBad: ends.some(({ isBad }) => isBad) };
}

/** Returns true when the same person did the same with the same reason before, as with a double click. */
async function isOwnRepetition(
  { audit }: Pick<CancelShop, 'audit'>,
  account: string,
  isFrozen: boolean,
  reason: string | null,
  who: string,
): Promise<boolean> {
  const act = isFrozen ? 'frozen' : 'unfrozen';
  const [latest] = await audit.list({ accounts: [account], act }, null, 1);
  return latest?.who === who && ((Object(latest.after) as { reason?: unknown }).reason ?? null) === reason;
}

/** Cancels the renewal of a plan of the account. */
export async function cancel(
  shop: CancelShop,
  account: string,
  subscription: string,
  who: string,
): Promise<Result> {
  return cancelText(shop, await CancelForSeller.cancel(shop, account, subscription, who));
}

function cancelText(shop: CancelShop, result: CancelForSeller.CancelResult): Result {
  const planName = planNames(shop);
  switch (result.kind) {
    case 'unknown':
      return { text: 'Nothing was cancelled: this account has no such plan.', isBad: true };
    case 'unavailable':
      return {
        text: `The ${planName(result.subscription.plan)} plan still renews: the card processor did not confirm the cancellation. Try again with “Cancel plan”.`,
        isBad: true,
      };
    case 'done':
      return { text: endText(result.subscription, planName), isBad: false };
  }
}
