import { html, raw } from 'hono/html';
import { palette } from './palette.ts';

export type Html = ReturnType<typeof html>;

/** What all pages of the shop look like. */
const style = `${palette}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.5rem;padding-top:1.25rem;padding-bottom:1.25rem}
header .name{font-weight:700;color:var(--ink);text-decoration:none;margin-right:auto}
header a,footer a{color:var(--soft)}
footer{padding-top:2rem;padding-bottom:3rem;color:var(--soft);font-size:.875rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
section{background:var(--panel);border:1px solid var(--line);border-radius:16px;padding:1.5rem;margin:0 0 1.25rem}
@media(max-width:36rem){section{padding:1.125rem;border-radius:12px}}
h1{font-size:clamp(1.75rem,4vw,2.5rem);line-height:1.15;letter-spacing:-.02em;margin:1.5rem 0 .75rem;text-wrap:balance}
h2{font-size:1.25rem;letter-spacing:-.01em;margin:0 0 .75rem}h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.5rem 0;text-wrap:pretty}.soft{color:var(--soft)}.lead{font-size:1.125rem;color:var(--soft);max-width:46rem;margin-bottom:1.75rem}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:6px}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.625rem 1rem .625rem 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child>*{border-bottom:0}th{font-weight:600}thead th{color:var(--soft);font-size:.875rem;font-weight:500}
.number{text-align:right;padding-left:.75rem;font-variant-numeric:tabular-nums;white-space:nowrap}.number:last-child{padding-right:0}
code,pre,textarea,input.code{font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
pre{margin:.5rem 0 0;padding:.875rem 1rem;background:var(--ground);border:1px solid var(--line);border-radius:10px;overflow:auto;max-height:28rem}pre.secret{white-space:pre-wrap;overflow-wrap:anywhere;margin-bottom:1.25rem}
label{display:block;font-size:.875rem;color:var(--soft);margin:.75rem 0 .25rem}
input,select,textarea{width:100%;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:10px;background:var(--panel);color:var(--ink);font-size:1rem}
textarea{resize:vertical}
button,.button{display:inline-block;margin-top:1rem;padding:.65rem 1.1rem;border:0;border-radius:10px;background:var(--accent);color:var(--on-accent);font-family:inherit;font-size:1rem;font-weight:600;line-height:1.4;text-decoration:none;cursor:pointer}
button.quiet{background:none;color:var(--accent);padding:0;margin:0;text-decoration:underline;text-underline-offset:.2em;font-weight:400}
@media(max-width:40rem){table.stack thead{position:absolute;clip-path:inset(50%)}table.stack :is(tr,th,td){display:block;border:0;padding:0}table.stack tr{padding:.75rem 0;border-bottom:1px solid var(--line)}table.stack .number{text-align:left}:not(.stack)>*>tr>*{white-space:nowrap}}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr))}
.card{border:1px solid var(--line);border-radius:12px;padding:1.125rem;display:flex;flex-direction:column}.card form,.card .button{margin-top:auto}
.price{font-size:1.5rem;font-weight:650;letter-spacing:-.01em;margin:.25rem 0}.price small{font-size:.875rem;font-weight:400;color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:.75rem 2rem;margin:0}.facts div{min-width:7rem}.facts dt{color:var(--soft);font-size:.875rem}.facts dd{margin:0;font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.facts .id{font:.8125rem/2 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.note,.ok{margin:.5rem 0 1.25rem}.note{background:var(--note-tint);color:var(--note);border-radius:10px;padding:.75rem 1rem}
.ok{background:var(--tint);border-radius:10px;padding:.75rem 1rem}
ul.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.5rem 0;padding:0;font-size:.875rem}ul.legend span{display:inline-block;width:.75rem;height:.75rem;border-radius:3px;margin-right:.5rem}
details>summary{cursor:pointer;padding:.375rem 0}`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'accept, cookie',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // Not `no-referrer`: browsers would then hide from our own forms where they come from.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'storefront-origin': 'storefront',
};

type Storefront = { name: string; contact: string };
/** What stands around a page, where it is not what stands around the shop's: its ways, and what else it looks like. */
export type Around = { header: Html; footer: Html; style: string };
type Page = { title: string; main: Html; more?: Readonly<Record<string, string>>; around?: Around };

/** A page of the shop: its name and ways above, `main` below. Server-made, no script. */
export function respond(
  status: number,
  shop: Storefront,
  { title, main, more = {}, around = front(shop) }: Page,
): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/favicon.svg"><style>${raw(style + around.style)}</style>
</head>
<body>
<header>${around.header}</header>
<main>
${main}
</main>
<footer>${around.footer}</footer>
</body>
</html>`;
  return new Response(String(page), { status, headers: { ...headers, ...more } });
}

function front({ name, contact }: Storefront): Around {
  const address = URL.canParse(contact) ? contact : `mailto:${contact}`;
  return {
    header: html`<a class="name" href="/">${name}</a><a href="/#prices">Prices</a><a href="/docs">Reference</a><a href="/shop/account">Your account</a>`,
    footer: html`<a href="${address}">Contact</a><a href="/auth.md">For programs</a><a href="/llms.txt">For AI agents</a><a href="/openapi.json">OpenAPI</a><a href="/manifest.json">Manifest</a>`,
    style: '',
  };
}
