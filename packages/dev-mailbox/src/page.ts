import type { Message } from './message.ts';

/** The page of the mailbox: the newest mail first. Everything in it was written by strangers, and is shown as text. */
export function render(messages: readonly Message[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Sandbox mailbox</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
article { border: 1px solid #8886; border-radius: 8px; padding: 1rem; margin: 1rem 0 }
h2 { font-size: 1rem; margin: 0 }
p { margin: 0; opacity: .75 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 1rem 0 0 }
</style>
<h1>Sandbox mailbox</h1>
<p>Mail that this shop would send; nothing leaves this machine. As data: <a href="/mails">/mails</a></p>
${messages.length === 0 ? '<p>No mail yet.</p>' : [...messages].reverse().map(article).join('\n')}
</html>
`;
}

function article({ from, to, subject, text, receivedAt }: Message): string {
  return `<article>
<h2>${asText(subject)}</h2>
<p>${asText(from)} to ${asText(to.join(', '))}, <time>${asText(receivedAt)}</time></p>
<pre>${asText(text)}</pre>
</article>`;
}

function asText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
