import { html } from 'hono/html';
import { conditionOf, type LedgerWriterState, type ResponseCount } from '../../../ledger/usage-report.ts';
import type { LedgerFault, VerificationResult } from '../../../ledger/verification.ts';
import type { FailedMail } from '../../../payment/attention.ts';
import type { UncountableCount } from '../../../proxy/uncountable.ts';
import type { Html } from '../../pages/frame.ts';
import { amount, count, fact, moment, sign, span, table } from './figures.ts';

const faultsShownMax = 50;

export type HealthFacts = {
  /** The checks of `/readyz`. */
  checks: Readonly<Record<string, boolean>>;
  writers: readonly LedgerWriterState[];
  /** The writer of the process that serves this page. */
  own: string;
  /** Response counts of the last minutes; null when the query took too long. */
  answers: readonly ResponseCount[] | null;
  answersOfMs: number;
  /** Upstream failures of this process: no response, or a rejected key. */
  failures: readonly { code: string; times: number; lastMs: number }[];
  /** Successful responses that could not be counted, over all processes. */
  uncountable: readonly UncountableCount[];
  uncountableOfMs: number;
  /** Mail that was refused or expired, or that is tried again. */
  mails: readonly FailedMail[];
  /** The result of a verification that was just run; `problem` when it could not be finished. */
  verified: VerificationResult | { problem: string } | null;
  canVerify: boolean;
  process: { version: string; upMs: number; memoryBytes: number };
};

/** The checks of `/readyz` in the words of a seller. */
const checkNames: Readonly<Record<string, string>> = {
  serving: 'Shop',
  ledger: 'Ledger',
  schema: 'Database',
  upstream: 'Your API',
};

/** The state of the shop: readiness checks, upstream responses, ledger writers and processes. */
export function health(facts: HealthFacts): Html {
  const { checks, process } = facts;
  const bad = Object.values(checks).filter((isGood) => !isGood).length + facts.failures.length;
  return html`<h1>Health</h1>
<p class="${bad === 0 ? 'ok' : 'note'}">${bad === 0 ? 'Everything works.' : bad === 1 ? 'There is one problem.' : `There are ${count(bad)} problems.`}</p>
<section aria-labelledby="checks"><h2 id="checks">This process</h2>
<dl class="facts">${[
    ...Object.entries(checks).map(([name, isGood]) =>
      fact(checkNames[name] ?? name, isGood ? sign('ready') : sign('not ready', true)),
    ),
    fact('Uptime', span(process.upMs)),
  ]}</dl></section>
${upstream(facts)}
${uncountable(facts)}
${mail(facts)}
${verification(facts)}
${writers(facts)}
<section aria-labelledby="process"><h2 id="process">Technical details</h2><dl class="facts">${[
    fact('Memory', `${count(Math.round(process.memoryBytes / 1_048_576))} MB`),
    fact('Node', process.version),
  ]}</dl><p class="soft">For programs: <code>/readyz</code>, and <code>/metrics</code> with the admin token.</p></section>`;
}

function mail({ mails }: HealthFacts): Html {
  const named = { waiting: 'tried again', refused: 'refused', expired: 'expired' };
  const row = ({ state, recipient, subject, attempts, createdMs }: FailedMail) =>
    html`<tr><th scope="row">${sign(named[state], state !== 'waiting')}</th><td>${recipient ?? html`<span class="soft">erased</span>`}</td><td>${subject ?? ''}</td><td class="number">${count(attempts)}</td><td>${moment(createdMs)}</td></tr>`;
  return html`<section aria-labelledby="mail"><h2 id="mail">Mail that fails, the last 7 days</h2>
${mails.length === 0 ? html`<p class="soft">None.</p>` : html`<p class="soft">Recipient and text of a message are erased when it ends. Refused: the mailbox does not exist. Expired: it could not be sent in time.</p>${table('Failed mail', ['State', { bare: 'Recipient' }, { bare: 'Subject' }, { number: 'Attempts' }, { bare: 'Created' }], mails.map(row))}`}</section>`;
}

function verification({ verified, canVerify }: HealthFacts): Html {
  return html`<section aria-labelledby="verify"><h2 id="verify">Verify the ledger</h2>
<p>Compares the lots, entries, usage, leases and orders of the whole database in one snapshot. It changes nothing.</p>
${verified === null ? '' : verificationResult(verified)}
${canVerify ? html`<form method="post" action="/admin/console/health#verify"><input type="hidden" name="act" value="verify"><button>Verify now</button></form>` : ''}
<details><summary>Commands</summary><p>The same on the command line, without a time limit:</p>
<pre tabindex="0" aria-label="Command">npm run ledger -- verify</pre>
<p>This command compares the processor’s records with the ledger. With <code>-- --repair</code> it also applies what a lost webhook would have changed:</p>
<pre tabindex="0" aria-label="Command">npm run reconcile</pre></details></section>`;
}

