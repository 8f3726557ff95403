import { html } from 'hono/html';
import type { ListedDelivery, Wait } from '../../../payment/event.ts';
import type { Html } from '../../pages/frame.ts';
import { moment, sign } from './figures.ts';
import { shortId } from './orders.ts';

export const path = '/admin/console/events';

/** The state of a delivery, and below it what a waiting one waits for. */
export function stateOf({ state, wait, isTried }: ListedDelivery, nowMs: number): Html {
  const shown =
    state === 'waiting' && isTried
      ? sign('failing', true)
      : sign(state, state === 'failed' || (state === 'waiting' && 'warn'));
  return wait === null ? shown : html`${shown}<small>${waitOf(wait, nowMs)}</small>`;
}

function waitOf({ isOn, after, isUnderWay, dueMs }: Wait, nowMs: number): Html {
  if (!isOn) return html`until the endpoint is enabled`;
  if (after !== null) return html`for an earlier event of the account`;
  if (isUnderWay) return html`being sent`;
  return dueMs <= nowMs ? html`sent in a moment` : html`next attempt ${moment(dueMs)}`;
}

/** The account of an event; a test event has none. */
export function accountLink(account: string): Html {
  return account === ''
    ? html``
    : html`<a class="id" href="/admin/console/accounts/${account}">${shortId(account)}</a>`;
}
