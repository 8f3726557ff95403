import { html } from 'hono/html';
import type { FoundAccount } from '../../../identity/account-search.ts';
import type { Html } from '../../pages/frame.ts';
import { money, pairs } from './figures.ts';
import { headingOf } from './orders.ts';

/** Shows the effects of freezing an account, or of the opposite, before it is done. */
export function confirm({ id, email, frozenMs, paid }: FoundAccount): Html {
  const isFrozen = frozenMs !== null;
  const [act, name] = isFrozen ? ['unfreeze', 'Unfreeze'] : ['freeze', 'Freeze'];
  const effects = isFrozen
    ? ['Its keys and tokens work again.', 'It can call and buy, with the balance that was kept.']
    : [
        'Its API calls are refused at once.',
        'It cannot buy, and automatic top-ups stop. Subscriptions are not cancelled: they renew until you cancel them.',
        'The balance is kept. The account can be unfrozen at any time.',
      ];
  return html`<h1>${name} this account?</h1>
<section class="narrow">${pairs([
    ['Account', email === null ? 'without email' : headingOf(email)],
    ['Id', html`<span class="id">${id}</span>`],
    ['Paid', money(paid)],
  ])}
<h2>Effects</h2><ul>${effects.map((effect) => html`<li>${effect}</li>`)}</ul>
<form method="post" action="/admin/console/accounts/${id}"><input type="hidden" name="act" value="${act}">
<label for="reason">Reason, for the audit log</label><input id="reason" name="reason" maxlength="500" autocomplete="off" required>
<div class="actions"><button class="${isFrozen ? '' : 'danger'}">${name} account</button><a class="button plain" href="/admin/console/accounts/${id}">Cancel</a></div></form></section>`;
}