function verificationResult(result: NonNullable<HealthFacts['verified']>): Html {
  if ('problem' in result) return html`<p class="note" role="alert">${result.problem}</p>`;
  const { counts, faults } = result;
  const read = `${count(counts.lots)} lots, ${count(counts.postings)} entries, ${count(counts.calls)} calls`;
  if (faults.length === 0)
    return html`<p class="ok" role="status">The ledger is consistent: ${read} were read.</p>`;
  const row = ({ rule, subject, detail }: LedgerFault) =>
    html`<tr><th scope="row">${rule}</th><td><span class="id">${subject}</span></td><td class="words">${detail}</td></tr>`;
  return html`<p class="note" role="alert">The ledger is not consistent: ${count(faults.length)} violations. Keep this page and ask for help (docs/operations.md).</p>
${table('Violations', ['Rule', 'Subject', 'Details'], faults.slice(0, faultsShownMax).map(row), 'stack')}`;
}

function upstream({ answers, answersOfMs, failures }: HealthFacts): Html {
  const named = (status: number) => (status < 400 ? sign('succeeded') : sign('failed', status >= 500));
  const row = ({ status, calls }: ResponseCount) =>
    html`<tr><th scope="row">${status}</th><td>${named(status)}</td><td class="number">${count(calls)}</td></tr>`;
  const failed = ({ code, times, lastMs }: HealthFacts['failures'][number]) =>
    html`<tr><th scope="row">${code.replaceAll('_', ' ')}</th><td class="number">${count(times)}</td><td>${moment(lastMs)}</td></tr>`;
  const recent =
    answers === null
      ? html`<p class="soft">The query took too long. Reload the page to try again.</p>`
      : answers.length === 0
        ? html`<p class="soft">No calls in the last ${span(answersOfMs)}.</p>`
        : table(
            `Responses of the last ${span(answersOfMs)}`,
            ['Status', '', { number: 'Calls' }],
            answers.map(row),
          );
  return html`<section aria-labelledby="upstream"><h2 id="upstream">Your API, the last ${span(answersOfMs)}</h2>${recent}
${failures.length === 0 ? html`<p class="soft">The upstream has responded to every request of this process since it started, and accepted your key.</p>` : html`<h3>Failures in this process since it started</h3>${table('Failures', ['Failure', { number: 'Times' }, 'Last'], failures.map(failed))}`}</section>`;
}

function uncountable({ uncountable: counts, uncountableOfMs }: HealthFacts): Html {
  const row = ({ operation, reason, calls, lastMs }: UncountableCount) =>
    html`<tr><th scope="row">${operation}</th><td>${reason.replaceAll('_', ' ')}</td><td class="number">${count(calls)}</td><td>${moment(lastMs)}</td></tr>`;
  return html`<section aria-labelledby="uncountable"><h2 id="uncountable">Uncountable responses, the last ${span(uncountableOfMs)}</h2>
${counts.length === 0 ? html`<p class="soft">Every successful response could be counted.</p>` : table('Uncountable responses', ['Operation', 'Reason', { number: 'Calls' }, 'Last'], counts.map(row))}</section>`;
}

function writers({ writers: all, own }: HealthFacts): Html {
  const status = (it: LedgerWriterState) => {
    switch (conditionOf(it)) {
      case 'running':
        return sign('running');
      case 'silent':
        return sign('silent', true);
      case 'holds_credit':
        return sign('ended, holds credit', true);
      case 'ended':
        return sign('ended');
    }
  };
  const row = (it: LedgerWriterState) =>
    html`<tr><th scope="row">${it.writer}${it.writer === own ? ' (this one)' : ''}</th><td>${status(it)}</td><td class="number">${count(it.epoch)}</td><td class="number">${span(it.silentMs)}</td><td class="number">${count(it.uncheckpointed)}</td><td class="number">${count(it.leases)}</td><td class="number">${amount('usd', it.leased.usd)}, ${amount('unit', it.leased.units)}</td></tr>`;
  return html`<section aria-labelledby="writers"><h2 id="writers">Processes</h2>
<p class="soft">Each process leases credit for the calls that it serves. When a process stops sending heartbeats, the others end its writer within seconds and release the credit that it leased.</p>
${table('Writers', ['Process', 'Status', { number: 'Starts' }, { number: 'Last heartbeat' }, { number: 'Open commits' }, { number: 'Leases' }, { number: 'Leased credit' }], all.map(row))}</section>`;
}
