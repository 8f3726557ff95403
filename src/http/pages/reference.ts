import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import type { Entry } from '../../discovery/entry.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** A part of the reference: the operations of a service or of the storefront itself. */
export type Chapter = { slug: string; name: string; description: string; entries: readonly Entry[] };

const fieldsDepthMax = 5;

/** The chapters, each with its operations. */
export function contents(texts: Texts, chapters: readonly Chapter[]): Html {
  return html`<h1>${say(texts, 'reference.title')}</h1>
<p class="lead">${say(texts, 'reference.intro', { link: html`<a href="/openapi.json">openapi.json</a>` })}</p>
${chapters.map(
  ({
    slug,
    name,
    description,
    entries,
  }) => html`<section><h2><a href="/docs/${slug}">${name}</a></h2><p class="soft">${description}</p>
${entries.map((entry) => html`<div><a href="/docs/${slug}#${entry.id}"><code>${entry.method} ${entry.path}</code></a> <span class="soft">${entry.summary}</span></div>`)}</section>`,
)}`;
}

/** Writes schemas: `read` resolves the references of the description. */
export type SchemaWriter = { texts: Texts; read: Schema.Reader };

/** One chapter with the full description of its operations. */
export function chapter(write: SchemaWriter, { name, description, entries }: Chapter): Html {
  const { texts } = write;
  return html`<p style="margin-top:1.5rem"><a href="/docs">${say(texts, 'reference.title')}</a></p><h1>${name}</h1><p class="lead">${description}</p>
${entries.map((entry) => operation(write, entry))}`;
}

function operation(
  write: SchemaWriter,
  { id, method, path, summary, operation: described, service }: Entry,
): Html {
  const { texts, read } = write;
  const parameters = Schema.list(described.parameters).map(read);
  const body = json(read(described.requestBody), read);
  const example = body && (body.example ?? read(body.schema).example);
  const responses = Object.entries(Schema.node(described.responses));
  return html`<section id="${id}"><h2>${summary}</h2><p><code>${method} ${path}</code></p>
${Schema.text(described.description)
  .split(/\n\s*\n/)
  .map((paragraph) => html`<p>${paragraph}</p>`)}
${service === null || method === 'HEAD' ? '' : html`<p><a href="/?operation=${encodeURIComponent(`${method} ${path}`)}#try">${say(texts, 'reference.try')}</a></p>`}
${parameters.length === 0 ? '' : html`<h3>${say(texts, 'reference.parameters')}</h3><ul>${parameters.map((one) => field(write, { name: Schema.text(one.name), schema: { ...read(one.schema), description: one.description }, isRequired: one.required === true, place: Schema.text(one.in) }, fieldsDepthMax))}</ul>`}
${body === null ? '' : html`<h3>${say(texts, 'reference.body')}</h3>${fields(write, read(body.schema), 0)}`}
${example === undefined || example === null ? '' : html`<h3>${say(texts, 'reference.example')}</h3><pre tabindex="0" aria-label="${texts.text('reference.example_label')}">${JSON.stringify(example, null, 2)}</pre>`}
<h3>${say(texts, 'reference.responses')}</h3>${responses.map(([status, response]) => responseOf(write, status, read(response)))}</section>`;
}

function responseOf(write: SchemaWriter, status: string, response: Schema.Node): Html {
  const { read } = write;
  const body = json(response, read);
  const line = html`<code>${status}</code> ${Schema.text(response.description)}`;
  if (body === null) return html`<p>${line}</p>`;
  return html`<details><summary>${line}</summary>${fields(write, read(body.schema), 0)}</details>`;
}

/** The JSON content of a request body or response; null when there is none. */
function json(carrier: Schema.Node, read: Schema.Reader): Schema.Node | null {
  const content = Schema.node(carrier.content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name));
  return type === undefined ? null : read(content[type]);
}

function fields(write: SchemaWriter, schema: Schema.Node, depth: number): Html {
  const { read } = write;
  const inner = Schema.isType(schema, 'array') ? read(schema.items) : schema;
  const properties = Object.entries(Schema.node(inner.properties));
  if (properties.length === 0 || depth >= fieldsDepthMax) return html``;
  const required = Schema.list(inner.required);
  return html`<ul>${properties.map(([name, value]) => field(write, { name, schema: read(value), isRequired: required.includes(name), place: '' }, depth))}</ul>`;
}

/** `place`: where a parameter is sent, such as `query`; empty for a member of a body. */
type Field = { name: string; schema: Schema.Node; isRequired: boolean; place: string };

function field(write: SchemaWriter, { name, schema, isRequired, place }: Field, depth: number): Html {
  const { texts } = write;
  const required = isRequired ? texts.text('reference.required') : '';
  const facts = [place, kind(write, schema), required, ...bounds(texts, schema)].filter(
    (fact) => fact !== '',
  );
  return html`<li><code>${name}</code> <span class="soft">${facts.join(' · ')}</span>${schema.description ? html` ${Schema.text(schema.description)}` : ''}${fields(write, schema, depth + 1)}</li>`;
}

function kind(write: SchemaWriter, schema: Schema.Node): string {
  const { texts, read } = write;
  const types = [schema.type]
    .flat()
    .filter((type) => typeof type === 'string')
    .filter((type) => type !== 'null');
  if (types.includes('array')) {
    const type = kind(write, read(schema.items)) || texts.text('reference.values');
    return texts.text('reference.list_of', { type });
  }
  const word = Schema.text(schema.format) || joined(texts, types);
  return [schema.type].flat().includes('null') ? texts.text('reference.or_null', { type: word }) : word;
}

function joined(texts: Texts, types: readonly string[]): string {
  return types.length === 0
    ? ''
    : types.reduce((first, second) => texts.text('reference.or', { first, second }));
}

const enumShownMax = 12;

function bounds(
  texts: Texts,
  { enum: values, default: usual, minimum, maximum, maxItems, maxLength, const: only }: Schema.Node,
): string[] {
  const known = Schema.list(values).filter((value) => value !== null);
  return [
    ...(known.length > 0 ? [oneOf(texts, known)] : []),
    ...(only === undefined ? [] : [texts.text('reference.always', { value: JSON.stringify(only) })]),
    ...range(texts, minimum, maximum),
    ...(maxItems === undefined ? [] : [texts.text('reference.items_max', { limit: String(maxItems) })]),
    ...(maxLength === undefined ? [] : [texts.text('reference.chars_max', { limit: String(maxLength) })]),
    ...(usual === undefined ? [] : [texts.text('reference.default', { value: JSON.stringify(usual) })]),
  ];
}

function oneOf(texts: Texts, known: readonly unknown[]): string {
  const values = known.slice(0, enumShownMax).join(', ');
  const more = known.length - enumShownMax;
  return more > 0
    ? texts.text('reference.one_of_more', { values, more })
    : texts.text('reference.one_of', { values });
}

/** The numeric limits in words, such as `0 to 980,000` or `at least 1`. */
function range(texts: Texts, minimum: unknown, maximum: unknown): string[] {
  const written = (limit: unknown) => (typeof limit === 'number' ? texts.number(limit) : String(limit));
  if (minimum === undefined && maximum === undefined) return [];
  if (minimum === undefined) return [texts.text('reference.at_most', { limit: written(maximum) })];
  if (maximum === undefined) return [texts.text('reference.at_least', { limit: written(minimum) })];
  return [texts.text('reference.range', { minimum: written(minimum), maximum: written(maximum) })];
}
