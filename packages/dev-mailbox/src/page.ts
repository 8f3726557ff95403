import { style } from '@sluice/kernel/page-style';
import type { Message } from './message.ts';
import * as PageScript from './page-script.ts';

/** Longer addresses are cut on the page. */
const addressCharsMax = 72;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const ownStyle = `
header,main{max-width:46rem}article{background:var(--panel);border:1px solid var(--line);border-radius:12px;margin:0 0 .75rem;padding:.875rem 1.25rem}
article summary{padding-inline-start:1.25rem;list-style-position:outside;margin-inline-start:0;list-style:none;position:relative}article summary::-webkit-details-marker{display:none}article summary::before{content:"\\25b8";position:absolute;inset-inline-start:0}article [open]>summary::before{content:"\\25be"}article summary h2{display:inline;font-size:1.0625rem;overflow-wrap:anywhere}form.filter{display:flex;gap:.5rem;align-items:end;max-width:28rem;margin:0 0 1rem}.filter div{flex:1}.filter label{margin-top:0}.filter button{margin:0}article .meta{display:block;margin:.125rem 0 0;font-size:.875rem;color:var(--soft);overflow-wrap:anywhere}
.text{border-top:1px solid var(--line);margin:.75rem 0 0 1.25rem;padding:.5rem 0 .25rem;overflow-wrap:anywhere}.text p{margin:.6rem 0}.text .block{white-space:pre-wrap;font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:1rem}.text .code{font-size:1.75rem;font-weight:700;line-height:1.3;letter-spacing:.06em}`;

/** The page of the mailbox: the newest mail first and open. Everything in it was written by strangers, and is shown as text. */
export function render(
  messages: readonly Message[],
  to: string | null,
  recipients: readonly string[],
): string {
  const query = to === null ? '' : `?to=${encodeURIComponent(to)}`;
  const newest = [...messages].reverse();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox mailbox</title>
<style>${style}${ownStyle}</style>
</head>
<body>
<header><a class="name" href="/">Sandbox mailbox</a><a href="/mails${asText(query)}">JSON</a></header>
<main>
<h1>Mail</h1>
<p class="soft">Mail that this shop would send. Nothing leaves this machine. New mail appears by itself.<noscript> Without scripts, reload the page to see it.</noscript></p>
<div id="filter">${filter(to, recipients)}</div>
<div id="mails">${newest.length === 0 ? `<section id="none"><p>${to === null ? 'No mail yet.' : `No mail to ${asText(to)} yet. <a href="/">Show all mail</a>`}</p></section>` : newest.map((one, at) => article(one, at === 0)).join('\n')}</div>
</main>
<script>${PageScript.code}</script>
</body>
</html>
`;
}

/** Chooses a recipient. It appears with the second one. */
function filter(to: string | null, recipients: readonly string[]): string {
  if (recipients.length < 2) return '';
  const option = (one: string) =>
    `<option value="${asText(one)}"${one === to ? ' selected' : ''}>${asText(one)}</option>`;
  return `<form class="filter"><div><label for="to">Recipient</label><select id="to" name="to"><option value="">All</option>${recipients.map(option).join('')}</select></div><button class="plain">Filter</button></form>`;
}

function article({ number, from, to, subject, text, receivedAt }: Message, isOpen: boolean): string {
  return `<article id="mail-${number}">
<details${isOpen ? ' open' : ''}><summary><h2>${asText(subject)}</h2><span class="meta">From ${asText(from)} to ${asText(to.join(', '))}, <time datetime="${asText(receivedAt)}">${moment(receivedAt)}</time></span></summary>
<div class="text">${paragraphs(text)}</div></details>
</article>`;
}

/** The paragraphs of a text without its hard line ends. Indented ones, such as a code, and lists keep theirs. */
function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((part) =>
      /^[ \t]/m.test(part)
        ? `<p class="${isCode(part) ? 'block code' : 'block'}">${linked(part.replace(/^[ \t]+/gm, ''))}</p>`
        : `<p>${linked(part).replace(/\n(?=[-*] )/g, '<br>')}</p>`,
    )
    .join('\n');
}

/** True for an indented line that is a code to type. */
function isCode(part: string): boolean {
  return /^\s*[A-Z\d-]{4,16}\s*$/.test(part);
}

/** Text as HTML, its web addresses as links. */
function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)])/)
    .map((part, at) =>
      at % 2 === 1
        ? `<a href="${asText(part)}" rel="noreferrer">${asText(shortened(part))}</a>`
        : asText(part),
    )
    .join('');
}

/** A long address without its end; the link has all of it. */
function shortened(address: string): string {
  return address.length > addressCharsMax ? `${address.slice(0, addressCharsMax)}…` : address;
}

/** A time in UTC: `27 Nov 2026, 00:02`. */
function moment(time: string): string {
  const at = new Date(time);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${time.slice(11, 16)}`;
}

function asText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
