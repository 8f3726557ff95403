import { html } from 'hono/html';
import type { Html } from './frame.ts';

/** For whoever has no account in this browser. `byMail`: whether this shop sends links. */
export function door(byMail: boolean, notice: string | null): Html {
  return html`<h1>Your account</h1>
${told(notice)}
<section><h2>New here</h2><p class="soft">No card and no email: an account is one click, and its first units are free.</p><form method="post" action="/shop/start"><button>Start free</button></form></section>
${
  byMail
    ? html`<section><h2>Sign in by email</h2><p class="soft">If you took your account over by email, a link gets you in.</p>
<form method="post" action="/shop/account/link"><label for="email">Your email address</label><input id="email" name="email" type="email" autocomplete="email" required><button>Send me a link</button></form></section>`
    : ''
}
<section><h2>Sign in with a token</h2><p class="soft">The page after a payment shows an identity assertion, and <code>POST /agent/auth</code> gives one to programs.</p>
<form method="post" action="/shop/account/sign-in"><label for="assertion">Identity assertion</label><textarea id="assertion" name="assertion" rows="4" spellcheck="false" required></textarea><button>Sign in</button></form></section>`;
}

/** The same, whether the address is known here or not. */
export function sent(email: string, minutes: number): Html {
  return html`<h1>Look into your mail</h1>
<section><p class="ok" role="status">A mail is on its way to ${email}.</p>
<p>Open its link in this browser, within ${minutes} minutes. It works once.</p>
<p class="soft">Nothing there? Look among unwanted mail, or <a href="/shop/account">try again</a>.</p></section>`;
}

export type Arrival = {
  token: string;
  /** Whether this browser asked for the link. */
  isHere: boolean;
  /** The account that this browser has now. */
  visitor: string | null;
  notice: string | null;
};

/** Where a link leads: only the button signs in, as programs that guard mailboxes open links too. */
export function arrival({ token, isHere, visitor, notice }: Arrival): Html {
  return html`<h1>Sign in</h1>
${told(notice)}
<section><form method="post" action="/shop/account/link/open"><input type="hidden" name="token" value="${token}">
${
  isHere
    ? html`<p>This link was asked for in this browser.</p>`
    : html`<p>This link was asked for in another browser. If that was you, say which address it was sent to. If somebody else sent it to you, close this page: you would be in an account that is not yours.</p>
<label for="email">The address of the mail</label><input id="email" name="email" type="email" autocomplete="email" required>`
}
<button>Sign in</button></form>
${visitor === null ? '' : html`<p class="soft">This browser shows an account already, <code>${visitor}</code>. To keep it, <a href="/shop/account#claim">take it over by email</a> first: by the same address it becomes a part of yours.</p>`}</section>`;
}

function told(notice: string | null): Html {
  return notice === null ? html`` : html`<p class="note" role="alert">${notice}</p>`;
}
