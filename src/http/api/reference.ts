import { nearest } from '@sluice/kernel/did-you-mean';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { DiscoveryContext } from '../../discovery/discovery-context.ts';
import * as Page from '../../discovery/openapi-page.ts';
import * as OperationPage from '../../discovery/operation-page.ts';
import { path } from '../../discovery/paths.ts';
import type { Reference } from '../../discovery/reference.ts';
import { error } from '../reply.ts';
import { type Call, type Env, requestId, send, unprocessable } from '../request-context.ts';
import { DocumentCache } from './document-cache.ts';
import * as Static from './static.ts';

/** Maximum total size of cached responses to filtered queries; the least recently used one is evicted first. */
const askedBytesMax = 8 * 1024 * 1024;
const wordsCharsMax = 200;
const pathCharsMax = 300;

/** The paged OpenAPI description of the whole shop and of each service. */
export function referenceRoutes(
  shop: Pick<CatalogContext, 'catalog' | 'publicUrl'> & Pick<DiscoveryContext, 'reference'>,
): Hono<Env> {
  const app = new Hono<Env>();
  const { reference, publicUrl, catalog } = shop;
  const slugs = new Set(catalog.services.map(({ slug }) => slug));
  const keep = keeper(reference);

  app.get(path.openapi, (c) => {
    const component = c.req.query('component');
    if (component !== undefined) return componentAnswer(c, reference, component);
    const service = c.req.query('service');
    if (service === undefined || slugs.has(service)) return answer(c, keep, service ?? null);
    const near = nearest(service, [...slugs]);
    const choice = near === null ? `Services: ${[...slugs].join(', ')}.` : `Did you mean "${near}"?`;
    return send(
      c,
      unprocessable(c, [{ field: 'service', message: `Unknown service "${service}". ${choice}` }]),
    );
  });
  app.get(`/services/:slug${path.openapi}`, (c) => {
    const slug = c.req.param('slug');
    if (slugs.has(slug)) return answer(c, keep, slug);
    return send(
      c,
      error(404, 'not_found', c.get('texts').text('api.not_found.service'), requestId(c), {
        services: publicUrl + path.services,
      }),
    );
  });
  return app;
}

function componentAnswer(c: Call, reference: Reference, name: string): Response {
  const json = OperationPage.componentPage(reference, name);
  if (json !== null) return Static.respondWithDocument(c, Static.documentOf('application/json', json));
  const message = 'Must be a component of this description, such as "schemas/StorefrontError"';
  return send(c, unprocessable(c, [{ field: 'component', message }]));
}

type Kept = { document: Static.StaticDocument } | Extract<Page.PageResult, { kind: 'no_page' }>;

function answer(c: Call, keep: (query: Page.ReferenceQuery) => Kept, service: string | null): Response {
  const read = readQuery(new URL(c.req.url).searchParams, service);
  if (!('query' in read)) return send(c, unprocessable(c, read.faults));
  const kept = keep(read.query);
  if ('document' in kept) return Static.respondWithDocument(c, kept.document);
  const { pages, first } = kept;
  const message = c.get('texts').text('api.no_such_page', { pages: String(pages) });
  return send(c, error(404, 'no_such_page', message, requestId(c), { pages, first }));
}

type Fault = { field: string; message: string };

function readQuery(
  given: URLSearchParams,
  service: string | null,
): { query: Page.ReferenceQuery } | { faults: Fault[] } {
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

/** Renders each page once. Unfiltered pages are kept, because the catalogue bounds their number; others within `askedBytesMax`. */
function keeper(reference: Reference): (query: Page.ReferenceQuery) => Kept {
  const plain = new Map<string, Static.StaticDocument>();
  const asked = new DocumentCache(askedBytesMax);
  return (query) => {
    const key = JSON.stringify(query);
    const isPlain = query.words === null && query.path === null && query.method === null;
    const known = isPlain ? plain.get(key) : asked.get(key);
    if (known !== undefined) return { document: known };
    const made = Page.pageOf(reference, query);
    if (made.kind === 'no_page') return made;
    const links = made.next === null ? [] : [{ rel: 'next', href: made.next }];
    const document = Static.documentOf('application/json', made.json, links);
    if (isPlain) plain.set(key, document);
    else asked.add(key, document);
    return { document };
  };
}
