import { Hono } from 'hono';
import { path } from '../../discovery/directory.ts';
import * as Page from '../../discovery/page.ts';
import type { Reference } from '../../discovery/reference.ts';
import type { Shop } from '../../journeys/shop.ts';
import { type Call, type Env, requestId, send, unprocessable } from '../edge.ts';
import { error } from '../reply.ts';
import * as Static from '../static.ts';

/** Answers to queries of callers' own making are kept up to this sum; the one that was not asked for longest goes first. */
const askedBytesMax = 8 * 1024 * 1024;
const wordsCharsMax = 200;
const pathCharsMax = 300;

/** The machine-readable description, a page at a time: of the whole shop, and of each service. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const { reference, publicUrl, catalog } = shop;
  const slugs = new Set(catalog.services.map(({ slug }) => slug));
  const keep = keeper(reference);

  app.get(path.openapi, (c) => answer(c, keep, null));
  app.get(`/services/:slug${path.openapi}`, (c) => {
    const slug = c.req.param('slug');
    if (slugs.has(slug)) return answer(c, keep, slug);
    return send(
      c,
      error(404, 'not_found', 'Not Found', requestId(c), { services: publicUrl + path.services }),
    );
  });
  return app;
}

type Kept = { document: Static.Document } | Extract<Page.Answer, { kind: 'no_page' }>;

function answer(c: Call, keep: (query: Page.Query) => Kept, service: string | null): Response {
  const read = readQuery(new URL(c.req.url).searchParams, service);
  if (!('query' in read)) return send(c, unprocessable(c, read.faults));
  const kept = keep(read.query);
  if ('document' in kept) return Static.respond(c, kept.document);
  const { pages, first } = kept;
  const message = `There is no such page: ask for 1 to ${pages}.`;
  return send(c, error(404, 'no_such_page', message, requestId(c), { pages, first }));
}

type Fault = { field: string; message: string };

function readQuery(
  given: URLSearchParams,
  service: string | null,
): { query: Page.Query } | { faults: Fault[] } {
  const page = given.get('page') ?? '1';
  const words = given.get('q')?.trim() || null;
  const exact = given.get('path') || null;
  const method = given.get('method')?.toUpperCase() || null;
  const checks: [string, boolean, string][] = [
    ['page', page === 'all' || /^[1-9]\d{0,5}$/.test(page), 'Must be a page from 1, or "all"'],
    ['q', (words?.length ?? 0) <= wordsCharsMax, `Must have at most ${wordsCharsMax} characters`],
    [
      'path',
      exact === null || (exact.startsWith('/') && exact.length <= pathCharsMax),
      'Must be a path, such as "/services"',
    ],
    ['method', method === null || /^[A-Z]{1,10}$/.test(method), 'Must be a method, such as "POST"'],
  ];
  const faults = checks.filter(([, isRight]) => !isRight).map(([field, , message]) => ({ field, message }));
  if (faults.length > 0) return { faults };
  return { query: { page: page === 'all' ? page : Number(page), words, path: exact, method, service } };
}

/** Makes each page once: for good where the catalogue bounds how many there are, else within `askedBytesMax`. */
function keeper(reference: Reference): (query: Page.Query) => Kept {
  const plain = new Map<string, Static.Document>();
  const asked = new Map<string, Static.Document>();
  let askedBytes = 0;
  return (query) => {
    const key = JSON.stringify(query);
    const isPlain = query.words === null && query.path === null && query.method === null;
    const cache = isPlain ? plain : asked;
    const known = cache.get(key);
    if (known !== undefined) {
      cache.delete(key);
      cache.set(key, known);
      return { document: known };
    }
    const made = Page.of(reference, query);
    if (made.kind === 'no_page') return made;
    const links = made.next === null ? [] : [{ rel: 'next', href: made.next }];
    const document = Static.of('application/json', made.json, links);
    cache.set(key, document);
    if (!isPlain) askedBytes += document.bytes.length;
    for (const [oldest, { bytes }] of asked) {
      if (askedBytes <= askedBytesMax) break;
      asked.delete(oldest);
      askedBytes -= bytes.length;
    }
    return { document };
  };
}
