import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import type { Html } from '../frame.ts';
import type { OperationPage } from './outline.ts';

const charsMax = 160;
const fieldDepthMax = 4;
const fieldsMax = 500;

/** A text of an operation that a search may have matched; `name`: its field, or '' for the description of the operation. */
type Place = { name: string; text: string };

/**
 * The field of exactly this name, with its path, or else the sentence or field of an operation in which a search found a word, with that word marked; the first sentence of its description where the
 * match is in its title alone.
 */
export function snippet(read: Schema.Reader, page: OperationPage, words: string): Html {
  const { operation } = page.entry;
  const sentences = sentencesOf(`${Schema.text(operation.description)} ${page.chapter.description}`);
  const found = wordIn(words);
  const places = [...sentences.map((text) => ({ name: '', text })), ...fieldsOf(read, operation)];
  const place =
    found === null
      ? undefined
      : (places.find(({ name }) => isCalled(name, words)) ??
        places.find(({ name, text }) => found.test(`${spaced(name)} ${text}`)));
  const { name, text } = place ?? { name: '', text: sentences[0] ?? '' };
  if (isCalled(name, words)) return html`<code><mark>${name}</mark></code> ${shortened(text, null)}`;
  return html`${name === '' ? '' : html`<code>${name}</code> `}${marked(shortened(text, found), found)}`;
}

/** Matches a word that begins like one of `words`, without its ending; null for no words. */
function wordIn(words: string): RegExp | null {
  const stems = (words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed|y)$/, '') : word,
  );
  return stems.length === 0
    ? null
    : new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join('|')})[\\p{L}\\p{N}]*`, 'iu');
}

function sentencesOf(text: string): string[] {
  return text
    .replaceAll('`', '')
    .split(/(?<=[.!?])\s+|\n{2,}/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

/** The fields of the request and the response, with their descriptions, those of upper levels first. */
function fieldsOf(read: Schema.Reader, operation: Schema.Node): Place[] {
  const parameters = Schema.list(operation.parameters)
    .map(read)
    .filter((one) => one.in !== 'header')
    .map((one) => ({ name: Schema.text(one.name), text: plain(one.description) }));
  const success = Object.entries(Schema.node(operation.responses)).filter(([status]) => /^2/.test(status));
  const bodies = [operation.requestBody, ...success.map(([, response]) => response)].flatMap((holder) =>
    Object.values(Schema.node(read(holder).content)).slice(0, 1),
  );
  return [...parameters, ...bodies.flatMap((media) => membersOf(read, read(media).schema))];
}

function membersOf(read: Schema.Reader, schema: unknown): Place[] {
  const found: Place[] = [];
  let level = [{ above: '', schema }];
  for (let depth = 0; depth < fieldDepthMax && found.length < fieldsMax; depth++)
    level = level.flatMap(({ above, schema }) => {
      if (found.length >= fieldsMax) return [];
      const own = read(schema);
      const inner = Schema.isType(own, 'array') ? read(own.items) : own;
      return Object.entries(Schema.node(inner.properties)).map(([key, value]) => {
        const name = `${above}${key}`;
        found.push({ name, text: plain(read(value).description) });
        return { above: `${name}.`, schema: value };
      });
    });
  return found;
}

/** Returns true for an operation with a field of exactly this name, or with this path. */
export function hasField(read: Schema.Reader, page: OperationPage, said: string): boolean {
  return fieldsOf(read, page.entry.operation).some(({ name }) => isCalled(name, said));
}

/** Returns true when a field has exactly this name or path, in any case. */
function isCalled(path: string, said: string): boolean {
  const [a, b] = [path, said].map((name) => name.trim().toLowerCase());
  return path !== '' && (a === b || a?.endsWith(`.${b}`) === true);
}

function plain(description: unknown): string {
  return Schema.text(description).replaceAll('`', '').replace(/\s+/g, ' ').trim();
}

/** A name as words: `job_title.include` and `jobTitle` as `job title`. */
function spaced(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ');
}

/** The part of a long text around the match. */
function shortened(text: string, found: RegExp | null): string {
  if (text.length <= charsMax) return text;
  const at = found === null ? 0 : Math.max(text.search(found), 0);
  const start = at < charsMax / 2 ? 0 : text.indexOf(' ', at - charsMax / 2) + 1;
  const part = text.slice(start, start + charsMax).replace(/\s+\S*$/, '');
  return `${start === 0 ? '' : '… '}${part}${start + part.length < text.length ? ' …' : ''}`;
}

function marked(text: string, found: RegExp | null): Html {
  const match = found?.exec(text) ?? null;
  if (match === null) return html`${text}`;
  const [word] = match;
  return html`${text.slice(0, match.index)}<mark>${word}</mark>${text.slice(match.index + word.length)}`;
}
