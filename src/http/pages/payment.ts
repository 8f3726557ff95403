import { html, raw } from 'hono/html';

/** The few pages that a buyer sees around the hosted card page. Server-made, no script. */
type Page = { title: string; body: ReturnType<typeof html> };

const style = `
:root{color-scheme:light dark;--ink:#1a1d21;--soft:#5c6570;--paper:#f6f7f8;--card:#fff;--line:#e1e4e8;--accent:#0a7d4f}
@media(prefers-color-scheme:dark){:root{--ink:#e9ecef;--soft:#9aa4af;--paper:#14171a;--card:#1d2125;--line:#31373d;--accent:#4cc38a}}
*{box-sizing:border-box}body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);display:grid;min-height:100vh;place-items:center;padding:1rem}
main{width:100%;max-width:36rem;background:var(--card);border:1px solid var(--line);border-radius:14px;padding:2rem}
h1{font-size:1.5rem;margin:0 0 .25rem}p{margin:.5rem 0;color:var(--soft)}dl{display:grid;grid-template-columns:auto 1fr;gap:.35rem 1rem;margin:1.25rem 0}
dt{color:var(--soft)}dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}strong{color:var(--accent)}
code,textarea{font:13px/1.5 ui-monospace,monospace}textarea{width:100%;padding:.75rem;border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink);resize:vertical}
label{display:block;margin:1.25rem 0 .35rem}a{color:var(--accent)}`;

export function paid(facts: {
  shop: string;
  amount: string;
  balance: string;
  account: string;
  accessToken: string;
  guide: string;
}): Page {
  return {
    title: 'Paid',
    body: html`<h1>Thank you. <strong>${facts.amount} USD</strong> is on your account.</h1>
      <p>${facts.shop} counts every result against it; nothing else is charged.</p>
      <dl><dt>Balance</dt><dd id="balance">${facts.balance} USD</dd><dt>Account</dt><dd>${facts.account}</dd></dl>
      <label for="token">Access token, good for one hour. Keep it secret.</label>
      <textarea id="token" rows="6" readonly spellcheck="false">${facts.accessToken}</textarea>
      <p>Send it as <code>Authorization: Bearer …</code>; how to go on: <a href="${facts.guide}">auth.md</a>. If a program of yours asked you to pay, it can go on now by itself.</p>`,
  };
}

export function pending(): Page {
  return {
    title: 'Payment under way',
    body: html`<h1>Your payment is under way.</h1><p>Reload this page in a moment. Do not pay again.</p>`,
  };
}

export function alreadyPaid(): Page {
  return {
    title: 'Already paid',
    body: html`<h1>This purchase is paid.</h1><p>Nothing more is due; you can close this page.</p>`,
  };
}

export function cancelled(): Page {
  return {
    title: 'Not paid',
    body: html`<h1>Nothing was charged.</h1><p>You can open the payment link again as long as it is valid.</p>`,
  };
}

export function gone(): Page {
  return {
    title: 'Expired',
    body: html`<h1>This payment link has expired.</h1><p>Nothing was charged. Ask for a new one.</p>`,
  };
}

export function unknown(): Page {
  return {
    title: 'Not found',
    body: html`<h1>There is no such purchase.</h1><p>Check the link, or ask for a new one.</p>`,
  };
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export function respond(status: number, { title, body }: Page): Response {
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${raw(style)}</style></head><body><main>${body}</main></body></html>`;
  return new Response(String(page), { status, headers });
}
