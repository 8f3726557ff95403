import { html, raw } from 'hono/html';
import type { Key } from '../../text/defaults.ts';
import type { Texts, Values } from '../../text/texts.ts';

type Html = ReturnType<typeof html>;

/** The text `key` as HTML, for the content of elements. Text and string values are escaped; values that are HTML are not. */
export function say<Name extends Key>(texts: Texts, key: Name, ...values: Values<Name, Html>): Html {
  const parts = texts.parts<Name, Html>(key, ...values);
  return html`${parts.map((part, at) => (at % 2 === 0 && typeof part === 'string' ? raw(escaped(part)) : part))}`;
}

/** Escapes text for the content of an element. Apostrophes stay readable: attributes are written by `html` itself. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
