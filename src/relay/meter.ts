import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Units, UnitsMax } from '../catalog/operation.ts';
import * as JsonPointer from '../kernel/json-pointer.ts';
import * as JsonScan from '../kernel/json-scan.ts';
import type { Streamed, Whole } from './answer.ts';
import * as Headers from './headers.ts';

/** What of a request says how many units it asks for. `query` with or without its question mark. */
export type Asking = { rawHeaders: readonly string[]; body: Buffer | null; query: string };

/** `uncountable` costs the caller nothing; its reason is for the log, as the catalogue or the upstream is at fault. */
export type Count =
  | { kind: 'counted'; units: number }
  | { kind: 'uncountable'; reason: 'not_whole' | 'not_json' | 'not_a_count' | 'undecodable' | 'no_memory' };

/** Answers longer than this are not held to be counted; also the bound of a decoded body. 32 MiB. */
export const answerBytesMax = 32 * 1024 * 1024;

/**
 * The most units that the request can cost: what is to be held before it is forwarded.
 *
 * The number stands in the body (JSON: at the pointer; a form: in the field named by the pointer's last token), in the
 * query parameter of that name where there is no body, in both for an upstream that merges them: then the larger counts.
 * Nobody naming it gives the default. Whatever another parser might read otherwise (the name twice or in disguise, a
 * content coding, a foreign charset) and whatever the upstream will clamp, refuse or take for "no limit" (zero, null,
 * text, above the ceiling) gives the ceiling: too large a hold is given back a moment later, too small a one is lost.
 */
export function worstCase(unitsMax: UnitsMax, asking: Asking): number {
  if (unitsMax.kind === 'fixed') return unitsMax.units;
  const inQuery = asking.query.length > 1 ? fieldValue(asking.query, unitsMax.pointer) : unnamed;
  if (asking.body === null || asking.body.length === 0) return bounded(inQuery, unitsMax);
  const inBody = bounded(bodyValue(asking.rawHeaders, asking.body, unitsMax.pointer), unitsMax);
  return inQuery === unnamed ? inBody : Math.max(inBody, bounded(inQuery, unitsMax));
}

/** The units that an answer carries. Only a status from 200 to 299 carries any. */
export function count(units: Units, answer: Whole | Streamed): Count {
  if (answer.status < 200 || answer.status > 299) return nothing;
  if (units.kind === 'fixed') return { kind: 'counted', units: units.units };
  if (answer.kind === 'stream') return { kind: 'uncountable', reason: 'not_whole' };
  if (answer.body.length === 0) return nothing;
  const body = decode(answer.body, Headers.first(answer.headers, 'content-encoding'));
  if (body === null) return { kind: 'uncountable', reason: 'undecodable' };
  const found = find(body, units.pointer);
  if (found === 'no_memory') return { kind: 'uncountable', reason: found };
  return found === null ? { kind: 'uncountable', reason: 'not_json' } : measure(found);
}

/** A fault here would leave the call's hold where it is. */
function find(body: Buffer, pointer: JsonPointer.JsonPointer): JsonScan.Found | null | 'no_memory' {
  try {
    return JsonScan.find(body, isMarked(body) ? 3 : 0, pointer);
  } catch (fault) {
    if (fault instanceof RangeError) return 'no_memory';
    throw fault;
  }
}

/** A longer form is not taken apart: it would hold up everybody else for what its worst case saves. */
const formBytesMax = 64 * 1024;

const nothing: Count = { kind: 'counted', units: 0 };

/** A number counts itself, an array its length, true one; false, null and nothing count zero. */
function measure(found: JsonScan.Found): Count {
  switch (found.kind) {
    case 'number':
      return Number.isSafeInteger(found.value) && found.value >= 0
        ? { kind: 'counted', units: found.value }
        : { kind: 'uncountable', reason: 'not_a_count' };
    case 'array':
      return { kind: 'counted', units: found.length };
    case 'true':
      return { kind: 'counted', units: 1 };
    case 'false':
    case 'null':
    case 'nothing':
      return nothing;
    case 'string':
    case 'object':
      return { kind: 'uncountable', reason: 'not_a_count' };
  }
}

/** The name does not occur, or occurs so that nobody can say what an upstream makes of it. */
const unnamed = Symbol('unnamed');
const doubtful = Symbol('doubtful');
type Named = number | typeof unnamed | typeof doubtful;

