import { globSync, readFileSync } from 'node:fs';
import { path } from '@sluice/kernel/endpoints';
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { oauthRoutes } from '../../src/http/api/oauth.ts';
import { defaults } from '../../src/text/defaults.ts';
import { english } from '../../src/text/texts.ts';
import { everyMail, everyPage } from './every-page.ts';
import { pseudoTexts, untranslatedWords, wordsOutside } from './pseudo.ts';

const pseudo = pseudoTexts();

describe('every text that a buyer reads comes from the texts', () => {
  test('on the pages', async () => {
    const pages = await everyPage(pseudo);
    expect(pages.length).toBeGreaterThan(40);
    expect(
      pages.flatMap(([name, html]) => untranslatedWords(html).map((words) => `${name}: ${words}`)),
    ).toEqual([]);
  });

  test('on the page for a request to connect an application that is too long', async () => {
    const storefront = { name: '‹name›', contact: '‹contact›' };
    const shop = { publicUrl: 'https://shop.example', catalog: { storefront }, texts: pseudo };
    const routes = oauthRoutes(shop as unknown as Parameters<typeof oauthRoutes>[0], null);
    const page = await routes.request(`${path.authorize}?state=${'a'.repeat(9_000)}`);
    expect(page.status).toBe(400);
    const html = await page.text();
    expect(html).toContain(pseudo.text('connect.too_long'));
    expect(untranslatedWords(html)).toEqual([]);
  });

  test('in the mails', () => {
    const found = everyMail(pseudo).flatMap(([name, { subject, text }]) =>
      wordsOutside(`${subject}\n${text}`).map((words) => `${name}: ${words}`),
    );
    expect(found).toEqual([]);
  });

  test('and the search for other text finds the text of an English page', async () => {
    const [[, html] = ['', '']] = await everyPage(english);
    expect(untranslatedWords(html).join()).toContain('Services and prices');
    expect(wordsOutside('⟦a ⟦b⟧⟧ One sentence')).toHaveLength(1);
  });
});

/**
 * Literals that are not text for people. The files contain source code in other languages, and tags without text; the constants are CSS and a
 * content security policy.
 */
const notTexts = {
  files: /(?:code-samples|brand-style|page-script|print-script|markdown)\.ts$/,
  constants: /^(?:style|policy)$/,
};

/** The text in the source of a page: words in its HTML, and strings of two or more words. */
function literalsOf(path: string, source: string): string[] {
  const found: string[] = [];
  const add = (node: ts.Node, text: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push(`${path}:${line + 1} ${text.trim().slice(0, 60)}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isThrowStatement(node) || ts.isTypeNode(node)) return;
    if (ts.isVariableDeclaration(node) && notTexts.constants.test(node.name.getText(file))) return;
    const tag = ts.isTaggedTemplateExpression(node) ? node.tag.getText(file) : null;
    if (ts.isTaggedTemplateExpression(node)) {
      const text = tag === 'html' ? proseOf(templateText(node.template)) : '';
      if (/\p{L}{2,}/u.test(text)) add(node, text);
      if (!ts.isNoSubstitutionTemplateLiteral(node.template))
        for (const span of node.template.templateSpans) visit(span.expression);
      return;
    }
    if (ts.isStringLiteral(node) && isProse(node.text)) add(node, node.text);
    if (ts.isNoSubstitutionTemplateLiteral(node) && isProse(node.text)) add(node, node.text);
    if (ts.isTemplateExpression(node) && isProse(templateText(node))) add(node, templateText(node));
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  visit(file);
  return found;
}

function templateText(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)].join('{}');
}

/** The text of HTML that people read or hear: without tags, code and entities. */
function proseOf(html: string): string {
  const labels = [...html.matchAll(/\b(?:aria-label|alt|placeholder|title)="([^"]*)"/g)].map(
    ([, label]) => label,
  );
  const text = html
    .replace(/<code>[^<]*<\/code>|<a [^>]*>openapi\.json<\/a>/g, '')
    .replace(/<!?[^>]*>/g, ' ');
  // The rest of a tag that begins or ends in another template.
  return [...labels, text.replace(/\b[\w-]+="[^"]*"/g, ' ').replaceAll('USD', ' ')].join(' ');
}

function isProse(text: string): boolean {
  return /\p{L}{2,} \p{L}{2,}/u.test(text);
}

test('the source of the pages contains no text for people', () => {
  const paths = globSync('src/http/pages/**/*.ts').filter((path) => !notTexts.files.test(path));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.flatMap((path) => literalsOf(path, readFileSync(path, 'utf8')))).toEqual([]);
  // The rule finds what it forbids.
  const planted =
    'const a = html`<p>Hello</p>`; const b = "Two words"; const c = html`<a aria-label="Close">x</a>`;';
  expect(literalsOf('planted.ts', planted)).toHaveLength(3);
});

/** The templates that make keys in the source, such as `plans.per_${period}`, as patterns of those keys. */
function keyPatterns(source: string): RegExp[] {
  const templates = source.match(/`(?:[\w.]|\$\{\w[\w.]*\})+`/g) ?? [];
  const isPartOfKey = (template: string) =>
    /[._][a-z]{3}|[a-z]{3}[._]/.test(template.replace(/\$\{[^}]*\}/g, ''));
  return [...new Set(templates)]
    .filter((template) => template.includes('${') && isPartOfKey(template))
    .map((template) => {
      const literals = template.slice(1, -1).split(/\$\{[^}]*\}/);
      const rest = literals.map((text) => text.replaceAll('.', '\\.')).join('\\w+');
      // A value at the beginning of a template is the first parts of a key.
      return new RegExp(literals[0] === '' ? `^[\\w.]*${rest}$` : `^${rest}$`);
    });
}

test('every text is used by the source, so that a seller translates none in vain', () => {
  const source = globSync('src/**/*.ts', { exclude: ['src/text/messages/**'] })
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const patterns = keyPatterns(source);
  const isUsed = (key: string) =>
    source.includes(`'${key}'`) || patterns.some((pattern) => pattern.test(key));
  expect(Object.keys(defaults).filter((key) => !isUsed(key))).toEqual([]);
  // The rule finds what it forbids.
  expect(isUsed('shop.unused')).toBe(false);
});
