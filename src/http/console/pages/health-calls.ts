import { html } from 'hono/html';
import type { Uncountable } from '../../../catalog/operation.ts';
import type { LedgerWriterState, ResponseCount } from '../../../ledger/usage-report.ts';
import type { UncountableCount } from '../../../proxy/uncountable.ts';
import type { Html } from '../../pages/frame.ts';
import { count, moment, sign, span, table, words } from './figures.ts';

/** `rule`: how the catalogue handles such responses of the operation; null for an operation that it has no longer. */
export type UncountedResponse = UncountableCount & { rule: Uncountable | null };

/** The facts of the health page about calls. */
export type CallFacts = {
  /** The checks of `/readyz`. */
  checks: Readonly<Record<string, boolean>>;
  writers: readonly LedgerWriterState[];
  /** Response counts of the last minutes; null when the query took too long. */
  answers: readonly ResponseCount[] | null;
  answersOfMs: number;
  /** Upstream failures of buyers' calls in this process: no response, or a rejected key. `recent`: those of the last minutes. */
  failures: readonly { code: string; times: number; recent: number; lastMs: number }[];
  /** Successful responses that could not be counted, or not charged in full, over all processes. */
  uncountable: readonly UncountedResponse[];
  uncountableOfMs: number;
};

const failureNames: Readonly<Record<string, readonly [name: string, short: string]>> = {
  upstream_unavailable: ['your API did not answer', 'no answer'],
  upstream_timeout: ['your API did not answer in time', 'no answer in time'],
  upstream_refused: ['your API rejected its key', 'key rejected'],
};

type Failure = CallFacts['failures'][number];

/** The recent responses of the upstream to calls of buyers, and its failures since the start. */
export function upstream({ checks, answers, answersOfMs, failures, writers }: CallFacts): Html {
  const named = (status: number) =>
    status < 400 ? sign('succeeded') : status < 500 ? sign('refused', 'past') : sign('failed', true);
  const row = ({ status, calls }: ResponseCount) =>
    html`<tr><th scope="row">${status}</th><td>${named(status)}</td><td class="number">${count(calls)}</td></tr>`;
  const unanswered = ({ code, recent }: Failure) =>
    html`<tr><th scope="row">${failureNames[code]?.[1] ?? words(code)}</th><td>${sign('failed', true)}</td><td class="number">${count(recent)}</td></tr>`;
  const failed = ({ code, times, lastMs }: Failure) =>
    html`<tr><th scope="row">${failureNames[code]?.[0] ?? words(code)}</th><td class="number">${count(times)}</td><td>${moment(lastMs)}</td></tr>`;
  const missed = failures.filter(({ recent }) => recent > 0);
  const isAlone = writers.filter(({ isOpen }) => isOpen).length < 2;
  const time = span(answersOfMs).replace('min', 'minutes');
  const recent =
    answers === null
      ? html`<p class="soft">The query took too long. Reload the page to try again.</p>`
      : answers.length + missed.length === 0
        ? html`<p class="soft">No calls in the last ${time}.</p>`
        : html`${table(
            `Responses of the last ${time}`,
            ['Status', { bare: 'Result' }, { number: 'Calls' }],
            [...answers.map(row), ...missed.map(unanswered)],
            'slim',
          )}${isAlone || missed.length === 0 ? '' : html`<p class="soft">Calls without an answer are those of the process that shows this page.</p>`}`;
  const now = checks.upstream === false ? 'It does not answer now, either.' : 'It answers again now.';
  const since = `since ${isAlone ? 'the shop' : 'this process'} started`;
  return html`<section aria-labelledby="upstream"><h2 id="upstream">Your API, the last ${time}</h2><div class="narrow">${recent}</div>
${failures.length === 0 && checks.upstream === false ? html`<p class="soft">It does not answer the check of its health. No call has failed since the shop started.</p>` : failures.length === 0 ? html`<p class="soft">It has answered every request since the shop started, and accepted your key.</p>` : html`<h3>Times your API failed, ${since}</h3><p class="soft">${now}</p>${table('Failures', ['Failure', { number: 'Times' }, 'Last'], failures.map(failed), 'slim')}`}</section>`;
}

const reasonNames: Readonly<Record<string, string>> = {
  missing: 'no count in the response',
  not_json: 'the response is not JSON',
  not_a_count: 'the count is not a whole number',
  not_whole: 'the response is too long or a stream',
  undecodable: 'the response cannot be decoded',
  above_hold: 'more results than were reserved',
  above_units_max: 'more results than the operation allows',
};

/** Returns true for calls that cost more than was set aside for them: their results were counted. */
export function isAboveHold({ reason }: UncountableCount): boolean {
  return reason === 'above_hold' || reason === 'above_units_max';
}

const most = 'the most that the call could cost';

/** Describes the charge for such a response. */
function charged({ reason, rule }: UncountedResponse): string {
  if (reason === 'above_hold') return 'only what was reserved';
  if (rule === null) return 'unknown: the catalogue has no such operation now';
  if (reason === 'undecodable') return 'nothing; it was not delivered';
  if (rule === 'max') return most;
  if (reason === 'above_units_max') return `nothing; for a stream or a job, ${most}`;
  return rule === 'free' ? 'nothing; it was delivered' : 'nothing; not delivered, unless it was a stream';
}

/** The responses that were not charged by their number of results. */
export function responses({ uncountable: counts, uncountableOfMs }: CallFacts): Html {
  const row = (one: UncountedResponse) =>
    html`<tr><th scope="row">${one.operation}</th><td>${reasonNames[one.reason] ?? words(one.reason)}</td><td>${charged(one)}</td><td class="number">${count(one.calls)}</td><td>${moment(one.lastMs)}</td></tr>`;
  return html`<section aria-labelledby="uncountable"><h2 id="uncountable">Responses charged otherwise than usual, the last ${span(uncountableOfMs)}</h2>
<p class="soft">Calls whose results could not be counted, or that cost more than was set aside for them.</p>
${counts.length === 0 ? html`<p>Every successful response could be counted.</p>` : table('Responses charged otherwise than usual', ['Operation', { bare: 'Reason' }, 'Charged', { number: 'Calls', onPhone: 'lead' }, { bare: 'Last' }], counts.map(row), 'stack')}</section>`;
}
