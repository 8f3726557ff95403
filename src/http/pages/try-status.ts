import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';
import type { TrialOutcome } from './try-it.ts';

/** The status of a response in words, its time and size, its cost, and the rest of the credit. */
export function tryStatus(
  texts: Texts,
  { status, figures }: Pick<Extract<TrialOutcome, { kind: 'whole' }>, 'status' | 'figures'>,
): Html {
  const words = STATUS_CODES[status];
  const rows = [
    ['try.status', words === undefined ? String(status) : `${status} ${words}`],
    ['try.status_time', figures.time],
    ['try.status_size', figures.size],
    ['try.status_cost', figures.cost],
    ['try.status_left', figures.left],
  ] as const;
  return html`<div class="ok" role="status"><dl class="outcome">${rows.map(([key, value]) => (value === undefined ? '' : html`<div><dt>${say(texts, key)}</dt><dd>${value}</dd></div>`))}</dl></div>`;
}
