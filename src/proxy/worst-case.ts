import { isUtf8 } from 'node:buffer';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import type { UnitsMax } from '../catalog/operation.ts';
import * as ByteOrderMark from './byte-order-mark.ts';
import * as ClearJson from './clear-json.ts';
import * as FormField from './form-field.ts';
import * as FormText from './form-text.ts';
import * as Headers from './headers.ts';
import type { PricedRequest } from './priced-request.ts';

/** The parts of a request that can say how many units it asks for. `query` may start with a question mark. */
export type Asking = { rawHeaders: readonly string[]; body: Buffer | null; query: string };

/** The most units that a request can cost. When parsers may disagree about the request, `isClear` is false and `units` is the ceiling. */
export type WorstCase = {
  units: number;
  isClear: boolean;
  /** The request to a service with meters, whose units are micro-dollars. */
  priced?: PricedRequest;
};

/**
 * Returns the most units that the request can cost; that many are held before the request is forwarded.
 *
 * The number is in the body: in JSON at the pointer, in a form in the field named by the pointer's last token. Without a body it is
 * in the query parameter of that name. For an upstream that merges body and query, the larger number counts. A request that
 * does not name it, or names it `null`, costs the default. The request is unclear when another parser might read it
 * differently (the name occurs twice or disguised, a content coding, another charset) and when the upstream would clamp or refuse
 * the number (zero, a text, above the ceiling).
 */
export function worstCase(unitsMax: UnitsMax, asking: Asking): WorstCase {
  if (unitsMax.kind === 'fixed') return { units: unitsMax.units, isClear: true };
  const { rawHeaders, body, query } = asking;
  const inQuery =
    query.length > 1 ? FormField.ofForm(withoutMark(query), lastToken(unitsMax.pointer)) : 'unnamed';
  if (body === null || body.length === 0) return bounded(inQuery, unitsMax);
  const inBody = bounded(bodyValue(rawHeaders, body, unitsMax.pointer), unitsMax);
  if (inQuery === 'unnamed') return inBody;
  const beside = bounded(inQuery, unitsMax);
  return { units: Math.max(inBody.units, beside.units), isClear: inBody.isClear && beside.isClear };
}

/** Returns the most units that any request to the operation can cost, as published by the shop. */
export function ceiling(unitsMax: UnitsMax): number {
  return unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
}

function bounded(
  named: FormField.Field,
  { default: usual, ceiling }: { default: number; ceiling: number },
): WorstCase {
  if (named === 'unnamed') return { units: usual, isClear: true };
  if (named === 'unclear' || !Number.isInteger(named) || named < 1 || named > ceiling)
    return { units: ceiling, isClear: false };
  return { units: named, isClear: true };
}

function bodyValue(
  rawHeaders: readonly string[],
  body: Buffer,
  pointer: JsonPointer.JsonPointer,
): FormField.Field {
  const contentType = Headers.first(rawHeaders, 'content-type') ?? '';
  const coded = Headers.first(rawHeaders, 'content-encoding') !== undefined;
  if (coded || !isUtf8(body) || !charsetIsUtf8(contentType)) return 'unclear';
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return FormField.ofForm(text(body), lastToken(pointer));
  if (/^multipart\//i.test(contentType)) return multipartValue(body, contentType, pointer);
  // Some parsers take the first of two members with one name, and some ignore its case.
  if (pointer.length > 1 && ClearJson.reader(body)(pointer).kind === 'unclear') return 'unclear';
  return jsonValue(text(body), pointer);
}

function multipartValue(
  body: Buffer,
  contentType: string,
  pointer: JsonPointer.JsonPointer,
): FormField.Field {
  const found = FormText.multipartSource(body, contentType)(pointer);
  return found.kind === 'number' ? found.value : 'unclear';
}

/** Rejects UTF-7 and similar charsets, which spell the same text in other bytes. */
function charsetIsUtf8(contentType: string): boolean {
  return !/charset/i.test(contentType) || /;\s*charset="?utf-8"?\s*(?:;|$)/i.test(contentType);
}

function jsonValue(json: string, pointer: JsonPointer.JsonPointer): FormField.Field {
  const parsed = parseJson(json);
  if (parsed === undefined) return 'unclear';
  const value = JsonPointer.resolve(parsed, pointer);
  const spelled = json.match(spellings(pointer))?.length ?? 0;
  if (value === undefined) return spelled === 0 ? 'unnamed' : 'unclear';
  if (spelled !== 1) return 'unclear';
  // Some clients send every field, and null for those that have no value.
  if (value === null) return 'unnamed';
  return typeof value === 'number' ? value : 'unclear';
}

const patterns = new WeakMap<JsonPointer.JsonPointer, RegExp>();

/**
 * Returns an expression that finds the pointer's last token as a string in any case, and every escape that could spell a letter,
 * digit or underscore of it. When it matches as often as the parsed value has the name, the name occurs once and undisguised.
 */
function spellings(pointer: JsonPointer.JsonPointer): RegExp {
  const known = patterns.get(pointer);
  if (known !== undefined) return known;
  const token = FormField.literally(JSON.stringify(lastToken(pointer)));
  const pattern = new RegExp(`${token}|\\\\u00(?:3\\d|[46][1-9a-f]|[57][\\da]|5f)`, 'gi');
  patterns.set(pointer, pattern);
  return pattern;
}

function lastToken(pointer: JsonPointer.JsonPointer): string {
  return pointer.at(-1) ?? '';
}

function withoutMark(query: string): string {
  return query[0] === '?' ? query.slice(1) : query;
}

/** Returns the body as text, without the byte order mark that some frameworks write. */
function text(body: Buffer): string {
  return body.toString('utf8', ByteOrderMark.lengthOf(body));
}

/** Returns the value, or undefined (which no JSON text represents) when the text is not JSON. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
