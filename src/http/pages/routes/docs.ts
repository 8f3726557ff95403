import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { DiscoveryContext } from '../../../discovery/discovery-context.ts';
import { type Reference, schemaReader } from '../../../discovery/reference.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import type { Texts } from '../../../text/texts.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import type { Env } from '../../request-context.ts';
import * as Frame from '../frame.ts';
import * as Page from '../reference.ts';
import * as Shopfront from '../shop.ts';

/** The reference pages of the operations in /openapi.json. Each page is rendered on its first request and then kept. */
export function docsPages(
  shop: Pick<CatalogContext, 'catalog'> &
    Pick<DiscoveryContext, 'reference'> &
    Pick<IdentityContext, 'publicUrl'> &
    TextsContext,
): Hono<Env> {
  const app = new Hono<Env>();
  const { reference, texts } = shop;
  const chapters = chaptersOf(reference, texts);
  const write = { texts, read: schemaReader(reference) };
  const made = new Map<string, Frame.Html>();

  app.get('/docs', () =>
    Frame.respondWithPage(200, shop, {
      title: texts.text('reference.title'),
      main: Page.contents(texts, chapters),
      canonical: `${shop.publicUrl}/docs`,
    }),
  );
  app.get('/docs/:slug', (c) => {
    const chapter = chapters.find(({ slug }) => slug === c.req.param('slug'));
    if (chapter === undefined) {
      const main = Shopfront.refused(
        texts,
        texts.text('reference.not_found_text'),
        texts.text('reference.not_found'),
      );
      return Frame.respondWithPage(404, shop, { title: texts.text('reference.not_found_title'), main });
    }
    const main = made.get(chapter.slug) ?? Page.chapter(write, chapter);
    made.set(chapter.slug, main);
    const canonical = `${shop.publicUrl}/docs/${chapter.slug}`;
    return Frame.respondWithPage(200, shop, {
      title: chapter.name,
      main,
      canonical,
      description: chapter.description,
    });
  });
  return app;
}

function chaptersOf({ catalog, entries }: Reference, texts: Texts): Page.Chapter[] {
  const sold = catalog.services.map(({ slug, name, description }) => ({
    slug,
    name,
    description,
    entries: entries.filter(({ service }) => service === slug),
  }));
  const own = {
    slug: 'storefront',
    name: texts.text('reference.storefront'),
    description: texts.text('reference.storefront_text'),
    entries: entries.filter(({ service }) => service === null),
  };
  return [...sold, own];
}
