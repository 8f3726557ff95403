import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import type { Html } from '../frame.ts';
import * as Markdown from '../markdown.ts';
import { say } from '../say.ts';
import { alternatives, bounds, constant, kind, type SchemaWriter } from './schema-kind.ts';

/** Deeper objects are not described: the OpenAPI document has them. */
const depthMax = 6;
/** Rows of one table with all of its nested ones. */
const rowsMax = 400;
/** Longer lists of values are folded after the first ones. */
const valuesMax = 8;
const valuesShown = 6;
/** An object with this many plain fields, such as a range, is shown without a fold. */
const shortMax = 3;
/** Objects without a description are described by this many of their fields. */
const namesMax = 5;

/** `place`: where a parameter is sent, such as `query`; empty for a member of a body. */
type Field = { name: string; schema: unknown; description: string; isRequired: boolean; place: string };
/** The part of a table: the rows that may still be written, and the names of the schemas around it. */
type Position = {
  rows: { left: number };
  within: readonly string[];
  depth: number;
  /** False for responses, where fields are present or absent and no caller has to send them. */
  isSent: boolean;
};

/** Parameters or headers, required ones first. `isSent`: false for those of responses. */
export function parameterTable(write: SchemaWriter, parameters: readonly Schema.Node[], isSent = true): Html {
  const fields = parameters.map((one) => ({
    name: Schema.text(one.name),
    schema: one.schema,
    description: Schema.text(one.description),
    isRequired: one.required === true,
    place: Schema.text(one.in),
  }));
  return table(write, fields, start(isSent), true);
}

/** The fields of a body or a response; empty when its schema names none. */
export function fieldTable(write: SchemaWriter, schema: unknown, isSent: boolean): Html {
  return nested(write, schema, start(isSent))?.table ?? html``;
}

function start(isSent: boolean): Position {
  return { rows: { left: rowsMax }, within: [], depth: 0, isSent };
}

function table(write: SchemaWriter, fields: readonly Field[], at: Position, isOuter: boolean): Html {
  const { texts } = write;
  const sorted = [...fields].sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
  const shown = sorted.slice(0, Math.max(at.rows.left, 0));
  at.rows.left -= shown.length;
  const head = html`<thead class="hidden"><tr><th scope="col">${say(texts, 'reference.field')}</th><th scope="col">${say(texts, 'reference.meaning')}</th></tr></thead>`;
  return html`<table class="fields stack">${isOuter ? head : ''}<tbody>${shown.map((field) => row(write, field, at))}</tbody></table>
${shown.length < sorted.length ? html`<p class="soft">${say(texts, 'reference.more_fields', { count: sorted.length - shown.length, link: html`<a href="/openapi.json">openapi.json</a>` })}</p>` : ''}`;
}

function row(write: SchemaWriter, field: Field, at: Position): Html {
  const { texts, read } = write;
  const schema = read(field.schema);
  const type = [field.place, kind(write, field.schema)].filter((word) => word !== '').join(' · ');
  const limited = Schema.isType(schema, 'array') ? { ...read(schema.items), ...schema } : schema;
  const limits = [...constant(texts, limited), ...(at.isSent ? bounds(texts, limited) : [])];
  const text = field.description || Schema.text(schema.description);
  const inner = at.depth < depthMax ? nested(write, field.schema, { ...at, depth: at.depth + 1 }) : null;
  const id = at.depth === 0 ? `${at.isSent ? field.place || 'body' : 'response'}-${field.name}` : null;
  const link =
    id === null
      ? ''
      : html` <a class="anchor" href="#${id}" aria-label="${texts.text('reference.link_to', { name: field.name })}"></a>`;
  return html`<tr${id === null ? '' : html` id="${id}"`}><th scope="row"><code>${field.name}</code>${link}${field.isRequired && at.isSent ? html` <span class="required">${say(texts, 'reference.required')}</span>` : ''}<br><span class="soft">${type}</span></th>
<td${text === '' ? html` class="bare"` : ''}>${text === '' && inner !== null && !inner.isShort ? html`<span class="soft">${inner.names}</span>` : Markdown.line(text)}${limits.length === 0 ? '' : html`<div class="soft">${limits.join(' · ')}</div>`}${values(write, schema, field.name)}</td></tr>
${inner === null ? '' : html`<tr class="nested"><td colspan="2">${inner.isShort ? inner.table : html`<details><summary>${say(texts, 'reference.fields_of', { count: inner.count, name: html`<code>${field.name}</code>` })}</summary>${inner.table}</details>`}</td></tr>`}`;
}

