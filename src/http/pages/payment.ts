import { copyStyle, palette } from '@sluice/kernel/page-style';
import { html, raw } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import { brandStyle } from './brand-style.ts';
import { contactUrl, languageOf, type PageContext } from './frame.ts';
import * as ReloadScript from './reload-script.ts';
import { say } from './say.ts';

type Html = ReturnType<typeof html>;

/** A page that a buyer sees before or after the hosted card page. Rendered on the server; no page needs its script. */
export type PaymentPage = {
  title: string;
  mark: keyof typeof marks;
  body: Html;
  /** Seconds until the page reloads itself. */
  againSeconds?: number;
  /** Seconds after which a client should try again. */
  retrySeconds?: number;
  /** True when the page has a form that is sent to the shop. */
  hasForm?: boolean;
  /** The script of the page: copy buttons for secrets, or a button that prints it. */
  script?: { code: string; source: string };
};

const style = `${palette}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100svh;display:grid;grid-template:1fr auto 1.6fr/minmax(0,1fr);justify-items:center;padding:1.5rem 1rem;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
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
dt{color:var(--soft)}dd{margin:0;text-align:end;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.small{font-size:.875rem}dt{flex:none}#balance{font-weight:650}span.id{font:.8125rem/1.9 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
h2{font-size:1.125rem;margin:1.75rem 0 0}h3{font-size:.9375rem;margin:1rem 0 0}.then{margin-top:1.5rem}summary{cursor:pointer;color:var(--soft)}
label{display:block;font-size:.875rem;color:var(--soft);margin:.75rem 0 .25rem}input{width:100%;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:10px;background:var(--panel);color:var(--ink);font:inherit}
textarea{display:block;width:100%;margin:.75rem 0 0;padding:0;border:solid var(--ground);border-width:.75rem .875rem;border-radius:10px;box-shadow:0 0 0 1px var(--line);background:var(--ground);color:var(--ink);user-select:all;font:.8125rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;word-break:break-all;resize:none}
code{font:.875em ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.sold dt{flex:0 1 auto;min-width:0;overflow-wrap:anywhere}.sold dd{flex:none;max-width:60%}.lines{white-space:pre-line}.total{font-weight:650}.print{display:none}
@page{margin:1cm}
@media print{:root{color-scheme:light;--ground:#fff;--panel:#fff;--ink:#000;--soft:#444;--line:#bbb}body{display:block;padding:1cm}main{max-width:none;border:0;box-shadow:none;padding:0}.mark,.proof,.button{display:none}.print{display:block}dl div{break-inside:avoid}}
.button{display:block;margin-top:1.5rem;padding:.7rem 1rem;border-radius:10px;background:var(--accent);color:var(--on-accent);font-weight:600;text-align:center;text-decoration:none}
main .plain{background:none;color:var(--accent);box-shadow:inset 0 0 0 1.5px var(--accent);margin-top:.75rem}main p+.plain{margin-top:1.5rem}
button.button{width:100%;border:0;font:inherit;font-weight:600;cursor:pointer}
${copyStyle}
.note{background:var(--note-tint);color:var(--note);border-radius:10px;padding:.6rem .875rem}.next .button{margin-top:.75rem}dl+.next .button:first-child{margin-top:1.5rem}
pre.secret{margin:.5rem 0 0;padding:.75rem .875rem;border:1px solid var(--line);border-radius:10px;background:var(--ground);font:.8125rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
[hidden]{display:none!important}.url{display:block;font:.625rem/1.4 ui-monospace,"SF Mono",Menlo,Consolas,monospace;word-break:break-all}dl div:has(>dd>.id){flex-wrap:wrap;row-gap:0}dd:has(>.id){margin-inline-start:auto}dd>.id{white-space:nowrap}@media(max-width:30rem){dt{flex:0 1 auto}dl div:not(:has(.id))>dd{overflow-wrap:break-word}span.id{font-size:.75rem}dl div{gap:1rem}dl div:has(>dd>.id){flex-wrap:nowrap}dd>.id{white-space:normal;display:inline-block;max-width:20ch;word-break:break-all}dd{min-width:0}}dl+dl{margin-top:0;border-top:0}
pre.one-line{white-space:nowrap;text-overflow:ellipsis;overflow-wrap:normal;overflow-x:auto;scrollbar-width:thin}.code>pre.one-line{margin-inline-end:5rem;padding-inline-end:.875rem}.code>pre.one-line+.copy{inset-block:0;margin-block:auto;height:2rem;inset-inline-end:0;min-width:4.25rem}`;

