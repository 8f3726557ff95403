import { html, raw } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** Strings, JSON keys, comments, numbers and words of the languages of the samples. */
const token =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')(\s*:)?|(^|\s)(#[^\n]*)|\b(import|from|const|await|new|with|as|for|of|in|print|curl|true|false|null|True|False|None)\b|(-?\b\d+(?:\.\d+)?\b)/gm;
/** Longer code is shown in one colour. */
const colouredCharsMax = 20_000;

/** Code that can be copied. `label` names it for screen readers. */
export function codeBlock(label: string, code: string): Html {
  return html`<pre tabindex="0" aria-label="${label}"><code>${code.length > colouredCharsMax ? code : coloured(code)}</code></pre>`;
}

function coloured(code: string): Html {
  const parts: string[] = [];
  let end = 0;
  for (const match of code.matchAll(token)) {
    const [whole, text, colon, before = '', comment, word, number] = match;
    parts.push(escaped(code.slice(end, match.index)));
    if (text !== undefined) parts.push(mark(colon === undefined ? 's' : 'k', text), escaped(colon ?? ''));
    else if (comment !== undefined) parts.push(before, mark('c', comment));
    else parts.push(mark(word === undefined ? 'n' : 'w', word ?? number ?? ''));
    end = match.index + whole.length;
  }
  parts.push(escaped(code.slice(end)));
  return raw(parts.join(''));
}

function mark(kind: 's' | 'k' | 'c' | 'n' | 'w', text: string): string {
  return `<b class=${kind}>${escaped(text)}</b>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Code in several languages, one of which is shown. Radio buttons choose it, so that it works without scripts. */
export type Samples = readonly { language: string; code: string }[];

/**
 * @param group distinguishes the radio buttons of one page
 * @param legend the name of the choice
 */
export function codeTabs(
  texts: Texts,
  group: string,
  samples: Samples,
  legend: 'code.language' | 'reference.status' = 'code.language',
): Html {
  const id = (at: number) => `${group}-${at}`;
  return html`<fieldset class="tabs"><legend class="hidden">${say(texts, legend)}</legend>
${samples.map(({ language }, at) => html`<input type="radio" name="${group}" id="${id(at)}" value="${language}" ${at === 0 ? 'checked' : ''}><label for="${id(at)}">${language}</label>`)}
${samples.map(({ language, code }) => html`<div class="tab">${codeBlock(language, code)}</div>`)}
</fieldset>`;
}
