import { pageHeaders, style } from '@sluice/kernel/page-style';
import { html, raw } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { brandStyle } from './brand-style.ts';
import { say } from './say.ts';

export type Html = ReturnType<typeof html>;

export const logoPath = '/shop/logo';
/** Search engines cut longer descriptions. */
const descriptionCharsMax = 200;
const headers = { ...pageHeaders("'self'"), 'storefront-origin': 'storefront' };

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
};

/** Responds with a page: the header with the navigation, `main`, the footer. Rendered on the server, without scripts. */
export function respondWithPage(
  status: number,
  shop: PageContext,
  { title, main, more = {}, layout = shopLayout(shop), canonical, description, style: own = '' }: Page,
): Response {
  const page = html`<!doctype html>
<html ${languageOf(shop.texts)}>
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${canonical === undefined ? html`<meta name="robots" content="noindex">` : preview(shop, title, canonical, description)}
<link rel="icon" href="/favicon.svg"><style>${raw(style + brandStyle(shop.catalog.storefront.brand) + layout.style + own)}</style>
</head>
<body>
<header>${layout.header}</header>
<main>
${main}
</main>
<footer>${layout.footer}</footer>
</body>
</html>`;
  return new Response(String(page), { status, headers: { ...headers, ...more } });
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

function shopLayout({ catalog, texts }: PageContext): PageLayout {
  const { name, contact, links = {} } = catalog.storefront;
  const own = (['terms', 'privacy', 'imprint', 'status'] as const).flatMap((rel) =>
    links[rel] === undefined ? [] : [html`<a href="${links[rel]}">${say(texts, `frame.${rel}`)}</a>`],
  );
  const address = URL.canParse(contact) ? contact : `mailto:${contact}`;
  return {
    header: html`<a class="name" href="/">${catalog.logo === undefined ? '' : html`<img src="${logoPath}" alt="">`}${name}</a><a href="/#prices">${say(texts, 'frame.prices')}</a><a href="/docs">${say(texts, 'frame.reference')}</a><a href="/shop/account">${say(texts, 'frame.account')}</a>`,
    footer: html`<a href="${address}">${say(texts, 'frame.contact')}</a>${own}<a href="/auth.md">${say(texts, 'frame.for_programs')}</a><a href="/llms.txt">${say(texts, 'frame.for_agents')}</a><a href="/openapi.json">${say(texts, 'frame.openapi')}</a><a href="/manifest.json">${say(texts, 'frame.manifest')}</a>`,
    style: '',
  };
}
