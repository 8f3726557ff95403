/** A place in a text. Lines and columns count from 1, columns in UTF-16 code units. */
export type TextPlace = { line: number; column: number };

const blanks = /[ \t\n\r]*/y;
/** A sign, a string, or a number or word. */
const token =
  /([{}[\],:])|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b/y;

type Kind = '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'scalar';
type State = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'ended' | 'in object' | 'in list';
const value = { '{': 'first key', '[': 'first item', string: 'ended', scalar: 'ended' } as const;
/** The state after each token that may follow. */
const states: Readonly<Record<State, Readonly<Partial<Record<Kind, State>>>>> = {
  value,
  'first item': { ...value, ']': 'ended' },
  'first key': { string: 'colon', '}': 'ended' },
  key: { string: 'colon' },
  colon: { ':': 'value' },
  ended: {},
  'in object': { ',': 'key', '}': 'ended' },
  'in list': { ',': 'value', ']': 'ended' },
};

/**
 * Returns the place of the first fault in a JSON text (RFC 8259), or null when the text is JSON. The messages of `JSON.parse` do not always name
 * the place.
 */
export function jsonFault(text: string): TextPlace | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const before = text.slice(0, faultAt(text)).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** The index of the first token that cannot follow the ones before it. */
function faultAt(text: string): number {
  const open: State[] = [];
  let state: State = 'value';
  let at = 0;
  for (;;) {
    blanks.lastIndex = at;
    at += blanks.exec(text)?.[0].length ?? 0;
    token.lastIndex = at;
    const [found, sign] = token.exec(text) ?? [];
    if (found === undefined) return at;
    const kind = (sign ?? (found.startsWith('"') ? 'string' : 'scalar')) as Kind;
    const next: State | undefined = states[state][kind];
    if (next === undefined) return at;
    if (kind === '{') open.push('in object');
    if (kind === '[') open.push('in list');
    if (kind === '}' || kind === ']') open.pop();
    state = next === 'ended' ? (open.at(-1) ?? next) : next;
    at += found.length;
  }
}
