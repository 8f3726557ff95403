import { pageHeaders, policy, style } from '@sluice/kernel/page-style';
import { html, raw } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { brandStyle } from './brand-style.ts';
import * as PageScript from './page-script.ts';
import { say } from './say.ts';

export type Html = ReturnType<typeof html>;

export const logoPath = '/shop/logo';
/** Search engines cut longer descriptions. */
const descriptionCharsMax = 200;
const headers = { ...pageHeaders("'self'"), 'storefront-origin': 'storefront' };
/**
 * The headers of a response to a form that a browser may keep, so that Back shows it again. It holds no token or key. The form may have set the
 * cookie, so the response does not depend on it.
 */
export const keptForBack = { 'cache-control': 'private, no-cache', vary: 'accept' };
/** The policy of a page with the script, which is allowed by its digest alone. */
export const scriptPolicy = policy("'self'", PageScript.source);

/** The part of the shop that every page shows, and the texts that pages are written with. */
export type PageContext = TextsContext & {
  readonly catalog: {
    readonly storefront: Pick<Catalog['storefront'], 'name' | 'contact' | 'description' | 'links' | 'brand'>;
    readonly logo?: Catalog['logo'];
  };
};
/** Header, footer and extra styles of a page that does not use the shop's own. */
export type PageLayout = { header: Html; footer: Html; style: string };
type Page = {
  title: string;
  main: Html;
  more?: Readonly<Record<string, string>>;
  layout?: PageLayout;
  /** Styles that only this page needs. */
  style?: string;
  /** The address under which search engines list the page; pages without one are not listed. */
  canonical?: string;
  /** A sentence about the page for search engines and link previews; by default the description of the shop. */
  description?: string;
  /** Navigation beside `main`. */
  beside?: Html;
  /** True for a page with the script, which adds copy buttons and the like. No page needs it. */
  isScripted?: boolean;
};

/** Responds with a page: the header with the navigation, `main`, the footer. */
export function respondWithPage(status: number, shop: PageContext, page: Page): Response {
  const { more, isScripted = false } = page;
  const scripted = isScripted ? { 'content-security-policy': scriptPolicy } : {};
  return new Response(pageText(shop, page), { status, headers: { ...headers, ...scripted, ...more } });
}

/** Returns a page as text. */
export function pageText(
  shop: PageContext,
  {
    title,
    main,
    layout = shopLayout(shop),
    canonical,
    description,
    beside,
    isScripted = false,
    style: own = '',
  }: Page,
): string {
  const { name } = shop.catalog.storefront;
  const page = html`<!doctype html>
<html ${languageOf(shop.texts)}>
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === name ? name : `${title} · ${name}`}</title>${canonical === undefined ? html`<meta name="robots" content="noindex">` : preview(shop, title, canonical, description)}
<link rel="icon" href="/favicon.svg"><style>${raw(style + brandStyle(shop.catalog.storefront.brand) + layout.style + own)}</style>
</head>
<body${isScripted ? html` data-copy="${shop.texts.text('code.copy')}" data-copied="${shop.texts.text('code.copied')}"` : ''}>
<a class="skip" href="#main">${say(shop.texts, 'frame.skip')}</a>
<header>${layout.header}</header>
${beside ?? ''}<main id="main">
${main}
</main>
<footer>${layout.footer}</footer>
${isScripted ? html`<script>${raw(PageScript.code)}</script>` : ''}</body>
</html>`;
  return String(page);
}

/** Returns the tags for search engines and link previews (Open Graph). */
function preview({ catalog }: PageContext, title: string, canonical: string, own?: string): Html {
  const { name, description } = catalog.storefront;
  const about = (own || description || title).replace(/\s+/g, ' ').slice(0, descriptionCharsMax);
  return html`<link rel="canonical" href="${canonical}"><meta name="description" content="${about}">
<meta property="og:type" content="website"><meta property="og:site_name" content="${name}"><meta property="og:title" content="${title}">
<meta property="og:description" content="${about}"><meta property="og:url" content="${canonical}"><meta name="twitter:card" content="summary">`;
}

/** The attributes of `<html>` for the language of the texts. */
export function languageOf({ language, direction }: Texts): Html {
  return direction === 'rtl' ? html`lang="${language}" dir="rtl"` : html`lang="${language}"`;
}

/** The address of the seller as a link. */
export function contactUrl(contact: string): string {
  return URL.canParse(contact) ? contact : `mailto:${contact}`;
}

/** Header and footer of the shop's pages. `current`: the entry of the navigation that the page belongs to. */
export function shopLayout({ catalog, texts }: PageContext, current?: 'reference' | 'account'): PageLayout {
  const marked = (entry: string) => (entry === current ? html` aria-current="true"` : '');
  const { name, contact, links = {} } = catalog.storefront;
  const own = (['terms', 'privacy', 'imprint', 'status'] as const).flatMap((rel) =>
    links[rel] === undefined ? [] : [html`<a href="${links[rel]}">${say(texts, `frame.${rel}`)}</a>`],
  );
  return {
    header: html`<a class="name" href="/">${catalog.logo === undefined ? '' : html`<img src="${logoPath}" alt="">`}${name}</a><nav aria-label="${texts.text('frame.navigation')}"><a href="/#prices">${say(texts, 'frame.prices')}</a><a href="/docs"${marked('reference')}>${say(texts, 'frame.reference')}</a><a href="/shop/account"${marked('account')}>${say(texts, 'frame.account')}</a></nav>`,
    footer: html`<a href="${contactUrl(contact)}">${say(texts, 'frame.contact')}</a>${own}<a href="/llms.txt">${say(texts, 'frame.for_agents')}</a>`,
    style: '',
  };
}
