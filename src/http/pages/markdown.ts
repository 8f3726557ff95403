import { raw } from 'hono/html';
import MarkdownIt from 'markdown-it';
import type { Html } from './frame.ts';

/** Longer descriptions are cut: rendering takes time that grows with the text. */
const charsMax = 50_000;

/**
 * Descriptions come from the document of another company, so their raw HTML stays text, images become links, links lead to web and
 * mail addresses only, and headings are paragraphs in bold, because the page has its own.
 */
const markdown = new MarkdownIt('default', { html: false, maxNesting: 20 });
markdown.disable('image');
markdown.validateLink = (url) => /^(?:https?:|mailto:)/i.test(url);
const { rules } = markdown.renderer;
rules.heading_open = () => '<p><strong>';
rules.heading_close = () => '</strong></p>\n';
rules.table_open = () => '<div class="wide" tabindex="0"><table>';
rules.table_close = () => '</table></div>\n';
const code = (tokens: readonly { content: string }[], at: number) =>
  `<pre tabindex="0">${markdown.utils.escapeHtml(tokens[at]?.content ?? '')}</pre>\n`;
rules.fence = code;
rules.code_block = code;
rules.link_open = (tokens, at, options, _env, renderer) => {
  tokens[at]?.attrSet('rel', 'nofollow noopener');
  return renderer.renderToken(tokens, at, options);
};

/** Renders a description in Markdown (CommonMark, with tables) as paragraphs. Its HTML is shown as text. */
export function blocks(text: string): Html {
  return html(markdown.render(text.slice(0, charsMax)));
}

/** Renders a line of Markdown, such as the description of a field, without a paragraph. */
export function line(text: string): Html {
  return html(markdown.renderInline(text.slice(0, charsMax)));
}

function html(safe: string): Html {
  return raw(safe);
}
