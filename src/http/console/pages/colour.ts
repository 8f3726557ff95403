import { html } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

export function isColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Shows a colour (`#0b5f52`) as a small square; nothing for another text. */
export function swatch(colour: string): Html {
  if (!isColour(colour)) return html``;
  return html`<svg class="swatch" viewBox="0 0 1 1" role="img" aria-label="${colour}"><rect width="1" height="1" fill="${colour}"/></svg>`;
}