/** `names`: the first fields, for an object without a description. `isShort`: shown without a fold. */
type Nested = { table: Html; count: number; names: Html; isShort: boolean };

/** The fields of an object, or of the objects in a list; for alternatives, those of each. Null when there are none. */
function nested(write: SchemaWriter, value: unknown, at: Position): Nested | null {
  const { texts, read } = write;
  const choices = alternatives(write, value)
    .map((choice) => objectOf(write, choice))
    .filter((choice) => choice !== null);
  if (choices.length > 1) {
    const options = choices.map((choice, index) => {
      const name = Schema.text(choice.title) || Schema.text(choice.named);
      return html`<details><summary>${say(texts, 'reference.option', { number: index + 1, name })}</summary>${members(write, choice, at)?.table ?? ''}</details>`;
    });
    const count = choices.reduce(
      (sum, choice) => sum + Object.keys(Schema.node(choice.properties)).length,
      0,
    );
    return { table: html`${options}`, count, names: html``, isShort: false };
  }
  const object = objectOf(write, choices[0] ?? read(value));
  return object === null ? null : members(write, object, at);
}

function objectOf({ read }: SchemaWriter, schema: Schema.Node): Schema.Node | null {
  const inner = Schema.isType(schema, 'array') ? read(schema.items) : schema;
  const item = Schema.isType(inner, 'array') ? read(inner.items) : inner;
  return Object.keys(Schema.node(item.properties)).length > 0 ? item : null;
}

function members(write: SchemaWriter, object: Schema.Node, at: Position): Nested | null {
  const name = Schema.text(object.named);
  // A schema that contains itself is described once.
  if (at.rows.left <= 0 || (name !== '' && at.within.includes(name))) return null;
  const required = Schema.list(object.required);
  const fields = Object.entries(Schema.node(object.properties)).map(([member, schema]) => ({
    name: member,
    schema,
    description: '',
    isRequired: required.includes(member),
    place: '',
  }));
  const inside = { ...at, within: name === '' ? at.within : [...at.within, name] };
  const shown = fields.slice(0, namesMax);
  return {
    table: table(write, fields, inside, at.depth === 0),
    count: fields.length,
    isShort: fields.length <= shortMax && fields.every(({ schema }) => !hasFields(write, schema)),
    names: html`${shown.map(({ name }, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}${fields.length > namesMax ? ', …' : ''}`,
  };
}

function hasFields(write: SchemaWriter, value: unknown): boolean {
  const choices = [write.read(value), ...alternatives(write, value)];
  return choices.some((choice) => objectOf(write, choice) !== null);
}

/** The values that a field or its items may have; all but the first are folded when there are many, and a list is written once on a page. */
function values({ texts, read, lists }: SchemaWriter, schema: Schema.Node, field: string): Html {
  const listed = Schema.isType(schema, 'array') ? read(schema.items) : schema;
  const known = Schema.list(listed.enum).filter((value) => value !== null);
  const codes = (some: readonly unknown[]) =>
    some.map((value) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code> `);
  if (known.length === 0) return html``;
  const label = say(texts, 'reference.allowed');
  if (known.length <= valuesMax)
    return html`<div class="values"><span class="soft">${label}</span> ${codes(known)}</div>`;
  const first = html`<div class="values"><span class="soft">${label}</span> ${codes(known.slice(0, valuesShown))}</div>`;
  const whole = JSON.stringify(known);
  const earlier = lists?.get(whole);
  if (earlier !== undefined)
    return html`<a class="same" href="#${earlier.id}">${say(texts, 'reference.values_above', { count: known.length, field: html`<code>${earlier.field}</code>` })}</a>`;
  const id = `values-${lists?.size ?? 0}`;
  lists?.set(whole, { id, field });
  const mark = lists === undefined ? '' : html` id="${id}"`;
  return html`${first}
<details${mark}><summary>${say(texts, 'reference.all_values', { count: known.length })}</summary><div class="values all" tabindex="0" role="group" aria-label="${texts.text('reference.allowed')}" data-filter="${texts.text('reference.filter')}">${codes(known)}</div></details>`;
}