function bounded(named: Named, unitsMax: { default: number; ceiling: number }): number {
  if (named === unnamed) return unitsMax.default;
  if (named === doubtful || !Number.isInteger(named) || named < 1) return unitsMax.ceiling;
  return Math.min(named, unitsMax.ceiling);
}

function bodyValue(rawHeaders: readonly string[], body: Buffer, pointer: JsonPointer.JsonPointer): Named {
  const contentType = Headers.first(rawHeaders, 'content-type') ?? '';
  const coded = Headers.first(rawHeaders, 'content-encoding') !== undefined;
  if (coded || !isUtf8(body) || !charsetIsUtf8(contentType)) return doubtful;
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return fieldValue(text(body), pointer);
  if (/^multipart\//i.test(contentType)) return partValue(text(body), pointer);
  return jsonValue(text(body), pointer);
}

/** UTF-7 and its like spell the same text in other bytes. */
function charsetIsUtf8(contentType: string): boolean {
  return !/charset/i.test(contentType) || /;\s*charset="?utf-8"?\s*(?:;|$)/i.test(contentType);
}

function jsonValue(json: string, pointer: JsonPointer.JsonPointer): Named {
  const parsed = parseJson(json);
  if (parsed === undefined) return doubtful;
  const value = JsonPointer.resolve(parsed, pointer);
  const spelled = json.match(spellings(pointer))?.length ?? 0;
  if (value === undefined) return spelled === 0 ? unnamed : doubtful;
  return spelled === 1 && typeof value === 'number' ? value : doubtful;
}

const patterns = new WeakMap<JsonPointer.JsonPointer, RegExp>();

/**
 * Finds the pointer's last token as a string in any case, and every escape that could stand for a letter, digit or
 * underscore of it: found as often as the parsed value has it, the name is there once and in no other guise.
 */
function spellings(pointer: JsonPointer.JsonPointer): RegExp {
  const known = patterns.get(pointer);
  if (known !== undefined) return known;
  const token = literally(JSON.stringify(lastToken(pointer)));
  const pattern = new RegExp(`${token}|\\\\u00(?:3\\d|[46][1-9a-f]|[57][\\da]|5f)`, 'gi');
  patterns.set(pointer, pattern);
  return pattern;
}

/** A form or a query: the field that bears the token's name, once, and nothing else that mentions it. */
function fieldValue(form: string, pointer: JsonPointer.JsonPointer): Named {
  if (form.length > formBytesMax) return doubtful;
  const token = lastToken(pointer);
  const mention = token.toLowerCase();
  let found: Named = unnamed;
  for (const [name, value] of new URLSearchParams(form)) {
    if (name === token && found === unnamed && /^\d{1,9}$/.test(value)) found = Number(value);
    else if (name.toLowerCase().includes(mention) || value.toLowerCase().includes(mention)) return doubtful;
  }
  return found;
}

/** A multipart body is searched for one plain part of that name and for nothing else. */
function partValue(parts: string, pointer: JsonPointer.JsonPointer): Named {
  const token = lastToken(pointer);
  if (parts.toLowerCase().split(token.toLowerCase()).length !== 2) return doubtful;
  const part = new RegExp(
    `\\r\\ncontent-disposition: form-data; name="${literally(token)}"\\r\\n\\r\\n(\\d{1,9})\\r\\n--`,
    'i',
  ).exec(parts);
  return part === null ? doubtful : Number(part[1]);
}

function lastToken(pointer: JsonPointer.JsonPointer): string {
  return pointer.at(-1) ?? '';
}

/** A regular expression's source that matches `plain` and nothing else. */
function literally(plain: string): string {
  return plain.replace(/\W/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The body as text, without the byte order mark that some frameworks write. */
function text(body: Buffer): string {
  return body.toString('utf8', isMarked(body) ? 3 : 0);
}

function isMarked(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

/** The value, or undefined, which no JSON text has. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The body without its content coding, for an upstream that compresses although it was asked not to. */
function decode(body: Buffer, coding: string | undefined): Buffer | null {
  const limit = { maxOutputLength: answerBytesMax };
  try {
    switch (coding?.toLowerCase()) {
      case undefined:
      case 'identity':
        return body;
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, limit);
      case 'deflate':
        return inflateSync(body, limit);
      case 'br':
        return brotliDecompressSync(body, limit);
      default:
        return null;
    }
  } catch {
    return null;
  }
}
