import { html } from 'hono/html';
import type { Html } from './frame.ts';

/** The first line of an id that does not fit: half of its digits. */
const firstCharacters = 20;

/** An id in the font of code. It breaks in its middle when one line is too short for it. */
export function identifier(id: string): Html {
  return html`<span class="id">${id.slice(0, firstCharacters)}<wbr>${id.slice(firstCharacters)}</span>`;
}
