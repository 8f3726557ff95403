import { html } from 'hono/html';
import * as Schema from '../../advisor/schema.ts';
import type { Entry } from '../../discovery/entry.ts';
import type { Html } from './frame.ts';

/** A part of the reference: a service, or what the storefront does itself. */
export type Chapter = { slug: string; name: string; description: string; entries: readonly Entry[] };

const fieldsDepthMax = 5;

/** The chapters, each with its operations. */
export function contents(chapters: readonly Chapter[]): Html {
  return html`<h1>Reference</h1>
<p class="lead">Every operation, what it takes and what it gives; the same as a machine reads in <a href="/openapi.json">openapi.json</a>.</p>
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

/** One chapter, with all that is said of its operations. `read` follows the references of the description. */
export function chapter({ name, description, entries }: Chapter, read: Schema.Reader): Html {
  return html`<p style="margin-top:1.5rem"><a href="/docs">Reference</a></p><h1>${name}</h1><p class="lead">${description}</p>
${entries.map((entry) => operation(entry, read))}`;
}

function operation(
  { id, method, path, summary, operation: said, service }: Entry,
  read: Schema.Reader,
): Html {
  const parameters = Schema.list(said.parameters).map(read);
  const body = json(read(said.requestBody), read);
  const example = body && (body.example ?? read(body.schema).example);
  const responses = Object.entries(Schema.node(said.responses));
  return html`<section id="${id}"><h2>${summary}</h2><p><code>${method} ${path}</code></p>
${Schema.text(said.description)
  .split(/\n\s*\n/)
  .map((paragraph) => html`<p>${paragraph}</p>`)}
${service === null || method === 'HEAD' ? '' : html`<p><a href="/?operation=${encodeURIComponent(`${method} ${path}`)}#try">Try it</a></p>`}
${parameters.length === 0 ? '' : html`<h3>Parameters</h3><ul>${parameters.map((one) => field(Schema.text(one.name), { ...read(one.schema), description: one.description }, one.required === true, read, fieldsDepthMax, Schema.text(one.in)))}</ul>`}
${body === null ? '' : html`<h3>Body</h3>${fields(read(body.schema), read, 0)}`}
${example === undefined || example === null ? '' : html`<h3>For example</h3><pre tabindex="0" aria-label="Example of a body">${JSON.stringify(example, null, 2)}</pre>`}
<h3>Answers</h3>${responses.map(([status, response]) => answer(status, read(response), read))}</section>`;
}

function answer(status: string, response: Schema.Node, read: Schema.Reader): Html {
  const body = json(response, read);
  const line = html`<code>${status}</code> ${Schema.text(response.description)}`;
  if (body === null) return html`<p>${line}</p>`;
  return html`<details><summary>${line}</summary>${fields(read(body.schema), read, 0)}</details>`;
}

/** What is carried as JSON; null where nothing is. */
function json(carrier: Schema.Node, read: Schema.Reader): Schema.Node | null {
  const content = Schema.node(carrier.content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name));
  return type === undefined ? null : read(content[type]);
}

function fields(schema: Schema.Node, read: Schema.Reader, depth: number): Html {
  const inner = Schema.isType(schema, 'array') ? read(schema.items) : schema;
  const properties = Object.entries(Schema.node(inner.properties));
  if (properties.length === 0 || depth >= fieldsDepthMax) return html``;
  const required = Schema.list(inner.required);
  return html`<ul>${properties.map(([name, value]) => field(name, read(value), required.includes(name), read, depth))}</ul>`;
}

function field(
  name: string,
  schema: Schema.Node,
  isRequired: boolean,
  read: Schema.Reader,
  depth: number,
  place = '',
): Html {
  const facts = [place, kind(schema, read), isRequired ? 'required' : '', bounds(schema)].filter(
    (fact) => fact !== '',
  );
  return html`<li><code>${name}</code> <span class="soft">${facts.join(', ')}</span>${schema.description ? html` ${Schema.text(schema.description)}` : ''}${fields(schema, read, depth + 1)}</li>`;
}

function kind(schema: Schema.Node, read: Schema.Reader): string {
  const types = [schema.type].flat().filter((type) => typeof type === 'string' && type !== 'null');
  if (types.includes('array')) return `list of ${kind(read(schema.items), read) || 'values'}`;
  const word = Schema.text(schema.format) || types.join(' or ');
  return [schema.type].flat().includes('null') ? `${word} or null` : word;
}

const enumShownMax = 12;

function bounds({
  enum: values,
  default: usual,
  minimum,
  maximum,
  maxItems,
  maxLength,
  const: only,
}: Schema.Node): string {
  const known = Schema.list(values).filter((value) => value !== null);
  const more = known.length > enumShownMax ? `, and ${known.length - enumShownMax} more` : '';
  return [
    ...(known.length > 0 ? [`one of ${known.slice(0, enumShownMax).join(', ')}${more}`] : []),
    ...(only === undefined ? [] : [`always ${JSON.stringify(only)}`]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(usual === undefined ? [] : [`else ${JSON.stringify(usual)}`]),
  ].join(', ');
}
