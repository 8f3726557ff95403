import { html } from 'hono/html';
import { front, type Page } from './frame.ts';
import { lifeHours } from './session.ts';

/** The sign-in page; `problem` says why the last attempt failed. */
export function signInPage(status: number, problem: string | null): Page {
  return {
    status,
    title: 'Sign in',
    main: html`<h1>Keys and plans</h1>
${problem === null ? '' : html`<p class="note" role="alert">${problem}</p>`}
<section><h2>Sign in</h2>
<p class="soft">With your API key you see your plan, your records and their reset. The operator signs in with the admin token and manages all keys. Neither is stored in this browser. You stay signed in for ${lifeHours} hours.</p>
<form method="post" action="${front}/sign-in">
<label for="credential">API key or admin token</label><input id="credential" name="credential" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" maxlength="300" required>
<button>Sign in</button></form></section>`,
  };
}
