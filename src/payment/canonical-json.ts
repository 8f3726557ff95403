/** JSON with exactly one serialization (RFC 8785), and that serialization in base64url, as the `Payment` scheme uses it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { readonly [member: string]: Json };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the canonical text of `value`: members sorted by UTF-16 code units, no white space, numbers as ECMAScript
 * writes them (RFC 8785). Throws TypeError for values that JSON cannot represent: NaN, infinities, lone surrogates.
 */
export function canonicalize(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${quote(name)}:${canonicalize(member)}`).join(',')}}`;
}

/** Returns the canonical text of `value` in base64url without padding (RFC 4648, section 5). Throws as `canonicalize` does. */
export function encode(value: Json): string {
  return Buffer.from(canonicalize(value)).toString('base64url');
}

/**
 * Returns the JSON value that `text` encodes, or undefined when `text` is not valid. Clients differ, so the JSON need not be
 * canonical, and either base64 alphabet is accepted, with or without padding. Limit the length of `text` first.
 */
export function decode(text: string): unknown {
  const digits = /^([A-Za-z0-9+/_-]+)={0,2}$/.exec(text)?.[1];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  try {
    return JSON.parse(utf8.decode(Buffer.from(digits, 'base64')));
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate has no UTF-8 form');
  return JSON.stringify(text);
}
