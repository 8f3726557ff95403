import { axisEnd } from '@sluice/kernel/chart-axis';
import { html } from 'hono/html';
import * as Allowance from '../../keys/allowance.ts';
import type { Key } from '../../keys/key.ts';
import type { UsageDay } from '../../usage/usage-report.ts';
import type { Html } from './frame.ts';

export function count(value: number): string {
  return value.toLocaleString('en');
}

function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time in UTC, to the minute: `26 Nov 2026, 23:53`. */
export function moment(ms: number): Html {
  const time = new Date(ms).toISOString();
  return html`<time datetime="${time}">${day(ms)}, ${time.slice(11, 16)}</time>`;
}

/** A day in UTC: `26 Nov 2026`. */
function day(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

export function status(word: string): Html {
  return html`<span class="${word === 'active' ? 'sign' : 'sign bad'}">${word.replace('_', ' ')}</span>`;
}

/** The allowance of the storefront's key, which no month uses up: the storefront bills its own buyers. */
const practicallyUnlimited = 1_000_000_000_000;

/** Records of the running period. */
export function records(key: Key, nowMs: number): { used: string; remaining: string; resets: Html } {
  const { recordsRemaining, nextResetAtMs } = Allowance.balance(key, nowMs);
  if (recordsRemaining === null || key.recordsAllowance === null)
    return { used: 'unlimited', remaining: 'unlimited', resets: html`never` };
  if (key.recordsAllowance >= practicallyUnlimited)
    return {
      used: count(key.recordsAllowance - recordsRemaining),
      remaining: 'unlimited',
      resets: nextResetAtMs === null ? html`never` : moment(nextResetAtMs),
    };
  return {
    used: `${count(key.recordsAllowance - recordsRemaining)} of ${count(key.recordsAllowance)}`,
    remaining: count(recordsRemaining),
    resets: nextResetAtMs === null ? html`never` : moment(nextResetAtMs),
  };
}

/** The figures of a key: plan, status, records, rate limit, reset. `standing` is the word for its status, which is `revoked` for a revoked key. */
export function facts(key: Key, nowMs: number, standing: string = key.planStatus): Html {
  const { used, remaining, resets } = records(key, nowMs);
  const fact = (name: string, value: string | Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="facts">${[
    fact('Plan', key.plan),
    fact('Status', status(standing)),
    fact('Records used', used),
    fact('Remaining', remaining),
    fact('Next reset', resets),
    fact('Requests per second', count(key.requestsPerSecond)),
  ]}</dl>`;
}

/** Operations that a key may call. */
export function operations(allowed: readonly string[] | null): Html {
  if (allowed === null) return html`<p>All operations.</p>`;
  if (allowed.length === 0) return html`<p>No operation.</p>`;
  return html`<ul>${allowed.map((api) => html`<li class="id">${api}</li>`)}</ul>`;
}

/** Records by day as bars, and as a table. */
export function usage(days: readonly UsageDay[]): Html {
  const [first, last] = [days[0], days.at(-1)];
  const total = days.reduce((sum, { records }) => sum + records, 0);
  const calls = days.reduce((sum, each) => sum + each.calls, 0);
  const most = Math.max(1, ...days.map(({ records }) => records));
  const top = axisEnd(most);
  const tick = (value: number) => html`<span>${count(value)}</span>`;
  const lines = (top > 1 ? [0, 50, 100] : [0, 100]).map(
    (y) => html`<line x1="0" y1="${y}" x2="${days.length * 10}" y2="${y}"/>`,
  );
  const bar = ({ dayMs, records }: UsageDay, at: number) =>
    html`<rect x="${at * 10 + 1}" y="${100 - (records / top) * 100}" width="8" height="${(records / top) * 100}"><title>${day(dayMs)}: ${plural(records, 'record')}</title></rect>`;
  const row = ({ dayMs, calls, records }: UsageDay) =>
    html`<tr><th scope="row">${day(dayMs)}</th><td class="number">${count(calls)}</td><td class="number">${count(records)}</td></tr>`;
  const used = days.filter((each) => each.calls > 0).toReversed();
  if (calls === 0)
    return html`<section aria-labelledby="usage"><h2 id="usage">Usage</h2><p>No calls in the last ${days.length} days.</p></section>`;
  return html`<section aria-labelledby="usage"><h2 id="usage">Usage</h2>
<p>${plural(total, 'record')} in ${plural(calls, 'call')} of the last ${days.length} days.</p>
<div class="chart"><div class="y" aria-hidden="true">${tick(top)}${top > 1 ? tick(top / 2) : ''}${tick(0)}</div>
<svg viewBox="0 0 ${days.length * 10} 100" preserveAspectRatio="none" role="img" aria-label="Records by day, at most ${count(most)}">${lines}${days.map(bar)}</svg>
<div class="x" aria-hidden="true"><span>${first ? day(first.dayMs) : ''}</span><span>${last ? day(last.dayMs) : ''}</span></div></div>
${used.length === 0 ? '' : html`<details><summary>By day</summary><div class="wide" tabindex="0" role="group" aria-label="Usage by day"><table><thead><tr><th scope="col">Day</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Records</th></tr></thead><tbody>${used.map(row)}</tbody></table></div></details>`}</section>`;
}

/** The secret of a new or rotated key, which is shown on this page only. */
export function newSecret(secret: string): Html {
  return html`<section aria-labelledby="secret"><h2 id="secret">The key</h2>
<p class="note" role="status">Copy this key now. It is not stored and cannot be shown again.</p>
<pre class="secret" tabindex="0" aria-label="API key">${secret}</pre>
<p class="soft">Programs send it in the header <code>x-api-key</code>.</p></section>`;
}
