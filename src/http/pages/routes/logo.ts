import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { Env } from '../../request-context.ts';
import { logoPath } from '../frame.ts';

/** An SVG image that is opened as a page must not run scripts in the shop's origin. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const headers = {
  'cache-control': 'public, max-age=3600',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'storefront-origin': 'storefront',
};

/** Serves the logo of the shop, when its catalogue has one. */
export function logoRoute({ catalog: { logo } }: Pick<CatalogContext, 'catalog'>): Hono<Env> {
  const app = new Hono<Env>();
  if (logo !== undefined)
    app.get(logoPath, (c) =>
      c.body(new Uint8Array(logo.bytes), 200, { ...headers, 'content-type': logo.type }),
    );
  return app;
}
