import { html, raw } from 'hono/html';
import { palette } from './palette.ts';

/** The few pages that a buyer sees around the hosted card page. Server-made, no script. */
export type Page = {
  title: string;
  mark: keyof typeof marks;
  body: ReturnType<typeof html>;
  /** Seconds after which the page looks again by itself. */
  againSeconds?: number;
};

const style = `${palette}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100svh;display:grid;grid-template-rows:1fr auto 1.6fr;justify-items:center;padding:1.5rem 1rem;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{grid-row:2;width:100%;max-width:34rem;background:var(--panel);border:1px solid var(--line);border-radius:16px;padding:2rem;box-shadow:0 1px 2px #00000008,0 12px 32px -16px #00000026}
@media(max-width:30rem){main{padding:1.5rem}}
h1{font-size:1.625rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .5rem;text-wrap:balance}
p{margin:.5rem 0;color:var(--soft);text-wrap:pretty}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:6px}
.shop{margin:0;font-size:.875rem;font-weight:600;color:var(--soft)}
.mark{display:block;width:3rem;height:3rem;margin:1.25rem 0 1rem;padding:.7rem;border-radius:50%;background:var(--tint);color:var(--accent)}
.mark.wait{background:var(--note-tint);color:var(--note)}
dl{margin:1.5rem 0 0;border-top:1px solid var(--line)}
dl div{display:flex;justify-content:space-between;gap:1.5rem;padding:.75rem 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}dd{margin:0;text-align:right;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
#balance{font-weight:650}dd.id{font:.8125rem/1.9 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
h2{font-size:1rem;margin:1.75rem 0 0}.then{margin-top:1.5rem}
textarea{display:block;width:100%;margin:.75rem 0 0;padding:0;border:solid var(--ground);border-width:.75rem .875rem;border-radius:10px;box-shadow:0 0 0 1px var(--line);background:var(--ground);color:var(--ink);font:.8125rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;word-break:break-all;resize:none}
code{font:.875em ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.lines{white-space:pre-line}.total{font-weight:650}.print{display:none}
@page{margin:2cm}
@media print{:root{color-scheme:light;--ground:#fff;--panel:#fff;--ink:#000;--soft:#444;--line:#bbb}body{display:block;padding:0}main{max-width:none;border:0;box-shadow:none;padding:0}.mark,.proof,.button{display:none}.print{display:block}dl div{break-inside:avoid}}
.button{display:block;margin-top:1.5rem;padding:.7rem 1rem;border-radius:10px;background:var(--accent);color:var(--on-accent);font-weight:600;text-align:center;text-decoration:none}`;

/** Drawn on a field of 24 by 24. */
const marks = {
  done: { path: 'M4 12.5 9.5 18 20 7', tone: '' },
  wait: { path: 'M12 6v6l4 2.5M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20', tone: 'wait' },
  stop: { path: 'M12 7v6M12 17v.01M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20', tone: 'wait' },
};

export function paid(facts: {
  amount: string;
  balance: string;
  account: string;
  /** Null where the account is not the payer's: a program asked for its own, and somebody paid. */
  tokens: Tokens | null;
  guide: string;
}): Page {
  const { amount, balance, account, tokens, guide } = facts;
  return {
    title: 'Paid',
    mark: 'done',
    body: html`<h1>Thank you. ${amount}\u00a0USD is\u00a0paid.</h1>
      <p>Every result is counted against it; nothing else will be charged.</p>
      <dl>
        <div><dt>Balance</dt><dd id="balance">${balance} USD</dd></div>
        <div><dt>Account</dt><dd class="id">${account}</dd></div>
      </dl>
      ${tokens === null ? goOnByItself : wayIn(tokens, guide)}`,
  };
}

const goOnByItself = html`<p class="then">The program that asked you to pay has its own key to this account, and can go on now. You can close this page.</p>`;

/** The access token lives for an hour; the assertion gets new ones until its last day (`2027-02-19`). */
type Tokens = { access: string; assertion: string; lastDay: string };

function wayIn({ access, assertion, lastDay }: Tokens, guide: string): ReturnType<typeof html> {
  return html`<h2 id="access">Access token</h2>
    <p>Good for one hour. A program sends it with every call: <code>Authorization: Bearer</code> and the token. It is longer than the box; select all of it.</p>
    <textarea id="token" readonly spellcheck="false" rows="4" aria-labelledby="access">${access}</textarea>
    <h2 id="way-back">Your way back</h2>
    <p>Until ${lastDay} this gets a new access token whenever you need one: <a href="${guide}">see how</a>. Keep both secret: they are as good as the money.</p>
    <textarea id="assertion" readonly spellcheck="false" rows="4" aria-labelledby="way-back">${assertion}</textarea>`;
}

export function pending(): Page {
  return {
    title: 'Payment under way',
    mark: 'wait',
    againSeconds: 3,
    body: html`<h1>Your payment is under way.</h1><p>Do not pay again. This page looks again by itself in a moment.</p>`,
  };
}

export function alreadyPaid(): Page {
  return {
    title: 'Already paid',
    mark: 'done',
    body: html`<h1>This purchase is paid.</h1><p>Nothing more is due; you can close this page.</p>`,
  };
}

export function cancelled(checkoutUrl: string): Page {
  return {
    title: 'Not paid',
    mark: 'stop',
    body: html`<h1>Nothing was charged.</h1><p>The payment link stays valid for a while.</p><a class="button" href="${checkoutUrl}">Back to the payment</a>`,
  };
}

export function gone(): Page {
  return {
    title: 'Expired',
    mark: 'stop',
    body: html`<h1>This payment link has expired.</h1><p>Nothing was charged on it. Ask for a new one.</p>`,
  };
}

export function away(): Page {
  return {
    title: 'Not available',
    mark: 'wait',
    againSeconds: 10,
    body: html`<h1>Cards cannot be taken right now.</h1><p>Nothing was charged. This page tries again by itself in a moment.</p>`,
  };
}

export function unknown(): Page {
  return {
    title: 'Not found',
    mark: 'stop',
    body: html`<h1>There is no such purchase.</h1><p>Check the link, or ask for a new one.</p>`,
  };
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The page as an answer, under the shop's name. */
export function respond(status: number, shop: string, { title, mark, body, againSeconds }: Page): Response {
  const { path, tone } = marks[mark];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
${againSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${againSeconds}">`}
<title>${title} · ${shop}</title><link rel="icon" href="data:,"><style>${raw(style)}</style>
</head>
<body><main>
<p class="shop">${shop}</p>
<svg class="mark ${tone}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>
${body}
</main></body>
</html>`;
  const again = againSeconds === undefined ? {} : { 'retry-after': String(againSeconds) };
  return new Response(String(page), { status, headers: { ...headers, ...again } });
}
