import { html } from 'hono/html';
import type { RecordedCall } from '../../../ledger/usage.ts';
import type { Html } from '../../pages/frame.ts';
import { copied, count, measured, moment, money, table } from './figures.ts';
import type { PlanName } from './orders.ts';

const callsShownFirst = 10;

/** The recent calls of an account, each with its id. */
export function calls(all: readonly RecordedCall[], planName: PlanName): Html {
  const row = (call: RecordedCall) =>
    html`<tr><th scope="row"><code>${call.operation}</code>${call.model ? ` ${call.model}` : ''}</th><td>${moment(call.atMs)}</td><td class="number">${call.status}</td><td class="number">${measured(call)}</td><td class="number">${call.isReturned ? 'refunded' : money(call.cost)}</td><td>${call.plans
      .filter((plan) => plan !== '#budget')
      .map(planName)
      .join(', ')}</td><td>${copied(`call_${call.callId}`)}</td></tr>`;
  const listed = (label: string, some: readonly RecordedCall[]) =>
    table(
      label,
      [
        'Operation',
        { bare: 'When' },
        { number: 'Status' },
        { number: 'Results' },
        { number: 'Cost', onPhone: 'lead' },
        { bare: 'Plan' },
        'Id',
      ],
      some.map(row),
      'stack',
    );
  const rest = all.slice(callsShownFirst);
  return html`<section aria-labelledby="calls"><h2 id="calls">Recent calls</h2>
${all.length === 0 ? html`<p class="soft">None in the last 30 days.</p>` : listed('Calls', all.slice(0, callsShownFirst))}
${rest.length === 0 ? '' : html`<details><summary>Show ${count(rest.length)} more</summary>${listed('Earlier calls', rest)}</details>`}</section>`;
}
