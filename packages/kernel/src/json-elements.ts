import type { JsonPointer } from './json-pointer.ts';
import { afterBlanks, afterColon, none } from './json-scan.ts';
import * as JsonSkip from './json-skip.ts';

/** The bytes of one element of an array. */
export type Element = { from: number; to: number };

/** The array at a pointer, or why there is none. `ambiguous`: a name on the way occurs twice, so parsers may disagree. */
export type Elements =
  | { kind: 'array'; elements: readonly Element[] }
  | { kind: 'none' | 'not_json' | 'ambiguous' };

type Walk = { readonly bytes: Buffer; readonly laid: JsonSkip.Laid; found: Elements };

/**
 * Finds the elements of the array at `pointer` in a JSON text (RFC 8259) in UTF-8.
 * @param start the index at which the text begins: 3 after a byte order mark
 */
export function find(bytes: Buffer, start: number, pointer: JsonPointer): Elements {
  const walk: Walk = { bytes, laid: JsonSkip.lay(bytes), found: { kind: 'none' } };
  const end = value(walk, afterBlanks(bytes, start), pointer, 0);
  return end !== none && afterBlanks(bytes, end) === bytes.length ? walk.found : { kind: 'not_json' };
}

/** Returns the text without the elements of an array that `keeps` refuses. All other bytes stay as they are. */
export function filter(
  bytes: Buffer,
  elements: readonly Element[],
  keeps: (element: Element, at: number) => boolean,
): Buffer {
  const [first] = elements;
  const last = elements.at(-1);
  if (first === undefined || last === undefined || elements.every(keeps)) return bytes;
  const parts = [bytes.subarray(0, first.from)];
  for (const [at, element] of elements.entries()) {
    if (!keeps(element, at)) continue;
    // A comma and the blanks around it belong to the element after it.
    if (parts.length > 1) parts.push(bytes.subarray(elements[at - 1]?.to ?? element.from, element.from));
    parts.push(bytes.subarray(element.from, element.to));
  }
  return Buffer.concat([...parts, bytes.subarray(last.to)]);
}

/** Follows the pointer from `level` on in the value at `at`. Returns the index after the value. */
function value(walk: Walk, at: number, pointer: JsonPointer, level: number): number {
  const { bytes, laid } = walk;
  if (level < pointer.length)
    return bytes[at] === 0x7b ? object(walk, at, pointer, level) : JsonSkip.after(laid, at);
  return bytes[at] === 0x5b ? array(walk, at) : JsonSkip.after(laid, at);
}

function object(walk: Walk, start: number, pointer: JsonPointer, level: number): number {
  const { bytes, laid } = walk;
  let at = afterBlanks(bytes, start + 1);
  if (bytes[at] === 0x7d) return at + 1;
  for (let seen = 0; ; at = afterBlanks(bytes, at + 1)) {
    const nameEnd = bytes[at] === 0x22 ? JsonSkip.after(laid, at) : none;
    const from = nameEnd === none ? none : afterColon(bytes, nameEnd);
    if (from === none) return none;
    const isNamed = JSON.parse(bytes.toString('utf8', at, nameEnd)) === pointer[level];
    if (isNamed) seen += 1;
    const to = isNamed ? value(walk, from, pointer, level + 1) : JsonSkip.after(laid, from);
    if (to === none) return none;
    if (seen > 1) walk.found = { kind: 'ambiguous' };
    at = afterBlanks(bytes, to);
    if (bytes[at] === 0x7d) return at + 1;
    if (bytes[at] !== 0x2c) return none;
  }
}

function array(walk: Walk, start: number): number {
  const { bytes, laid } = walk;
  const elements: Element[] = [];
  walk.found = { kind: 'array', elements };
  let at = afterBlanks(bytes, start + 1);
  if (bytes[at] === 0x5d) return at + 1;
  for (; ; at = afterBlanks(bytes, at + 1)) {
    const to = JsonSkip.after(laid, at);
    if (to === none) return none;
    elements.push({ from: at, to });
    at = afterBlanks(bytes, to);
    if (bytes[at] === 0x5d) return at + 1;
    if (bytes[at] !== 0x2c) return none;
  }
}
