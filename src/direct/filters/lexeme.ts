import { sha256Hex } from '../../kernel/digest.ts';

/**
 * What a record can be found by, as lexemes of one search vector: `t.engineer` (the title has that word),
 * `t=data engineer` (that is the whole title), `c=PT` (the country). Records and filters are both written in them by the
 * functions below, so the two cannot drift apart and the database needs no text search configuration of its own.
 */
export type Lexeme = string;

/** PostgreSQL ends a lexeme at 2,046 bytes; what is longer than this goes in as its digest. */
const lexemeBytesMax = 200;

/** Lower case, without accents or control characters, single spaces: how values are compared. */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}

/** The words of a text: folded, split at whatever is neither letter nor digit, each once. */
export function words(text: string): string[] {
  const folded = fold(text);
  const found = folded.split(isPlain(folded) ? /[^a-z0-9]+/ : /[^\p{L}\p{N}]+/u);
  return [...new Set(found)].filter((word) => word !== '');
}

/** One word of the field `space`. */
export function word(space: string, folded: string): Lexeme {
  return `${space}.${short(folded)}`;
}

/** The whole of the field `space`, after folding. */
export function whole(space: string, text: string): Lexeme {
  return `${space}=${short(fold(text))}`;
}

/** A value of a fixed list in the field `space`, to the letter. */
export function exact(space: string, text: string): Lexeme {
  return `${space}=${short(text.replace(/\p{Cc}/gu, ' '))}`;
}

/** Every word of the field `space`. */
export function wordsOf(space: string, text: string | null): Lexeme[] {
  return text === null ? [] : words(text).map((found) => word(space, found));
}

/** The lexemes as the text of a PostgreSQL tsvector. */
export function vector(lexemes: Iterable<Lexeme>): string {
  return [...new Set(lexemes)].map(quoted).join(' ');
}

/** A lexeme as it stands in the text of a tsvector or tsquery. */
export function quoted(lexeme: Lexeme): string {
  return `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
}

function short(text: string): string {
  return text.length * 3 > lexemeBytesMax && Buffer.byteLength(text) > lexemeBytesMax
    ? sha256Hex(text)
    : text;
}

/** Whether a text is printable ASCII, as most are: the shorter way gives the same there. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126) return false;
  }
  return true;
}
