import { html } from 'hono/html';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';
import {
  type Chapter,
  type ChapterGroup,
  home,
  type OperationPage,
  type Outline,
  pagesOf,
} from './outline.ts';

/** Up to this number of operations, the navigation of every page lists them all; otherwise those of the page's own service. */
const allShownMax = 120;

/** The place of a page: its chapter and operation, if any. */
export type Place = { chapter: Chapter | null; page: OperationPage | null };

const sections = ['quick-start', 'authentication', 'headers', 'errors'] as const;

/** The navigation of the reference: beside the text on wide screens, and in a panel that a button opens on narrow ones. */
export function navigation(texts: Texts, outline: Outline, place: Place, words = ''): Html {
  const isSmall = pagesOf(outline).length <= allShownMax;
  const group = ({ name, chapters }: ChapterGroup) => html`<div data-group><h2>${name}</h2>
<ul>${chapters.map((chapter) => chapterItem(chapter, place, isSmall))}</ul></div>`;
  return html`<button type="button" class="plain menu" popovertarget="docs-nav">${say(texts, 'reference.menu')}</button>
<nav id="docs-nav" popover aria-label="${texts.text('reference.title')}">
<button type="button" class="plain close" popovertarget="docs-nav" popovertargetaction="hide">${say(texts, 'reference.close_menu')}</button>
<form action="${home}" role="search"><label class="hidden" for="docs-search">${say(texts, 'reference.search')}</label><input type="search" id="docs-search" name="q" value="${words}" placeholder="${texts.text('reference.search')}" maxlength="200"><button class="quiet">${say(texts, 'reference.search_all')}</button></form>
<ul>${sections.map((section) => html`<li data-words="${texts.text(`reference.nav_${section.replace('-', '_') as 'quick_start'}`).toLowerCase()}"><a href="${home}#${section}">${say(texts, `reference.nav_${section.replace('-', '_') as 'quick_start'}`)}</a></li>`)}</ul>
${outline.sold.map(group)}
${group(outline.own)}
</nav>`;
}

function chapterItem(chapter: Chapter, { chapter: current, page }: Place, isSmall: boolean): Html {
  const { pages, name, path } = chapter;
  const isHere = chapter === current;
  const [only] = pages;
  if (pages.length === 1 && only !== undefined && chapter.service !== null)
    return html`<li data-words="${wordsOf(only)}"><a href="${path}" ${isHere ? html`aria-current="page"` : ''}>${name}${methodMark(only)}</a></li>`;
  if (!isSmall && !isHere)
    return html`<li data-words="${name.toLowerCase()}"><a href="${path}">${name}</a></li>`;
  return html`<li data-group><a href="${path}" ${isHere && page === null ? html`aria-current="page"` : ''}>${name}</a>
<ul>${pages.map((one) => html`<li data-words="${wordsOf(one)}"><a href="${one.path}" ${one === page ? html`aria-current="page"` : ''}>${one.title}${methodMark(one)}</a></li>`)}</ul></li>`;
}

/** The method beside the title; screen readers get it on the page of the operation. */
function methodMark({ entry }: OperationPage): Html {
  return html`<span class="verb" aria-hidden="true">${entry.method}</span>`;
}

/** Returns true when the filter of the navigation shows the operation for these words: each is in its names or path. */
export function isNamed(page: OperationPage, words: string): boolean {
  const named = wordsOf(page);
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => named.includes(word));
}

function wordsOf({ entry, chapter, title }: OperationPage): string {
  return `${title} ${entry.summary} ${entry.method} ${entry.path} ${chapter.name}`.toLowerCase();
}
