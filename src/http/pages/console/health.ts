import { html } from 'hono/html';
import type { Answers, LaneState } from '../../../ledger/turnover.ts';
import type { Html } from '../frame.ts';
import { amount, count, fact, moment, sign, span, table } from './figures.ts';

/** A lane that is silent for longer is taken for dead by the others. */
export const silenceMsMax = 5_000;

export type Facts = {
  /** As `/readyz` has it. */
  checks: Readonly<Record<string, boolean>>;
  lanes: readonly LaneState[];
  /** The lane of the process that answers. */
  own: string;
  /** Of the last minutes; null where their sum took too long just now. */
  answers: readonly Answers[] | null;
  answersOfMs: number;
  /** Where the upstream did not answer this process, or refused our key. */
  failures: readonly { code: string; times: number; lastMs: number }[];
  process: { version: string; upMs: number; memoryBytes: number };
};

/** Whether the shop can do its work: its checks, what the upstream answers, the ledger's lanes, its processes. */
export function health(facts: Facts): Html {
  const { checks, process } = facts;
  return html`<h1>Health</h1>
<section aria-labelledby="checks"><h2 id="checks">This process</h2>
<dl class="facts">${[
    ...Object.entries(checks).map(([name, isGood]) =>
      fact(name, isGood ? sign('ready') : sign('not ready', true)),
    ),
    fact('Up', span(process.upMs)),
    fact('Memory', `${count(Math.round(process.memoryBytes / 1_048_576))} MB`),
    fact('Node', process.version),
  ]}</dl>
<p class="soft">The same, for programs: <code>/readyz</code>, and <code>/metrics</code> with the admin token.</p></section>
${upstream(facts)}
${lanes(facts)}
<section aria-labelledby="books"><h2 id="books">Do the books add up?</h2>
<p>Lots, entries, usage, leases and orders of the whole database, put side by side in one snapshot. It reads everything, so it is a command and no page:</p>
<pre tabindex="0" aria-label="Command">npm run ledger -- prove</pre>
<p>The same for the processor’s books beside ours; with <code>-- --repair</code> it takes the steps that a lost notice would have taken:</p>
<pre tabindex="0" aria-label="Command">npm run reconcile</pre></section>`;
}

function upstream({ answers, answersOfMs, failures }: Facts): Html {
  const named = (status: number) => (status < 400 ? sign('answered') : sign('refused', status >= 500));
  const row = ({ status, calls }: Answers) =>
    html`<tr><th scope="row">${status}</th><td>${named(status)}</td><td class="number">${count(calls)}</td></tr>`;
  const failed = ({ code, times, lastMs }: Facts['failures'][number]) =>
    html`<tr><th scope="row">${code.replaceAll('_', ' ')}</th><td class="number">${count(times)}</td><td>${moment(lastMs)}</td></tr>`;
  const recent =
    answers === null
      ? html`<p class="soft">Too many to count just now.</p>`
      : answers.length === 0
        ? html`<p class="soft">No calls in the last ${span(answersOfMs)}.</p>`
        : table(
            `Answers of the last ${span(answersOfMs)}`,
            ['Status', '', { number: 'Calls' }],
            answers.map(row),
          );
  return html`<section aria-labelledby="upstream"><h2 id="upstream">Upstream, the last ${span(answersOfMs)}</h2>${recent}
${failures.length === 0 ? html`<p class="soft">It has answered this process every time since it started, and took your key.</p>` : html`<h3>No answer to this process since it started, or your key refused</h3>${table('Failures', ['What', { number: 'Times' }, 'Last'], failures.map(failed))}`}</section>`;
}

function lanes({ lanes: all, own }: Facts): Html {
  const stands = ({ isOpen, silentMs, leases }: LaneState) => {
    if (isOpen) return silentMs > silenceMsMax ? sign('silent', true) : sign('lives');
    return leases > 0 ? sign('ended, holds credit', true) : sign('ended');
  };
  const row = (it: LaneState) =>
    html`<tr><th scope="row">${it.lane}${it.lane === own ? ' (this one)' : ''}</th><td>${stands(it)}</td><td class="number">${count(it.epoch)}</td><td class="number">${span(it.silentMs)}</td><td class="number">${count(it.unfolded)}</td><td class="number">${count(it.leases)}</td><td class="number">${amount('usd', it.leased.usd)}, ${amount('unit', it.leased.units)}</td></tr>`;
  return html`<section aria-labelledby="lanes"><h2 id="lanes">Processes and their lanes of the ledger</h2>
<p class="soft">Each process sets credit aside for the calls that it serves. One that falls silent is ended by the others within seconds, and what it held goes back.</p>
${table('Lanes', ['Process', 'Standing', { number: 'Epoch' }, { number: 'Last heard' }, { number: 'Commits to fold' }, { number: 'Leases' }, { number: 'Set aside' }], all.map(row))}</section>`;
}