/** SVG paths in a view box of 24 by 24. */
const marks = {
  done: { path: 'M4 12.5 9.5 18 20 7', tone: '' },
  wait: { path: 'M12 6v6l4 2.5M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20', tone: 'wait' },
  stop: { path: 'M12 7v6M12 17v.01M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20', tone: 'wait' },
};

export function subscribed(texts: Texts): PaymentPage {
  return {
    title: texts.text('checkout.subscribed_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.subscribed')}</h1>
      <p>${say(texts, 'checkout.subscribed_text')}</p>${accountLink(texts)}`,
  };
}

/** The page of a link for an account that cannot use what is paid. `contact`: the seller's address or URL. */
export function barred(texts: Texts, reason: 'frozen' | 'closed', contact: string): PaymentPage {
  return {
    title: texts.text('checkout.barred_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.barred')}</h1><p>${say(texts, `checkout.${reason}_text`)}</p><a class="button" href="${contactUrl(contact)}">${say(texts, 'checkout.contact')}</a>${shopLink(texts)}`,
  };
}

/** The plan that a payment buys. `amount`: with its tax, once that is known. */
export type Bought = { plan: string; amount: string };

/** The plan and the amount of a payment; nothing for a link without a purchase. `label`: of the plan, which is bought only when it is paid. */
function bought(
  texts: Texts,
  facts: Bought | null,
  label: 'paid.bought' | 'checkout.for' = 'checkout.for',
): Html | string {
  if (facts === null) return '';
  return html`<dl><div><dt>${say(texts, label)}</dt><dd>${facts.plan}</dd></div><div><dt>${say(texts, 'paid.amount')}</dt><dd>${texts.usd(facts.amount)}</dd></div></dl>`;
}

function plansLink(texts: Texts, isMain = true): Html {
  return html`<a class="button${isMain ? '' : ' plain'}" href="/#plans">${say(texts, 'shop.see_plans')}</a>`;
}

function accountLink(texts: Texts): Html {
  return html`<a class="button" href="/shop/account">${say(texts, 'paid.to_account')}</a>`;
}

function shopLink(texts: Texts): Html {
  return html`<a class="button plain" href="/">${say(texts, 'error.back')}</a>`;
}

/** A link to this page, which is loaded again, and one to the shop. */
function nowOrBack(texts: Texts, label: 'check_now' | 'try_again' = 'check_now'): Html {
  return html`<a class="button" href="">${say(texts, `checkout.${label}`)}</a>${shopLink(texts)}`;
}

/** `againMs`: the time from which a card page opens again. */
export function limited(texts: Texts, againMs: number): PaymentPage {
  const when = texts.minute(againMs);
  return {
    title: texts.text('checkout.limited_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.limited')}</h1><p>${say(texts, 'checkout.limited_text', { when })}</p>${shopLink(texts)}`,
  };
}

export function pending(texts: Texts, facts: Bought | null): PaymentPage {
  return {
    title: texts.text('checkout.pending_title'),
    mark: 'wait',
    againSeconds: 3,
    body: html`<h1>${say(texts, 'checkout.pending')}</h1><p>${say(texts, 'checkout.pending_text')}</p>${bought(texts, facts)}${nowOrBack(texts)}`,
  };
}

/** The page for a bank debit or another payment that takes days. */
export function slow(texts: Texts, facts: Bought | null): PaymentPage {
  return {
    title: texts.text('checkout.pending_title'),
    mark: 'wait',
    body: html`<h1>${say(texts, 'checkout.pending')}</h1><p>${say(texts, 'checkout.slow_text')}</p>${bought(texts, facts)}${nowOrBack(texts)}`,
  };
}

/** @param receipt the address of the receipt; null for a browser that may not see it */
export function alreadyPaid(texts: Texts, facts: Bought | null, receipt: string | null): PaymentPage {
  const link =
    receipt === null ? '' : html`<a class="button plain" href="${receipt}">${say(texts, 'paid.receipt')}</a>`;
  return {
    title: texts.text('checkout.paid_title'),
    mark: 'done',
    body: html`<h1>${say(texts, 'checkout.paid')}</h1><p>${say(texts, 'checkout.paid_text')}</p>${bought(texts, facts, 'paid.bought')}${accountLink(texts)}${receipt === null ? shopLink(texts) : link}`,
  };
}

/** `open`: the purchase, and when its link expires; null for a link without one. */
export function cancelled(
  texts: Texts,
  checkoutUrl: string,
  open: (Bought & { expiresMs: number }) | null,
): PaymentPage {
  const until =
    open === null
      ? texts.text('checkout.cancelled_text')
      : texts.text('checkout.cancelled_until', { when: texts.minute(open.expiresMs) });
  return {
    title: texts.text('checkout.cancelled_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.cancelled')}</h1><p>${until}</p>${bought(texts, open)}<a class="button" href="${checkoutUrl}">${say(texts, 'checkout.cancelled_link')}</a>${plansLink(texts, false)}`,
  };
}

