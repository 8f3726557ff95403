import { path as identity } from '@sluice/kernel/endpoints';
import type { Catalog } from '../catalog/catalog.ts';
import { path } from './paths.ts';

/** The media type of the API catalogue, with the profile that RFC 9727 requires. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
/** RFC 9116 recommends less than a year. */
const securityMonths = 6;

/** Returns the body of /.well-known/api-catalog: the API and its descriptions (RFC 9727, RFC 9264). */
export function apiCatalog(catalog: Catalog, baseUrl: string) {
  const to = (at: string, type: string, title?: string) => ({
    href: baseUrl + at,
    type,
    ...(title !== undefined && { title }),
  });
  const json = 'application/json';
  return {
    linkset: [
      {
        anchor: baseUrl + path.apiCatalog,
        item: [
          { href: `${baseUrl}/`, title: catalog.storefront.name },
          { href: baseUrl + path.mcp, title: 'The same as tools: MCP over streamable HTTP' },
        ],
      },
      {
        anchor: `${baseUrl}/`,
        'service-desc': [
          to(path.openapi, json, 'OpenAPI 3.1, the whole shop'),
          ...catalog.services.map(({ slug, name }) => to(`/services/${slug}/openapi.json`, json, name)),
        ],
        'service-doc': [
          to(path.docs, 'text/html', 'The reference for people'),
          to(path.llms, 'text/plain', 'The shop in words'),
          to(path.llmsFull, 'text/plain', 'Every operation in words'),
          to(path.skill, 'text/markdown', 'How an agent uses it'),
          to(identity.guide, 'text/markdown', 'How an agent registers'),
        ],
        'service-meta': [
          to(path.manifest, json, 'Services, plans, prices'),
          to(path.signedManifest, 'application/jose', 'The same, signed'),
          to(path.services, json, 'Services and price matrix'),
          to(identity.protectedResource, json, 'OAuth protected resource'),
          to(identity.authorizationServer, json, 'OAuth authorization server'),
        ],
        status: [to(path.health, json)],
      },
    ],
  };
}

/** Returns the body of /.well-known/security.txt (RFC 9116), valid for six months from the month of `nowMs`; the text changes once a month. */
export function securityTxt(contact: string, baseUrl: string, nowMs: number): string {
  const now = new Date(nowMs);
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + securityMonths + 1));
  const address = contact.includes('://') ? contact : `mailto:${contact}`;
  return [
    `Contact: ${address}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${path.security}`,
    '',
  ].join('\n');
}

/** Returns the body of /robots.txt (RFC 9309): pages of accounts and payments are not for crawlers. */
export function robotsTxt(baseUrl: string): string {
  const closed = ['/account', '/checkout/', '/receipts/', '/shop/'];
  return [
    'User-agent: *',
    ...closed.map((at) => `Disallow: ${at}`),
    '',
    `Sitemap: ${baseUrl}${path.sitemap}`,
    '',
  ].join('\n');
}

/** Returns the body of /sitemap.xml: the pages that search engines list. */
export function sitemap({ services }: Pick<Catalog, 'services'>, baseUrl: string): string {
  const pages = [
    '/',
    path.docs,
    ...services.map(({ slug }) => `${path.docs}/${slug}`),
    `${path.docs}/storefront`,
  ];
  const urls = pages.map((at) => `<url><loc>${baseUrl}${at}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`;
}

/** Returns the body of /.well-known/x402: the operations with an x402 challenge. The OpenAPI description has the same information. */
export function x402(catalog: Catalog, baseUrl: string, takesCoin: boolean) {
  const bought = catalog.plans.filter(({ kind }) => takesCoin && kind !== 'trial');
  return {
    version: 1,
    resources: [path.quote, ...bought.map(({ id }) => `/plans/${id}/purchase`)].map((at) => baseUrl + at),
    instructions: `Calls are paid from plans, not one by one: ${baseUrl}${path.skill}`,
  };
}

/** Returns the shop's icon: the first letter or digit of its name, on its colour. */
export function icon({ name, brand }: Catalog['storefront']): string {
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${brand?.colour ?? '#0b5f52'}"/>` +
    `<text x="32" y="45" font-family="system-ui,sans-serif" font-size="38" font-weight="700" fill="#fff" text-anchor="middle">${letter}</text></svg>`
  );
}
