import { html } from 'hono/html';
import * as Money from '../../../kernel/money.ts';
import type { Order } from '../../../payment/order.ts';
import type { Html } from '../frame.ts';
import { moment, sign, table, usd } from './figures.ts';

/** What went back of an order, as far as our books know. */
export type Shown = { order: Order; gone: Money.Money };

const idCharsShown = 20;

const states: Record<Order['state'], string> = {
  offered: 'offered',
  claimed: 'being charged',
  granted: 'paid',
  declined: 'declined',
};

/** How an order stands, in a word. */
export function standing({ state }: Order): Html {
  return sign(states[state], state === 'declined');
}

/** Orders as a table; each leads to its own page. */
export function orders(label: string, all: readonly Shown[], note: (order: Order) => string | Html): Html {
  const row = ({ order, gone }: Shown) =>
    html`<tr><th scope="row">${link(order.id)}</th><td class="number">${usd(order.amount)}</td><td>${standing(order)}</td><td>${moment(order.createdMs)}</td><td>${order.plan}</td><td class="number">${gone === Money.zero ? '' : usd(gone)}</td><td>${note(order)}</td></tr>`;
  return table(
    label,
    ['Order', { number: 'USD' }, 'Standing', 'Made', 'Plan', { number: 'Went back' }, 'Note'],
    all.map(row),
  );
}

/** The way to an order's page, by as much of its id as tells it from others. */
export function link(order: string): Html {
  const short = order.length > idCharsShown ? `${order.slice(0, idCharsShown)}…` : order;
  return html`<a class="id" href="${pageOf(order)}">${short}</a>`;
}

export function pageOf(order: string): string {
  return `/admin/console/payments/${encodeURIComponent(order)}`;
}
