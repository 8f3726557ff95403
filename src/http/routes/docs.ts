import { Hono } from 'hono';
import * as Schema from '../../advisor/schema.ts';
import type { Reference } from '../../discovery/reference.ts';
import type { Shop } from '../../journeys/shop.ts';
import type { Env } from '../edge.ts';
import * as Frame from '../pages/frame.ts';
import * as Page from '../pages/reference.ts';
import * as Shopfront from '../pages/shop.ts';

/** The reference for people, of the very operations that /openapi.json describes; each page is made when it is first asked for. */
export function routes({ reference, catalog }: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const chapters = chaptersOf(reference);
  const read = Schema.reader(rootOf(reference));
  const made = new Map<string, Frame.Html>();

  app.get('/docs', () =>
    Frame.respond(200, catalog.storefront, { title: 'Reference', main: Page.contents(chapters) }),
  );
  app.get('/docs/:slug', (c) => {
    const chapter = chapters.find(({ slug }) => slug === c.req.param('slug'));
    if (chapter === undefined) {
      const main = Shopfront.refused('There is no such page.');
      return Frame.respond(404, catalog.storefront, { title: 'Not found', main });
    }
    const main = made.get(chapter.slug) ?? Page.chapter(chapter, read);
    made.set(chapter.slug, main);
    return Frame.respond(200, catalog.storefront, { title: chapter.name, main });
  });
  return app;
}

function chaptersOf({ catalog, entries }: Reference): Page.Chapter[] {
  const sold = catalog.services.map(({ slug, name, description }) => ({
    slug,
    name,
    description,
    entries: entries.filter(({ service }) => service === slug),
  }));
  const own = {
    slug: 'storefront',
    name: 'The shop itself',
    description: 'To register, to buy, to see what was used: free, and the same in every shop.',
    entries: entries.filter(({ service }) => service === null),
  };
  return [...sold, own];
}

/** The components as one document, for references to be followed in. */
function rootOf({ components }: Reference): Schema.Node {
  const root: Record<string, Record<string, unknown>> = {};
  for (const [ref, { json }] of components) {
    const [, , kind = '', name = ''] = ref.split('/');
    root[kind] = { ...root[kind], [name]: JSON.parse(json) };
  }
  return { components: root };
}
