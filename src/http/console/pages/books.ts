import { html } from 'hono/html';
import type { BooksCheck } from '../../../journeys/books-check.ts';
import type { Html } from '../../pages/frame.ts';
import { actor } from './audit.ts';
import { count, many, moment } from './figures.ts';
import { explain, hasBareNumbers } from './ledger-rules.ts';

type BooksFacts = { checked: BooksCheck | null; checkProblem: string | null; canVerify: boolean };

/** The last check of the books, and the form that checks them now. */
export function books({ checked, checkProblem, canVerify }: BooksFacts): Html {
  return html`<section aria-labelledby="verify"><h2 id="verify">Check the books</h2>
<p>Compares all credit, calls and orders with each other. It changes nothing.</p>
${checkProblem === null ? '' : html`<p class="note" role="alert">${checkProblem}</p>`}${checked === null ? '' : result(checked)}
${canVerify ? html`<form method="post" action="/admin/console/health#verify"><input type="hidden" name="act" value="verify"><button class="plain">Check now</button></form>` : ''}
<details ${checked !== null && checked.violations > 0 ? 'open' : ''}><summary>Commands</summary><p>The same on the command line, without a time limit:</p>
<pre tabindex="0" aria-label="Command">npm run ledger -- verify</pre>
<p>This command compares the processor’s records with the ledger. With <code>-- --repair</code> it also applies what a lost webhook would have changed:</p>
<pre tabindex="0" aria-label="Command">npm run reconcile</pre></details></section>`;
}

function result({ atMs, who, counts, violations, faults }: BooksCheck): Html {
  const read = `${many(counts.lots, 'credit')}, ${many(counts.postings, 'entry', 'entries')} and ${many(counts.calls, 'call')}`;
  const when = html`<p class="soft">Last checked ${moment(atMs)} by ${actor(who).name}.</p>`;
  if (violations === 0)
    return html`<p class="ok" role="status">The books agree: ${read} compared.</p>${when}`;
  const rest = violations - faults.length;
  const all = faults.map((fault) => ({ ...explain(fault), subject: fault.subject }));
  const row = ({ what, effect, details, subject }: (typeof all)[number]) =>
    html`<li><p><b>${what}</b></p>${effect === null ? '' : html`<p>${effect}</p>`}<p class="id">${subjectLink(subject)}</p>${details === '' ? '' : html`<p class="soft">${details}</p>`}</li>`;
  return html`<div class="note" role="alert"><p><b>The books do not agree: ${many(violations, 'difference')}.</b></p><ol>
<li>Open the purchases and accounts below, and compare them with the pages of your card processor.</li>
<li>Run <code>npm run reconcile</code> on the server of the shop (see Commands below): it compares the purchases with the card processor, and can repair what a lost message caused. Then check again here.</li>
<li>If a difference remains, make a backup of the database and do not change its tables. Send this list and the output of <code>npm run ledger -- verify</code> to the developer who runs the shop.</li></ol></div>${when}
<ul class="log">${all.map(row)}</ul>${rest > 0 ? html`<p class="soft">${count(rest)} more: the command below lists all.</p>` : ''}
${all.some(({ details }) => hasBareNumbers(details)) ? html`<p class="soft">Numbers without a currency are results or millionths of a dollar (1,000,000 are 1.00 USD).</p>` : ''}<p class="soft">This result is kept here and in the audit log until the next check.</p>`;
}

/** The row that a difference was found in, as a link where it has a page. */
function subjectLink(subject: string): Html {
  const account = /^acc_[^/ ]+/.exec(subject)?.[0];
  if (account !== undefined) return html`<a href="/admin/console/accounts/${account}">${subject}</a>`;
  return subject.startsWith('pur_')
    ? html`<a href="/admin/console/payments/${subject}">${subject}</a>`
    : html`${subject}`;
}
