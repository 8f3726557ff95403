import { isUtf8 } from 'node:buffer';
import type { JsonPointer } from '@sluice/kernel/json-pointer';
import * as JsonScan from '@sluice/kernel/json-scan';
import * as JsonSkip from '@sluice/kernel/json-skip';
import * as ByteOrderMark from './byte-order-mark.ts';

/**
 * A value of a request's body, as far as every parser reads the same. `unclear`: the body is not JSON, or a name on the way to the value occurs
 * twice, or in another spelling that some parser takes for it (another case, an escape, `maxTokens` for `max_tokens`).
 */
export type ClearValue =
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'list'; length: number }
  | { kind: 'other' }
  /** There is no value, or null. */
  | { kind: 'unnamed' }
  | { kind: 'unclear' };

const unnamed: ClearValue = { kind: 'unnamed' };
const unclear: ClearValue = { kind: 'unclear' };

/** Returns a function that reads values of a JSON text. It is valid until the next text is read. */
export function reader(body: Buffer): (pointer: JsonPointer) => ClearValue {
  const start = JsonScan.afterBlanks(body, ByteOrderMark.lengthOf(body));
  const laid = isUtf8(body) ? JsonSkip.lay(body) : null;
  const end = laid === null ? JsonScan.none : JsonSkip.after(laid, start);
  if (laid === null || end === JsonScan.none || JsonScan.afterBlanks(body, end) !== body.length)
    return () => unclear;
  return (pointer) => {
    let at = start;
    for (const token of pointer) {
      if (body[at] !== openBrace) return body[at] === 0x6e && at !== start ? unnamed : unclear;
      const found = member(body, laid, at, token);
      if (typeof found !== 'number') return found;
      at = found;
    }
    return valueAt(body, laid, at);
  };
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const quote = 0x22;

/** Returns where the value of the only member called `token` of the object at `start` begins. The text is known to be valid JSON. */
function member(body: Buffer, laid: JsonSkip.Laid, start: number, token: string): number | ClearValue {
  const folded = fold(token);
  let found: number | ClearValue = unnamed;
  let at = JsonScan.afterBlanks(body, start + 1);
  while (body[at] !== closeBrace) {
    const nameEnd = JsonSkip.after(laid, at);
    const spelled = body.toString('utf8', at + 1, nameEnd - 1);
    const value = JsonScan.afterColon(body, nameEnd);
    if (isMention(spelled, folded)) {
      if (spelled !== token || found !== unnamed) return unclear;
      found = value;
    }
    at = JsonScan.afterBlanks(body, JsonSkip.after(laid, value));
    if (body[at] === closeBrace) break;
    at = JsonScan.afterBlanks(body, at + 1);
  }
  return found;
}

/** Returns true when some parser could take the name, written with its escapes, for the folded one. */
function isMention(spelled: string, folded: string): boolean {
  const name = spelled.includes('\\') ? (JSON.parse(`"${spelled}"`) as string) : spelled;
  return fold(name) === folded;
}

/** Reduces a name to its letters and digits in lower case: some parsers ignore case, and some read `maxTokens` and `max_tokens` alike. */
export function fold(name: string): string {
  const folded = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return folded === '' ? name : folded;
}

function valueAt(body: Buffer, laid: JsonSkip.Laid, at: number): ClearValue {
  switch (body[at]) {
    case quote:
      return {
        kind: 'text',
        value: JSON.parse(body.toString('utf8', at, JsonSkip.after(laid, at))) as string,
      };
    case openBracket:
      return { kind: 'list', length: lengthOf(body, laid, at) };
    case openBrace:
      return { kind: 'other' };
    case 0x6e:
      return unnamed;
    case 0x74:
    case 0x66:
      return { kind: 'other' };
    default:
      return { kind: 'number', value: Number(body.toString('latin1', at, JsonSkip.after(laid, at))) };
  }
}

function lengthOf(body: Buffer, laid: JsonSkip.Laid, start: number): number {
  let at = JsonScan.afterBlanks(body, start + 1);
  let length = 0;
  while (body[at] !== 0x5d) {
    length++;
    at = JsonScan.afterBlanks(body, JsonSkip.after(laid, at));
    if (body[at] === 0x5d) break;
    at = JsonScan.afterBlanks(body, at + 1);
  }
  return length;
}
