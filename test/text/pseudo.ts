import { defaults } from '../../src/text/defaults.ts';
import type { Template } from '../../src/text/template.ts';
import { Texts } from '../../src/text/texts.ts';

/** Names that are the same in every language, words of JSON Schema and HTTP, and a country, which the language itself names. */
const untranslated =
  /\b(?:curl|TypeScript|Python|openapi\.json|query|string|integer|number|object|UTC|POST|GET|OK|Germany)\b/g;

/** Texts whose every text is written between `⟦` and `⟧`, to find text that does not come from them. */
export function pseudoTexts(): Texts {
  const texts = new Map(Object.entries(defaults).map(([key, template]) => [key, marked(template)]));
  const units = new Map([['result', marked({ one: 'result', other: 'results' })]]);
  return new Texts({ language: null, units, texts });
}

function marked(template: Template): Template {
  if (typeof template === 'string') return `⟦${template}⟧`;
  const forms = Object.entries(template).map(([category, form]) => [category, `⟦${form}⟧`]);
  return Object.fromEntries(forms);
}

/**
 * The words of a page that come neither from the texts nor from data, with their surroundings. Data is written between `‹` and `›`; code,
 * ids and the values of form fields are data too.
 */
export function untranslatedWords(html: string): string[] {
  const visible = html
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<(code|pre|textarea|option)\b[^>]*>[\s\S]*?<\/\1>/g, (block) => labelsOf(block))
    .replace(/<(dd|p|span) class="id"[^>]*>[^<]*/g, '')
    .replace(/<[^>]*>/g, (tag) => ` ${labelsOf(tag)} `);
  return wordsOutside(visible);
}

/** The same for plain text. */
export function wordsOutside(text: string): string[] {
  let rest = text.replaceAll('&nbsp;', ' ').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, ' ').replace(/‹[^‹›]*›/g, ' ');
  }
  // The language of the texts writes the months itself.
  const day = /\b\d{1,2} Jan(?: \d{4}(?:, \d\d:\d\d)?)?/g;
  const data = /https?:\/\/\S+|\S+@\S+|\/v1\/\S+|\b(?:acc|pur|pi|call|sub)_\d+\b/g;
  return (
    rest
      .replace(data, ' ')
      .replace(day, ' ')
      .replace(untranslated, ' ')
      .match(/[^\n]{0,30}\p{L}{2,}[^\n]{0,30}/gu) ?? []
  );
}

/** The texts in the attributes of a tag, which screen readers read. */
function labelsOf(tag: string): string {
  return [...tag.matchAll(/\b(?:aria-label|alt|placeholder|title)="([^"]*)"/g)]
    .map(([, label]) => label)
    .join(' ');
}