/** @param action the target of the form that opens the card page in this browser */
export function elsewhere(texts: Texts, action: string): PaymentPage {
  return {
    title: texts.text('checkout.elsewhere_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.elsewhere')}</h1><p>${say(texts, 'checkout.elsewhere_text')}</p><form method="post" action="${action}"><button class="button">${say(texts, 'checkout.elsewhere_button')}</button></form>`,
    hasForm: true,
  };
}

/** The page that redirects to the card page. */
export function toCardPage(texts: Texts, url: string): PaymentPage {
  return {
    title: texts.text('checkout.to_card_title'),
    mark: 'wait',
    body: html`<h1>${say(texts, 'checkout.to_card')}</h1><p>${say(texts, 'checkout.to_card_text')}</p><a class="button" href="${url}">${say(texts, 'checkout.to_card_link')}</a>`,
  };
}

export function expired(texts: Texts): PaymentPage {
  return {
    title: texts.text('checkout.expired_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.expired')}</h1><p>${say(texts, 'checkout.expired_text')}</p>${plansLink(texts)}`,
  };
}

export function unavailable(texts: Texts): PaymentPage {
  return {
    title: texts.text('checkout.unavailable_title'),
    mark: 'wait',
    retrySeconds: 10,
    body: html`<h1>${say(texts, 'checkout.unavailable')}</h1><p>${say(texts, 'checkout.unavailable_text')}</p>${nowOrBack(texts, 'try_again')}`,
  };
}

export function unknown(texts: Texts): PaymentPage {
  return {
    title: texts.text('checkout.unknown_title'),
    mark: 'stop',
    body: html`<h1>${say(texts, 'checkout.unknown')}</h1><p>${say(texts, 'checkout.unknown_text')}</p>${plansLink(texts)}`,
  };
}

const policy = (formAction: string, script: PaymentPage['script']) =>
  `default-src 'none'; ${script ? `script-src ${script.source}; ` : ''}style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Responds with the page, under the shop's name. */
export function respond(
  status: number,
  { catalog, texts }: PageContext,
  { title, mark, body, againSeconds, retrySeconds = againSeconds, hasForm = false, ...page }: PaymentPage,
  more: Readonly<Record<string, string>> = {},
): Response {
  const script = againSeconds === undefined ? page.script : ReloadScript;
  const { path, tone } = marks[mark];
  const shop = catalog.storefront.name;
  const text = html`<!doctype html>
<html ${languageOf(texts)}>
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
${againSeconds === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${againSeconds}"></noscript>`}
<title>${title} · ${shop}</title><link rel="icon" href="data:,"><style>${raw(style + brandStyle(catalog.storefront.brand))}</style>
</head>
<body${againSeconds === undefined ? '' : html` data-again="${againSeconds}"`}${script ? html` data-copy="${texts.text('code.copy')}" data-copied="${texts.text('code.copied')}"` : ''}><main>
<p class="shop">${shop}</p>
<svg class="mark ${tone}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>
${body}
</main>${script ? html`<script>${raw(script.code)}</script>` : ''}</body>
</html>`;
  const again = retrySeconds === undefined ? {} : { 'retry-after': String(retrySeconds) };
  const own = { ...headers, 'content-security-policy': policy(hasForm ? "'self'" : "'none'", script) };
  return new Response(String(text), { status, headers: { ...own, ...again, ...more } });
}
