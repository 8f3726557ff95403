import { sha256Hex } from '@sluice/kernel/digest';
import type { Hono } from 'hono';
import type { Call, Env } from '../request-context.ts';

/** A document that changes only with the catalogue. It is rendered once and served with its `ETag` and `Link`. */
export type StaticDocument = { type: string; bytes: string; etag: string; links: readonly Link[] };

/** A web link (RFC 8288). */
export type Link = { rel: string; href: string; type?: string };

export function documentOf(type: string, bytes: string, links: readonly Link[] = []): StaticDocument {
  // Weak: the same document is also sent compressed.
  return { type, bytes, etag: `W/"${sha256Hex(bytes).slice(0, 32)}"`, links };
}

export function jsonDocument(value: unknown, links: readonly Link[] = []): StaticDocument {
  return documentOf('application/json', JSON.stringify(value), links);
}

/** Serves a document at its path. */
export function serveDocument(app: Hono<Env>, path: string, document: StaticDocument): void {
  app.get(path, (c) => respondWithDocument(c, document));
}

/** Sends a document with the headers of `more`, or 304 when the client already has it (RFC 9110, section 13.1.2). */
export function respondWithDocument(
  c: Call,
  { type, bytes, etag, links }: StaticDocument,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = {
    ...more,
    etag,
    'cache-control': 'public, max-age=60',
    'storefront-origin': 'storefront',
    ...(links.length > 0 && { link: links.map(linkValue).join(', ') }),
  };
  const known = c.req.header('if-none-match');
  const fresh = known
    ?.split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === etag || `W/${tag}` === etag || tag === '*');
  if (fresh) return c.body(null, 304, headers);
  return c.body(bytes, 200, { ...headers, 'content-type': type });
}

function linkValue({ rel, href, type }: Link): string {
  return `<${href}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`;
}
