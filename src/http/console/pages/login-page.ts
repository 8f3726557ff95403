import { html } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

/** The login page of the console; `to` is the path to open after the sign-in. */
export function login(to: string, problem: string | null): Html {
  return html`<h1>Seller console</h1>
${problem === null ? '' : html`<p class="note" role="alert">${problem}</p>`}
<section><h2>Sign in</h2>
<p class="soft">Use the admin token: the setting <code>ADMIN_TOKEN</code>, or the one that <code>npm start</code> showed once. The token is not stored in this browser. You stay signed in for eight hours.</p>
<form method="post" action="/admin/console/sign-in"><input type="hidden" name="to" value="${to}">
<label for="token">Admin token</label><input id="token" name="token" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" required>
<button>Sign in</button></form></section>`;
}

/** An error message in place of a page. */
export function problem(heading: string, message: string): Html {
  return html`<section><h1>${heading}</h1><p class="note" role="alert">${message}</p><a class="button" href="/admin">Go to the overview</a></section>`;
}
