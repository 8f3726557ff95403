import { html } from 'hono/html';
import type { Html } from '../frame.ts';

/** Where the seller comes in; `to` is where he wanted to go. */
export function door(to: string, notice: string | null): Html {
  return html`<h1>The seller’s console</h1>
${notice === null ? '' : html`<p class="note" role="alert">${notice}</p>`}
<section><h2>Sign in</h2>
<p class="soft">With the admin token: what <code>ADMIN_TOKEN</code> holds, or <code>npm start</code> showed once. This browser keeps no token, and forgets you after eight hours.</p>
<form method="post" action="/admin/console/sign-in"><input type="hidden" name="to" value="${to}">
<label for="token">Admin token</label><input id="token" name="token" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" required>
<button>Sign in</button></form></section>`;
}

/** What went wrong, where no page can be shown. */
export function told(heading: string, message: string): Html {
  return html`<section><h1>${heading}</h1><p class="note" role="alert">${message}</p><a class="button" href="/admin">To the front page</a></section>`;
}
