import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { ChargeOutcome } from '../../../payment/card-attempt.ts';
import type { Order } from '../../../payment/order.ts';
import type { OrderLot } from '../../../payment/revenue-report.ts';
import type { StoredReversal } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { amount, moment, money, table, wholeCents, words } from './figures.ts';

export type TimelineFacts = {
  order: Order;
  reversals: readonly StoredReversal[];
  lot: OrderLot | null;
  /** The part of the returned money whose credit had been spent. */
  loss: Money.Money;
  /** The processor's assessment of each charge, the newest first. */
  charges: readonly ChargeOutcome[];
};

const entryNames: Readonly<Record<string, string>> = {
  purchase: 'Credit added',
  reversed: 'Credit removed',
  reinstated: 'Credit restored',
  expiry: 'Credit expired',
  moved: 'Credit moved to a later plan',
  undelivered: 'Credit returned for a call',
};

/** The events of a purchase, the latest first, and the rest of its credit. */
export function timeline({ order, lot, loss, charges, reversals }: TimelineFacts): Html {
  type Entry = { atMs: number; what: string; amount: string };
  const begun: Entry = { atMs: order.createdMs, what: 'Purchase started', amount: money(order.amount) };
  const paid: Entry[] =
    order.grantedMs === null ? [] : [{ atMs: order.grantedMs, what: 'Paid', amount: money(order.amount) }];
  const declined = charges
    .filter(({ succeeded }) => !succeeded)
    .map(({ createdMs }): Entry => {
      // The processor gives whole seconds.
      const atMs = Math.max(createdMs, order.createdMs);
      return { atMs, what: 'Card declined', amount: '' };
    });
  const entries = together(lot?.entries ?? []).map(({ atMs, kind, asset, amount: value }): Entry => {
    const shown = asset === 'usd' ? money(nearestCent(Math.abs(value))) : amount(asset, Math.abs(value));
    return { atMs, what: entryNames[kind] ?? words(kind), amount: `${value < 0 ? '−' : '+'}${shown}` };
  });
  const returned = reversals.map(
    (one): Entry => ({
      atMs: one.createdMs,
      what: one.kind === 'dispute' ? 'Dispute opened' : 'Refunded',
      amount: `−${money(one.amount)}`,
    }),
  );
  const all = [begun, ...declined, ...paid, ...entries, ...returned]
    .reverse()
    .sort((one, other) => other.atMs - one.atMs);
  const row = ({ atMs, what, amount: sum }: Entry) =>
    html`<tr><th scope="row">${what}</th><td class="number">${sum}</td><td>${moment(atMs)}</td></tr>`;
  return html`<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
${table('Timeline', ['What', { number: 'Amount', onPhone: 'lead' }, { bare: 'When' }], all.map(row), 'stack')}
${lot === null ? '' : html`<p class="soft">${left(lot)}${loss > 0 ? ` ${money(nearestCent(loss))} of what was returned had already been spent: your loss.` : ''}</p>`}</section>`;
}

/** Adds up entries of one kind and minute: a refund can take from several parts of the credit. */
function together(entries: OrderLot['entries']): OrderLot['entries'] {
  const groups = Map.groupBy(
    entries,
    ({ atMs, kind, asset }) => `${kind} ${asset} ${Math.floor(atMs / 60_000)}`,
  );
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ ...first, amount: rest.reduce((sum, one) => sum + one.amount, first.amount) }],
  );
}

/** Rounds to whole cents. */
export function nearestCent(micro: number): Money.Money {
  return Money.ofMicro(Math.round(micro / 10_000) * 10_000);
}

/** The rest of a purchase. */
function left({ asset, remaining }: OrderLot): string {
  const shown = asset === 'usd' ? wholeCents(remaining) : amount(asset, remaining);
  return `Unspent of this purchase: ${shown}.`;
}
