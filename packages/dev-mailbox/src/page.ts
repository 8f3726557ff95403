import { style } from '@sluice/kernel/page-style';
import type { Message } from './message.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const ownStyle = `
header,main{max-width:46rem}article{background:var(--panel);border:1px solid var(--line);border-radius:12px;margin:0 0 .75rem;padding:.75rem 1.25rem}
article summary h2{display:inline;font-size:1.0625rem}article .soft{margin:.125rem 0 0;font-size:.875rem;overflow-wrap:anywhere}
.text{border-top:1px solid var(--line);margin-top:.75rem;padding-top:.5rem;overflow-wrap:anywhere}.text p{margin:.6rem 0}.text .block{white-space:pre-wrap;font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:1.0625rem}`;

/** The page of the mailbox: the newest mail first and open. Everything in it was written by strangers, and is shown as text. */
export function render(messages: readonly Message[]): string {
  const newest = [...messages].reverse();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Sandbox mailbox</title>
<style>${style}${ownStyle}</style>
</head>
<body>
<header><span class="name">Sandbox mailbox</span><a href="/mails">As data</a></header>
<main>
<h1>Mail</h1>
<p class="soft">Mail that this shop would send. Nothing leaves this machine. The page reloads by itself.</p>
${newest.length === 0 ? '<section><p>No mail yet.</p></section>' : newest.map((one, at) => article(one, at === 0)).join('\n')}
</main>
</body>
</html>
`;
}

function article({ to, subject, text, receivedAt }: Message, isOpen: boolean): string {
  return `<article>
<details${isOpen ? ' open' : ''}><summary><h2>${asText(subject)}</h2></summary>
<div class="text">${paragraphs(text)}</div></details>
<p class="soft">To ${asText(to.join(', '))} · <time datetime="${asText(receivedAt)}">${moment(receivedAt)}</time></p>
</article>`;
}

/** The paragraphs of a text without its hard line ends. Indented ones, such as a code, and lists keep theirs. */
function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((part) =>
      /^[ \t]/m.test(part)
        ? `<p class="block">${linked(part.replace(/^[ \t]+/gm, ''))}</p>`
        : `<p>${linked(part).replace(/\n(?=[-*] )/g, '<br>')}</p>`,
    )
    .join('\n');
}

/** Text as HTML, its web addresses as links. */
function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)])/)
    .map((part, at) =>
      at % 2 === 1 ? `<a href="${asText(part)}" rel="noreferrer">${asText(part)}</a>` : asText(part),
    )
    .join('');
}

/** A time in UTC: `27 Nov 2026, 00:02`. */
function moment(time: string): string {
  const at = new Date(time);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${time.slice(11, 16)}`;
}

function asText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
