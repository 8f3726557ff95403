import { html } from 'hono/html';
import type { Delivery, ListedDelivery, Wait } from '../../../payment/event.ts';
import type { Html } from '../../pages/frame.ts';
import { moment, sign } from './figures.ts';
import { shortId } from './orders.ts';

export const path = '/admin/console/events';

/** The state of a delivery as the console names it. */
type ShownState = Delivery['state'] | 'failing';

export const stateNames: Readonly<Record<ShownState, string>> = {
  waiting: 'waiting',
  failing: 'failing',
  failed: 'given up',
  delivered: 'delivered',
};

const faultNames: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  ENOTFOUND: 'host not found',
  ETIMEDOUT: 'no connection in time',
};

/** Why an attempt failed. */
export function faultText(fault: string): string {
  return faultNames[fault] ?? fault.replace(/^status (\d+)$/, 'HTTP $1');
}

/** The state of a delivery, and below it what a waiting one waits for. */
export function stateOf({ state, wait, isFailing }: ListedDelivery, nowMs: number): Html {
  const name = stateNames[isFailing ? 'failing' : state];
  const shown = sign(name, isFailing || state === 'failed' || (state === 'waiting' && 'warn'));
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
