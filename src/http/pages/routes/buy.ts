import type { PaidPlan } from '../../../catalog/plan.ts';
import { blockOf } from '../../../identity/address-block.ts';
import * as Purchase from '../../../journeys/purchase.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import * as PurchaseInput from '../../../payment/purchase-input.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { address, type Call } from '../../request-context.ts';
import type * as BrowserSession from '../browser-session.ts';
import * as FormFaults from '../form-faults.ts';
import * as ReturnTo from '../return-to.ts';

export type BuyContext = Parameters<typeof Purchase.purchase>[0] & CheckoutContext;
export type StartedPurchase =
  /** The path that leads to the card page. */
  | { kind: 'order'; order: string; location: string }
  | { kind: 'fault'; text: string }
  | { kind: 'refused'; text: string };

/** Starts a purchase from a form. Its amount is read for credit only. A visitor with an account returns to it after the card page. */
export async function startPurchase(
  shop: BuyContext,
  c: Call,
  {
    plan,
    form,
    visitor,
    clientAddressHeader,
  }: {
    plan: PaidPlan;
    form: URLSearchParams;
    visitor: BrowserSession.BrowserSession | null;
    clientAddressHeader: string | null;
  },
): Promise<StartedPurchase> {
  const { texts } = shop;
  const body = {
    ...amountOf(plan, form),
    ...(visitor && { return_url: `${shop.publicUrl}${ReturnTo.accountPath}` }),
  };
  const parsed = PurchaseInput.parse(texts, body, plan);
  if (!parsed.ok) return { kind: 'fault', text: FormFaults.messages(texts, parsed.faults) };
  const outcome = await Purchase.purchase(shop, {
    plan,
    ...parsed.purchaseInput,
    account: visitor?.account ?? null,
    body: Buffer.from(JSON.stringify(body)),
    credential: { kind: 'none' },
    address: blockOf(address(c, clientAddressHeader)),
  });
  if (outcome.kind !== 'payment_required') return { kind: 'refused', text: texts.text('buy.unavailable') };
  if (outcome.checkoutUrl === null) return { kind: 'refused', text: texts.text('buy.no_card_page') };
  // A reload of the page that follows opens no second order.
  const order = outcome.checkoutUrl.split('/').at(-1) ?? '';
  return { kind: 'order', order, location: `/shop/buy/${order}` };
}

/** Returns what is wrong with the amount of a form; null when it can be bought. */
export function faultOf({ texts }: TextsContext, plan: PaidPlan, form: URLSearchParams): string | null {
  const parsed = PurchaseInput.parse(texts, amountOf(plan, form), plan);
  return parsed.ok ? null : FormFaults.messages(texts, parsed.faults);
}

function amountOf({ kind }: PaidPlan, form: URLSearchParams): { amount_usd?: string | undefined } {
  return kind === 'credit' ? { amount_usd: form.get('amount_usd')?.trim() } : {};
}
