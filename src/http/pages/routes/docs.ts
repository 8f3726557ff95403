import * as Schema from '@sluice/kernel/json-schema';
import { type Context, Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { Operation } from '../../../catalog/operation.ts';
import type { DiscoveryContext } from '../../../discovery/discovery-context.ts';
import * as OperationSearch from '../../../discovery/operation-search.ts';
import { rootOf } from '../../../discovery/reference.ts';
import type { Texts } from '../../../text/texts.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { DocumentCache } from '../../api/document-cache.ts';
import * as Static from '../../api/static.ts';
import { error } from '../../reply.ts';
import { type Call, type Env, requestId, send } from '../../request-context.ts';
import * as Frame from '../frame.ts';
import { responseExample } from '../reference/examples.ts';
import { isNamed, navigation, type Place } from '../reference/navigation.ts';
import { operation } from '../reference/operation.ts';
import {
  home,
  type OperationPage,
  type Outline,
  outlineOf,
  ownSlug,
  pagesOf,
  slugOf,
} from '../reference/outline.ts';
import * as Overview from '../reference/overview.ts';
import { commonRefusals } from '../reference/refusals.ts';
import { hasField } from '../reference/snippet.ts';
import { style } from '../reference/style.ts';
import type { ReferenceWriter } from '../reference/writer.ts';

/** Maximum total size of the rendered pages that are kept. */
const keptBytesMax = 16 * 1024 * 1024;
const wordsCharsMax = 200;
const foundMax = 50;
/** The share of the sold operations that have a common header. */
const commonShare = 0.75;

export type ReferenceContext = Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<DiscoveryContext, 'reference'> &
  TextsContext;
/** The reference of a catalogue, ready to be written. */
export type ReferencePages = { outline: Outline; write: ReferenceWriter };

export function referencePages({ reference, catalog, publicUrl, texts }: ReferenceContext): ReferencePages {
  const outline = outlineOf(reference, texts);
  const pages = pagesOf(outline);
  const root = rootOf(reference);
  const schemas = { texts, root, read: Schema.reader(root) };
  const common = commonRefusals(schemas, pages);
  const sold = pages.filter((page) => page.sold !== null);
  const counts = new Map<string, number>();
  for (const { entry } of sold)
    for (const one of Schema.list(entry.operation.parameters))
      if (schemas.read(one).in === 'header')
        counts.set(JSON.stringify(one), (counts.get(JSON.stringify(one)) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count >= sold.length * commonShare);
  const commonHeaders = new Set(shared.map(([text]) => text));
  return { outline, write: { ...schemas, catalog, publicUrl, common, commonHeaders } };
}

/** Returns a function that gives the example response of a sold operation; null when there is none. */
export function responseExamples({
  outline,
  write,
}: ReferencePages): (operation: Operation) => string | null {
  const byId = new Map(pagesOf(outline).map((page) => [page.sold?.id, page]));
  return ({ id }) => {
    const page = byId.get(id);
    const responses = Object.entries(Schema.node(page?.entry.operation.responses));
    const [, success] = responses.find(([status]) => status.startsWith('2')) ?? [];
    return success === undefined ? null : responseExample(write, success);
  };
}

/**
 * The reference pages of the operations in /openapi.json. They are the same for every visitor, so that browsers and proxies may keep them.
 * Each page is rendered on its first request and then kept.
 */
export function docsPages(shop: ReferenceContext, pages: ReferencePages): Hono<Env> {
  const app = new Hono<Env>();
  const { texts, reference } = shop;
  const { outline, write } = pages;
  const all = pagesOf(outline);
  const byPath = new Map(all.map((page) => [page.path, page]));
  const byAt = new Map(all.map((page) => [page.entry.at, page]));
  const chapters = outline.sold.flatMap((group) => group.chapters);
  const cache = new DocumentCache(keptBytesMax);

  const respond = (c: Context<Env>, path: string, make: () => ReferencePage) => {
    const known = cache.get(path);
    const document = known ?? Static.documentOf(htmlType, pageText(shop, outline, path, make()));
    if (known === undefined) cache.add(path, document);
    return Static.respondWithDocument(c, document, pageHeaders);
  };

  app.get(home, (c) => {
    const words = c.req.query('q')?.trim().slice(0, wordsCharsMax) ?? '';
    const title = texts.text('reference.title');
    if (words === '')
      return respond(c, home, () => ({ title, main: Overview.overview(write, outline), place: nowhere }));
    const named = all.filter((page) => isNamed(page, words)).slice(0, foundMax);
    const isOther = (page: OperationPage) => !named.includes(page);
    const exact = all.filter((page) => isOther(page) && hasField(write.read, page, words));
    // The name of a field is no sentence: operations that have only parts of it are noise.
    const isFieldName = exact.length > 0 && /^\w+([_.]\w+)+$/.test(words);
    const similar = isFieldName
      ? []
      : OperationSearch.find(reference.finder, words, true).flatMap((at) => byAt.get(at) ?? []);
    const inside = [...new Set([...exact, ...similar.filter(isOther)])].slice(0, foundMax);
    return Frame.respondWithPage(200, shop, {
      title,
      main: Overview.found(write, words, { named, inside }),
      ...framed(shop, outline, nowhere, words),
    });
  });
  app.get(`${home}/${ownSlug}`, (c) =>
    respond(c, `${home}/${ownSlug}`, () => ({
      title: outline.own.name,
      main: Overview.own(write, outline.own, slugOf),
      place: nowhere,
    })),
  );
  app.get(`${home}/:slug`, (c) => {
    const path = `${home}/${c.req.param('slug')}`;
    const page = byPath.get(path) ?? null;
    const chapter = chapters.find((one) => one.path === path);
    if (chapter === undefined) return noPage(c, texts);
    return respond(c, path, () => ({
      title: chapter.name,
      main: page === null ? Overview.service(write, chapter) : operation(write, page),
      place: { chapter, page },
      description: chapter.description,
    }));
  });
  app.get(`${home}/:slug/:operation`, (c) => {
    const path = `${home}/${c.req.param('slug')}/${c.req.param('operation')}`;
    const page = byPath.get(path);
    if (page === undefined) return noPage(c, texts);
    const { chapter, entry, title } = page;
    return respond(c, path, () => ({
      title,
      main: operation(write, page),
      place: { chapter, page },
      description: Schema.text(entry.operation.description),
    }));
  });
  return app;
}

/** The 404 of an address below the reference. */
export function noPage(c: Call, texts: Texts): Response {
  return send(c, error(404, 'not_found', texts.text('not_found.text'), requestId(c)));
}

type ReferencePage = { title: string; main: Frame.Html; place: Place; description?: string };

const htmlType = 'text/html; charset=utf-8';
const nowhere: Place = { chapter: null, page: null };
const pageHeaders = {
  'content-security-policy': Frame.scriptPolicy,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

function pageText(
  shop: ReferenceContext,
  outline: Outline,
  path: string,
  { title, main, place, description }: ReferencePage,
): string {
  const canonical = `${shop.publicUrl}${path}`;
  return Frame.pageText(shop, {
    title,
    main,
    canonical,
    ...(description !== undefined && { description }),
    ...framed(shop, outline, place),
  });
}

/** The layout of a page of the reference, with its navigation. */
export function framed(shop: ReferenceContext, outline: Outline, place: Place, words = '') {
  const beside = navigation(shop.texts, outline, place, words);
  return { beside, isScripted: true, layout: { ...Frame.shopLayout(shop), style } };
}
