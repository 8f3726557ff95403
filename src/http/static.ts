import type { Hono } from 'hono';
import { sha256Hex } from '../kernel/digest.ts';
import type { Call, Env } from './edge.ts';

/** A document that changes only with the catalogue: made once, served with its `ETag` and its `Link`. */
export type Document = { type: string; bytes: string; etag: string; links: readonly Link[] };

/** Where else to look (RFC 8288). */
export type Link = { rel: string; href: string; type?: string };

export function of(type: string, bytes: string, links: readonly Link[] = []): Document {
  return { type, bytes, etag: `"${sha256Hex(bytes).slice(0, 32)}"`, links };
}

export function json(value: unknown, links: readonly Link[] = []): Document {
  return of('application/json', JSON.stringify(value), links);
}

/** Serves a document at its path. */
export function get(app: Hono<Env>, path: string, document: Document): void {
  app.get(path, (c) => respond(c, document));
}

/** Sends a document; 304 to whoever has it (RFC 9110, section 13.1.2). */
export function respond(c: Call, { type, bytes, etag, links }: Document): Response {
  const headers = {
    etag,
    'cache-control': 'public, max-age=60',
    'storefront-origin': 'storefront',
    ...(links.length > 0 && { link: links.map(linkValue).join(', ') }),
  };
  const known = c.req.header('if-none-match');
  const fresh = known
    ?.split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*');
  if (fresh) return c.body(null, 304, headers);
  return c.body(bytes, 200, { ...headers, 'content-type': type });
}

function linkValue({ rel, href, type }: Link): string {
  return `<${href}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`;
}
