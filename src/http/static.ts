import type { Hono } from 'hono';
import { sha256Hex } from '../kernel/digest.ts';
import type { Env } from './edge.ts';

/** A document that changes only with the catalogue: made once, served with its `ETag`. */
export type Document = { type: string; bytes: string; etag: string };

export function of(type: string, bytes: string): Document {
  return { type, bytes, etag: `"${sha256Hex(bytes).slice(0, 32)}"` };
}

export function json(value: unknown): Document {
  return of('application/json', JSON.stringify(value));
}

/** Serves a document; 304 to whoever has it (RFC 9110, section 13.1.2). */
export function get(app: Hono<Env>, path: string, document: Document): void {
  const headers = {
    etag: document.etag,
    'cache-control': 'public, max-age=60',
    'storefront-origin': 'storefront',
  };
  app.get(path, (c) => {
    const known = c.req.header('if-none-match');
    const fresh = known
      ?.split(',')
      .some((tag) => tag.trim().replace(/^W\//, '') === document.etag || tag.trim() === '*');
    if (fresh) return c.body(null, 304, headers);
    return c.body(document.bytes, 200, { ...headers, 'content-type': document.type });
  });
}
