import { format, type Money } from '@sluice/kernel/money';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { FailedPayment } from '../payment/failed-payment.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ObjectUnknown, type Payer, ProcessorUnavailable } from '../payment/processor.ts';
import { isLive, type Subscription } from '../payment/subscription.ts';

type PortalContext = Pick<PaymentContext, 'subscriptions' | 'processor'> & Pick<IdentityContext, 'team'>;
/** An account, and the person in it who asks; null when the session belongs to no person. */
type Asker = { account: string; member: { id: string } | null };

/** The payment method of a subscription. `isOwn`: it belongs to the person of the account, who may open the processor's portal. */
export type PaymentMethod = {
  subscription: string;
  plan: string;
  /** Null when it is unknown, or belongs to another person. */
  card: Payer['card'];
  isOwn: boolean;
  /** False for a plan that is cancelled, whose card is not charged again. */
  renews: boolean;
};

export type PortalResult = { kind: 'page'; url: string } | { kind: 'refused' };

/** The page of the account does not wait longer for the processor. */
const waitMs = 2_000;

/** Returns the address that the asker has proved. Another person of the account is not the payer, and a session of no person has proved none. */
export async function provedAddress(
  { team }: Pick<PortalContext, 'team'>,
  { member }: Pick<Asker, 'member'>,
): Promise<string | null> {
  return member === null ? null : ((await team.find(member.id))?.email ?? null);
}

/** Returns how the running subscriptions of an account are paid. Without the processor, cards are unknown. */
export async function methodsOf(
  shop: PortalContext,
  asker: Asker,
  live: readonly Pick<Subscription, 'id' | 'plan' | 'cancelAtPeriodEnd'>[],
): Promise<PaymentMethod[]> {
  if (live.length === 0) return [];
  const proved = await provedAddress(shop, asker);
  return Promise.all(
    live.map(async ({ id, plan, cancelAtPeriodEnd }) => {
      const payer = await inTime(shop.processor.payerOf(id).catch(unknownPayer));
      const isOwn = payer !== null && isPaidBy(payer, proved);
      return { subscription: id, plan, card: isOwn ? payer.card : null, isOwn, renews: !cancelAtPeriodEnd };
    }),
  );
}

/** The open invoice of a renewal that was not paid, with tax. `nextAttemptMs`: when the card is charged again; null for not by itself. */
export type Unpaid = NonNullable<Payer['unpaid']>;

/** The price of a subscription from its next renewal, without tax, its card, and its open invoice. */
export type RenewalTerms = {
  price: { amount: Money; every: string } | null;
  card: Payer['card'];
  unpaid: Unpaid | null;
};

/** Returns the terms of a subscription. Each is null when the processor does not respond in time. */
export async function renewalOf(
  { processor }: Pick<PortalContext, 'processor'>,
  id: string,
): Promise<RenewalTerms> {
  const [price, payer] = await Promise.all([
    inTime(processor.renewalOf(id).catch(unknownPayer)),
    inTime(processor.payerOf(id).catch(unknownPayer)),
  ]);
  return { price, card: payer?.card ?? null, unpaid: payer?.unpaid ?? null };
}

/**
 * Returns the unpaid renewal of a subscription for a mail; what the processor does not say in time is null.
 * @param reader the address of the mail to the account, which reads of the card only when it is the payer's; null for a mail to the payer
 */
export async function failedPaymentOf(
  { processor }: Pick<PortalContext, 'processor'>,
  id: string,
  reader: string | null,
): Promise<FailedPayment> {
  const payer = await inTime(processor.payerOf(id).catch(unknownPayer));
  const isShown = payer !== null && (reader === null || isPaidBy(payer, reader));
  const { amount = null, nextAttemptMs = null } = payer?.unpaid ?? {};
  return { amount, nextAttemptMs, card: isShown ? payer.card : null };
}

/** Returns the open invoice of a subscription; null when the processor does not respond in time. */
export async function unpaidOf(
  { processor }: Pick<PortalContext, 'processor'>,
  id: string,
): Promise<Unpaid | null> {
  return (await inTime(processor.payerOf(id).catch(unknownPayer)))?.unpaid ?? null;
}

/** Returns the prices of the plans that begin with the next period, by subscription: those that were agreed, not those of the catalogue. */
export async function nextPricesOf(
  { processor }: Pick<PortalContext, 'processor'>,
  live: readonly Pick<Subscription, 'id' | 'nextPlan'>[],
): Promise<ReadonlyMap<string, string>> {
  const changing = live.filter(({ nextPlan }) => nextPlan !== null);
  const prices = await Promise.all(
    changing.map(async ({ id }) => {
      const price = await inTime(processor.renewalOf(id).catch(unknownPayer));
      return price === null ? [] : [[id, format(price.amount)] as const];
    }),
  );
  return new Map(prices.flat());
}

/**
 * Opens the processor's portal for a subscription of the account. It shows the payer's invoices and address, so only a payer whose address
 * the person has proved gets it: another person may have paid for the account.
 */
export async function open(
  shop: PortalContext,
  asker: Asker,
  subscription: string,
  returnUrl: string,
): Promise<PortalResult> {
  const found = (await shop.subscriptions.of(asker.account)).find(({ id }) => id === subscription);
  if (found === undefined || !isLive(found)) return { kind: 'refused' };
  const [proved, payer] = await Promise.all([
    provedAddress(shop, asker),
    shop.processor.payerOf(subscription),
  ]);
  if (!isPaidBy(payer, proved)) return { kind: 'refused' };
  return { kind: 'page', url: await shop.processor.openPortal(payer.customer, returnUrl) };
}

/** Compares addresses exactly, but for their case: an alias may be another person's mailbox. */
function isPaidBy({ email }: Payer, proved: string | null): boolean {
  return proved !== null && email?.toLowerCase() === proved.toLowerCase();
}

function unknownPayer(fault: unknown): null {
  if (fault instanceof ObjectUnknown || fault instanceof ProcessorUnavailable) return null;
  throw fault;
}

async function inTime<T>(work: Promise<T | null>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, waitMs, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
