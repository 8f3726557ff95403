import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import type { Html } from '../frame.ts';
import * as Markdown from '../markdown.ts';
import { say } from '../say.ts';
import type { OperationPage } from './outline.ts';
import type { SchemaWriter } from './schema-kind.ts';

/** A response that is no success, with the text by which it is recognised in other operations. */
type Refusal = { status: string; key: string; description: string };
/** The refusals of most operations, which the overview describes once. */
export type CommonRefusals = { list: readonly Refusal[]; keys: ReadonlySet<string> };

/** The share of the sold operations that have a common refusal. */
const commonShare = 0.75;

export function commonRefusals({ read }: SchemaWriter, pages: readonly OperationPage[]): CommonRefusals {
  const sold = pages.filter((page) => page.sold !== null);
  const found = new Map<string, Refusal & { count: number }>();
  for (const { entry } of sold)
    for (const refusal of refusalsOf(read, entry.operation))
      found.set(refusal.key, { ...refusal, count: (found.get(refusal.key)?.count ?? 0) + 1 });
  const list = [...found.values()]
    .filter(({ count }) => count >= sold.length * commonShare)
    .sort((a, b) => a.status.localeCompare(b.status));
  return { list, keys: new Set(list.map(({ key }) => key)) };
}

function refusalsOf(read: Schema.Reader, operation: Schema.Node): Refusal[] {
  return Object.entries(Schema.node(operation.responses))
    .filter(([status]) => !isSuccess(status))
    .map(([status, response]) => ({
      status,
      key: `${status} ${JSON.stringify(response)}`,
      description: Schema.text(read(response).description),
    }));
}

export function isSuccess(status: string): boolean {
  return /^[123]/.test(status);
}

/** The refusals of an operation: its own, and in short those that all operations have, with a link to more about them. */
export function ownRefusals(write: SchemaWriter, operation: Schema.Node, common: CommonRefusals): Html {
  const { texts, read } = write;
  const all = refusalsOf(read, operation);
  if (all.length === 0) return html``;
  const isShared = ({ key }: Refusal) => common.keys.has(key);
  const shown = all.map((one) =>
    isShared(one) ? { ...one, description: firstSentence(one.description) } : one,
  );
  return html`<details><summary><h2 id="errors">${say(texts, 'reference.errors')}</h2></summary>
${refusalTable(write, shown)}
${all.some(isShared) ? html`<p class="soft">${say(texts, 'reference.common_errors', { link: html`<a href="/docs#errors">${say(texts, 'reference.common_errors_link')}</a>` })}</p>` : ''}</details>`;
}

export function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/, 1)[0] ?? '';
}

export function refusalTable({ texts }: SchemaWriter, refusals: readonly Refusal[]): Html {
  return html`<table class="fields statuses stack"><thead class="hidden"><tr><th scope="col">${say(texts, 'reference.status')}</th><th scope="col">${say(texts, 'reference.meaning')}</th></tr></thead>
<tbody>${refusals.map(({ status, description }) => html`<tr><th scope="row"><code>${status === 'default' ? say(texts, 'reference.any_other_status') : status}</code></th><td>${Markdown.blocks(description)}</td></tr>`)}</tbody></table>`;
}
