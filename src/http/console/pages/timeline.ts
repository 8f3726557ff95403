import { html } from 'hono/html';
import type { UnconfirmedRefund } from '../../../journeys/unconfirmed-refund.ts';
import type { ChargeOutcome } from '../../../payment/card-attempt.ts';
import type { Order, ReversalLoss } from '../../../payment/order.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type { Replacement } from '../../../payment/replacement.ts';
import type { OrderLot } from '../../../payment/revenue-report.ts';
import { isInquiry, isPending, type StoredReversal } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { amount, moment, money, table, words } from './figures.ts';
import { isPlanChange } from './orders.ts';

export type TimelineFacts = {
  order: Order;
  reversals: readonly StoredReversal[];
  lot: OrderLot | null;
  /** The dearer plan that replaced the paid period; null without one. */
  replacement: Replacement | null;
  /** When the plan of the paid period ended; null when it has not, and for credit. */
  planEndedMs: number | null;
  /** The part of the returned money whose credit had been spent, and the part that calls under way hold. */
  loss: ReversalLoss;
  /** The processor's assessment of each charge, the newest first. */
  charges: readonly ChargeOutcome[];
  /** The buyer's refund request; there is at most one for a purchase. */
  request: RefundRequest | null;
  /** A refund whose outcome is not known; null without one. */
  unconfirmed: UnconfirmedRefund | null;
};

type Entry = { atMs: number; what: string; amount: string };

const entryNames: Readonly<Record<string, string>> = {
  purchase: 'Credit added',
  reversed: 'Credit removed',
  reinstated: 'Credit restored',
  expiry: 'Credit expired',
  moved: 'Credit moved to a later plan',
  undelivered: 'Credit returned for a call',
};

/** The events of a purchase, the latest first, and the rest of its credit. */
export function timeline(facts: TimelineFacts): Html {
  const { order, lot, replacement, loss, charges, reversals, planEndedMs } = facts;
  const begun: Entry = { atMs: order.createdMs, what: begunAs(order), amount: money(order.amount) };
  const paid: Entry[] =
    order.grantedMs === null ? [] : [{ atMs: order.grantedMs, what: 'Paid', amount: money(order.amount) }];
  const declined = charges
    .filter(({ succeeded }) => !succeeded)
    .map(({ createdMs }): Entry => {
      // The processor gives whole seconds.
      const atMs = Math.max(createdMs, order.createdMs);
      return { atMs, what: 'Card declined', amount: '' };
    });
  const failed = declined.length > 0 ? [] : failedEntry(order);
  const ended = planEndedMs === null ? [] : [{ atMs: planEndedMs, what: 'Plan ended', amount: '' }];
  const entries = together(lot?.entries ?? []).map(({ atMs, kind, asset, amount: value }): Entry => {
    const shown = amount(asset, Math.abs(value));
    const isReplaced = kind === 'expiry' && replacement !== null;
    const what = isReplaced ? 'Credit replaced by the new plan' : (entryNames[kind] ?? words(kind));
    return {
      atMs,
      what: asset === 'usd' ? what : what.replace('Credit', 'Results'),
      amount: `${value < 0 ? '−' : '+'}${shown}`,
    };
  });
  const returned = [...asked(facts), ...reversals.flatMap(reversalEntries)];
  const all = [begun, ...declined, ...failed, ...paid, ...entries, ...returned, ...ended]
    .reverse()
    .sort((one, other) => other.atMs - one.atMs);
  const row = ({ atMs, what, amount: sum }: Entry) =>
    html`<tr><th scope="row">${what}</th><td class="number">${sum}</td><td>${moment(atMs)}</td></tr>`;
  return html`<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
${table('Timeline', ['What', { number: 'Amount', onPhone: 'lead' }, { bare: 'When' }], all.map(row), 'stack')}
${lot === null ? '' : html`<p class="soft">${replacement === null ? left(lot) : 'The unused part went into the plan that replaced it.'}${loss.certain > 0 ? ` ${money(loss.certain)} of what was returned had already been spent: your loss.` : ''}${loss.pending > 0 ? ` Calls under way still hold ${money(loss.pending)} of it: it is removed when they end, and what they use is your loss.` : ''}</p>`}</section>`;
}

/** A payment that failed before the card was charged, at the time of its last attempt. */
function failedEntry({ state, claimedMs, createdMs }: Order): Entry[] {
  if (state !== 'declined' || claimedMs === null) return [];
  return [{ atMs: Math.max(claimedMs, createdMs), what: 'Payment failed', amount: '' }];
}

/** A refund or dispute, and how it has ended. */
function reversalEntries(reversal: StoredReversal): Entry[] {
  const { kind, status, amount: sum, createdMs, updatedMs } = reversal;
  const entry = (atMs: number, what: string, sign = ''): Entry => ({
    ...{ atMs, what },
    amount: sign === '' ? '' : `${sign}${money(sum)}`,
  });
  if (kind === 'refund') {
    const begun = entry(createdMs, isPending(reversal) ? 'Refund started' : 'Refunded', '−');
    return ['failed', 'canceled'].includes(status)
      ? [begun, entry(updatedMs, 'Refund failed', '+')]
      : [begun];
  }
  // An inquiry has taken no money.
  if (isInquiry(reversal)) {
    const begun = entry(createdMs, 'Inquiry opened');
    return status === 'warning_closed' ? [begun, entry(updatedMs, 'Inquiry closed')] : [begun];
  }
  const begun = entry(createdMs, 'Dispute opened', '−');
  if (status === 'lost') return [begun, entry(updatedMs, 'Dispute lost')];
  return status === 'won' ? [begun, entry(updatedMs, 'Dispute won', '+')] : [begun];
}

/** The buyer's request with its answer, and a refund that is not confirmed. */
function asked({ request, unconfirmed, reversals }: TimelineFacts): Entry[] {
  const entries: Entry[] = [];
  if (request !== null) {
    const { askedMs, declinedMs, amount: sum } = request;
    entries.push({ atMs: askedMs, what: 'Refund requested', amount: money(sum) });
    const answers = reversals.filter((one) => one.kind === 'refund' && one.createdMs >= askedMs);
    if (request.state === 'refunded' && answers.length > 0) {
      const atMs = Math.min(...answers.map(({ createdMs }) => createdMs));
      entries.push({ atMs, what: 'Request answered', amount: '' });
    }
    if (declinedMs !== null) entries.push({ atMs: declinedMs, what: 'Request declined', amount: '' });
  }
  if (unconfirmed !== null)
    entries.push({
      atMs: unconfirmed.atMs,
      what: 'Refund, not confirmed',
      amount: `−${money(unconfirmed.amount)}`,
    });
  return entries;
}

/** The first event: a change of plan and a renewal start without a purchase of the buyer. */
function begunAs(order: Order): string {
  if (order.rail !== 'invoice') return 'Purchase started';
  return isPlanChange(order) ? 'Plan changed' : 'Renewal started';
}

/** Adds up entries of one kind and second: a refund can take from several parts of the credit. */
function together(entries: OrderLot['entries']): OrderLot['entries'] {
  const groups = Map.groupBy(
    entries,
    ({ atMs, kind, asset }) => `${kind} ${asset} ${Math.floor(atMs / 1_000)}`,
  );
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ ...first, amount: rest.reduce((sum, one) => sum + one.amount, first.amount) }],
  );
}

/** The rest of a purchase. */
function left({ asset, remaining }: OrderLot): string {
  return `Unspent of this purchase: ${amount(asset, remaining)}.`;
}
