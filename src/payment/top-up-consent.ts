import * as Money from '@sluice/kernel/money';
import type { Mail } from '../identity/mail.ts';
import { cardName } from '../text/card-name.ts';
import type { Texts } from '../text/texts.ts';
import { type Order, totalPaid } from './order.ts';
import type { SavedCard } from './saved-card.ts';
import type { TopUpTerms } from './top-up.ts';

/**
 * A cardholder's consent to automatic charges of this card for one account, by these terms. `offered`: the card page
 * exists, but the holder has not agreed. `ended`: by the holder, by another consent, or by a reversal of one of the account's payments.
 */
export type Consent = {
  id: string;
  account: string;
  plan: string;
  terms: TopUpTerms;
  state: 'offered' | 'agreed' | 'ended';
  /** Its card page, once opened. */
  session: string | null;
  card: SavedCard | null;
  /** The holder's email address from the card page. */
  email: string | null;
  agreedMs: number | null;
  /** When it ended; null while it has not. */
  endedMs: number | null;
  /** The holder can agree until then. */
  expiresMs: number;
};

/** Returns the state of a consent at `nowMs`: an offer that was not agreed to in time has expired. */
export function stateAt(
  { state, expiresMs }: Pick<Consent, 'state' | 'expiresMs'>,
  nowMs: number,
): Consent['state'] | 'expired' {
  return state === 'offered' && expiresMs <= nowMs ? 'expired' : state;
}

/** Time in which the holder can agree. With the grace of its page it stays below the processor's maximum of one day. */
export const lifeMs = 23 * 60 * 60_000;
export const idPrefix = 'tuc';

/** The record of consents. A consent that was agreed to is never deleted. Every method is safe to repeat. */
export interface Consents {
  /** Returns the open offer of an account for these terms, creating it under `id` when there is none. */
  offer(id: string, account: string, plan: string, terms: TopUpTerms, expiresMs: number): Promise<Consent>;
  find(id: string): Promise<Consent | null>;
  attach(id: string, session: string): Promise<void>;
  /** Records that the holder agreed, so that charges can begin. Changes nothing unless the state is `offered`. */
  agree(id: string, card: SavedCard, email: string | null): Promise<void>;
  /** Ends a consent: no further charge is made. */
  end(id: string): Promise<void>;
  /** Lists charges whose holders were not notified yet. */
  unnotifiedCharges(): Promise<{ order: Order; consent: Consent; chargedThisMonth: Money.Money }[]>;
  markNotified(order: string): Promise<void>;
}

/** Returns the sentence that the holder agrees to, shown above the button of the card page. */
export function sentence(
  texts: Texts,
  { account, terms }: Pick<Consent, 'account' | 'terms'>,
  shop: string,
  isTaxed: boolean,
): string {
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  return texts.text(isTaxed ? 'consent.sentence_taxed' : 'consent.sentence', {
    shop,
    amount: usd(terms.amount),
    account: shortAccount(account),
    below: usd(terms.below),
    monthly_max: usd(terms.monthlyMax),
  });
}

/** The first and last characters of an id; the page before the card page shows all of it. */
function shortAccount(account: string): string {
  return `${account.slice(0, 8)}…${account.slice(-4)}`;
}

/** The mail to the holder about one charge. `receipt`: the URL of its receipt. */
export function chargeMail(
  { name, publicUrl, texts }: { name: string; publicUrl: string; texts: Texts },
  order: Pick<Order, 'id' | 'amount' | 'tax'>,
  { id, account, terms, card, agreedMs }: Consent,
  chargedThisMonth: Money.Money,
  to: string,
  receipt: string | null,
): Mail {
  const isTaxed = order.tax > 0;
  const shop = name.replace(/\s+/g, ' ').trim();
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  const monthly = { month: usd(chargedThisMonth), monthly_max: usd(terms.monthlyMax) };
  return {
    to,
    subject: texts.text('mail.charge.subject', { shop, amount: usd(totalPaid(order)) }),
    text: texts.text('mail.charge.text', {
      shop,
      url: publicUrl,
      amount: usd(order.amount),
      tax: isTaxed
        ? texts.text('mail.charge.tax', { tax: usd(order.tax), total: usd(totalPaid(order)) })
        : '',
      card: card === null ? '' : texts.text('mail.charge.card', { card: cardName(texts, card) }),
      account,
      purchase: order.id,
      month: texts.text(isTaxed ? 'mail.charge.month_net' : 'mail.charge.month', monthly),
      receipt: receipt === null ? '' : texts.text('mail.charge.receipt', { receipt }),
      day: texts.day(agreedMs ?? 0),
      agreed: usd(terms.amount),
      below: usd(terms.below),
      page: `${publicUrl}/auto-top-up/${id}`,
    }),
  };
}
