import { html } from 'hono/html';
import { front, type Page } from './frame.ts';
import { lifeHours } from './session.ts';

/** The sign-in page; `problem` says why the last attempt failed. */
export function signInPage(status: number, problem: string | null): Page {
  return {
    status,
    title: 'Sign in',
    main: html`<div class="narrow"><h1>Sign in</h1>
${problem === null ? '' : html`<p class="note" role="alert">${problem}</p>`}
<section>
<form method="post" action="${front}/sign-in">
<label for="credential">API key or admin token</label><input id="credential" name="credential" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" maxlength="300" aria-describedby="help" required>
<button>Sign in</button>
<p class="hint" id="help">An API key shows its plan, its records and their next reset. The admin token manages all keys. Neither is stored in this browser. You stay signed in for ${lifeHours} hours.</p></form></section></div>`,
  };
}
