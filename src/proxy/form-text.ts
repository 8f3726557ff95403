import { isUtf8 } from 'node:buffer';
import type { JsonPointer } from '@sluice/kernel/json-pointer';
import * as ClearJson from './clear-json.ts';

/** Longer forms and queries are not parsed, because that would delay every other caller. */
const formBytesMax = 64 * 1024;
/** Some servers decode percent-encoding more than once. */
const decodingsMax = 3;

const unclear: ClearJson.ClearValue = { kind: 'unclear' };
const unnamed: ClearJson.ClearValue = { kind: 'unnamed' };

/** Returns false for a content type with another charset than UTF-8, in which the same bytes are another text. */
export function isPlain(contentType: string): boolean {
  return !/charset/i.test(contentType) || /;\s*charset="?utf-8"?\s*(?:;|$)/i.test(contentType);
}

/** Returns every name and value of a query, which may contain a name for a parser with other separators. */
export function names(query: string): string[] {
  if (query === '') return [];
  if (query.length > formBytesMax) return ['*'];
  return [...new URLSearchParams(query)].flatMap(([name, value]) =>
    /[;&[\]=]/.test(value) ? [name, value] : [name],
  );
}

/** Returns true when some parser could find the folded name in a text. */
export function mentions(text: string, folded: string): boolean {
  if (text === '*') return true;
  let plain = text;
  for (let times = 0; times < decodingsMax && plain.includes('%'); times++)
    plain = plain.replace(/%[0-9a-f]{2}/gi, (octet) =>
      String.fromCharCode(Number.parseInt(octet.slice(1), 16)),
    );
  return [plain, ...plain.split(/[[\].;&= ]/)].some((part) => ClearJson.fold(part) === folded);
}

/** Reads the text of the only field called `name` of a form or query. */
export function field(form: string, name: string): ClearJson.ClearValue {
  if (form.length > formBytesMax || /^[\s\ufeff]*[{[]|\\/.test(form)) return unclear;
  const folded = ClearJson.fold(name);
  let found: ClearJson.ClearValue = unnamed;
  for (const [key, value] of new URLSearchParams(form)) {
    if (key === name && found === unnamed && !/[;&[\]=]/.test(value)) found = asValue(value);
    else if (mentions(key, folded) || (/[;&[\]=]/.test(value) && mentions(value, folded))) return unclear;
  }
  return found;
}

/** A form has texts only; a plain number is read as one. */
function asValue(value: string): ClearJson.ClearValue {
  return /^(0|[1-9]\d{0,8})$/.test(value)
    ? { kind: 'number', value: Number(value) }
    : { kind: 'text', value };
}

export function formSource(body: Buffer): (pointer: JsonPointer) => ClearJson.ClearValue {
  if (!isUtf8(body)) return () => unclear;
  const form = body.toString('utf8');
  return (pointer) => field(form, pointer.at(-1) ?? '');
}

/**
 * Reads the plain fields of a multipart body by the last token of a pointer. Every part must be written in the usual
 * form, so that no other parser finds another field of that name, or stops before it.
 */
export function multipartSource(
  body: Buffer,
  contentType: string,
): (pointer: JsonPointer) => ClearJson.ClearValue {
  const text = body.toString('latin1');
  const boundary = boundaryOf(contentType);
  if (boundary === null || !isFramed(text, boundary)) return () => unclear;
  const dispositions = text.match(/content-disposition/gi)?.length ?? 0;
  // Names of headers have any case, and a boundary has one.
  const header = 'content-disposition: form-data; name='.replace(
    /[a-z]/g,
    (letter) => `[${letter}${letter.toUpperCase()}]`,
  );
  const usual = new RegExp(
    `(?:^|\\r\\n)--${escaped(boundary)}\\r\\n${header}"[\\w.[\\]-]+"(?:; filename="[^"\\r\\n\\\\]*")?\\r\\n`,
    'g',
  );
  if (dispositions === 0 || (text.match(usual)?.length ?? 0) !== dispositions) return () => unclear;
  if (/_charset_|\r\n--[^\r\n]*\r\n(?!content-disposition: |$)/i.test(text)) return () => unclear;
  const lower = text.toLowerCase();
  return (pointer) => {
    const name = pointer.at(-1) ?? '';
    const folded = ClearJson.fold(name);
    const named = [...lower.matchAll(/name="([^"\r\n]*)"/g)].filter(
      ([, one = '']) => ClearJson.fold(one) === folded || ClearJson.fold(one.split('[')[0] ?? '') === folded,
    );
    if (named.length === 0) return unnamed;
    const part = new RegExp(`; name="${escaped(name)}"\\r\\n\\r\\n([^\\r\\n]*)\\r\\n--`).exec(text);
    const [, value] = part ?? [];
    return named.length === 1 && value !== undefined ? asValue(value) : unclear;
  };
}

/** Returns the boundary of a content type; null where some servers find another one, such as at a comma that is not quoted. */
function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] =
    /^multipart\/form-data;\s*boundary=(?:"([\w'()+,./:=?-]{1,70})"|([\w'+.-]{1,70}))\s*$/i.exec(
      contentType,
    ) ?? [];
  return quoted ?? plain ?? null;
}

/** Returns true when nothing precedes the first part or follows the last one: parsers ignore what does. */
function isFramed(text: string, boundary: string): boolean {
  const end = `\r\n--${boundary}--`;
  const at = text.indexOf(end);
  return text.startsWith(`--${boundary}\r\n`) && at >= 0 && /^(?:\r\n)?$/.test(text.slice(at + end.length));
}

function escaped(text: string): string {
  return text.replace(/\W/g, '\\$&');
}
