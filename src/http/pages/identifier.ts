import { html } from 'hono/html';
import type { Html } from './frame.ts';

/** An id in the font of code. On a phone, styles break it after 20 characters, into two lines of about the same length. */
export function identifier(id: string): Html {
  return html`<span class="id">${id}</span>`;
}
