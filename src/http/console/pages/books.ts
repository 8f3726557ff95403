import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { BooksCheck } from '../../../journeys/books-check.ts';
import type { LedgerFault } from '../../../ledger/verification.ts';
import type { Html } from '../../pages/frame.ts';
import { actor } from './audit.ts';
import { count, many, moment, money } from './figures.ts';

type BooksFacts = { checked: BooksCheck | null; checkProblem: string | null; canVerify: boolean };

/** Rules about payments: the numbers in their details are sums. */
const sumRules: ReadonlySet<string> = new Set([
  'an order has its payment',
  'a payment has its order',
  'no more tax goes back than was paid',
]);

/** The last check of the books, and the form that checks them now. */
export function books({ checked, checkProblem, canVerify }: BooksFacts): Html {
  return html`<section aria-labelledby="verify"><h2 id="verify">Check the books</h2>
<p>Compares all credit, calls and orders with each other. It changes nothing.</p>
${checkProblem === null ? '' : html`<p class="note" role="alert">${checkProblem}</p>`}${checked === null ? '' : result(checked)}
${canVerify ? html`<form method="post" action="/admin/console/health#verify"><input type="hidden" name="act" value="verify"><button class="plain">Check now</button></form>` : ''}
<details><summary>Commands</summary><p>The same on the command line, without a time limit:</p>
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
  const row = ({ rule, subject, detail }: LedgerFault) =>
    html`<li><p><b>Violated: ${rule}</b></p><p class="id">${subject}</p><p>${inDollars(rule, detail)}</p></li>`;
  return html`<p class="note" role="alert">The books do not agree: ${many(violations, 'violation')}. Ask for help (docs/operations.md). The result is kept here and in the audit log until the next check.</p>${when}
<ul class="log">${faults.map(row)}</ul>${rest > 0 ? html`<p class="soft">${count(rest)} more: the command below lists all.</p>` : ''}
<p class="soft">Numbers without a currency are results or millionths of a dollar (1,000,000 are 1.00 USD).</p>`;
}

/** The details of a violation with its sums in dollars, where it is certain that they are sums. */
function inDollars(rule: string, detail: string): string {
  const sum = (digits: string) => money(Money.ofMicro(Number(digits)));
  return sumRules.has(rule)
    ? detail.replace(/(?<![\w.-])\d{1,15}(?![\w.-])/g, sum)
    : detail.replace(/\b(\d{1,15}) micro-dollars/g, (_, digits: string) => sum(digits));
}
