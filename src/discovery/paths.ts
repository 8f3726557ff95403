import { path as identity } from '@sluice/kernel/endpoints';

/** The paths of the discovery documents below the public URL, for routes and links. */
export const path = {
  start: '/',
  manifest: '/manifest.json',
  signedManifest: '/manifest.jws',
  manifestSchema: '/schemas/manifest.json',
  services: '/services',
  serviceSchema: '/schemas/service.json',
  paymentInfoSchema: '/schemas/payment-info.json',
  openapi: '/openapi.json',
  docs: '/docs',
  llms: '/llms.txt',
  llmsFull: '/llms-full.txt',
  skill: '/skill.md',
  apiCatalog: '/.well-known/api-catalog',
  security: '/.well-known/security.txt',
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
  x402: '/.well-known/x402',
  icon: '/favicon.svg',
  guide: '/advisor/guide',
  quote: '/advisor/quote',
  /** The addresses of both that the requirement names. They answer the same. */
  requiredGuide: '/zeroclick/agent/guide',
  requiredQuote: '/zeroclick/agent/quote',
  mcp: '/mcp',
  account: '/account',
  health: '/readyz',
} as const;

/** The links of the manifest and the start page, by relation. */
export const links: Readonly<Record<string, string>> = {
  signed: path.signedManifest,
  schema: path.manifestSchema,
  openapi: path.openapi,
  guide: path.guide,
  auth: identity.guide,
  llms: path.llms,
  llms_full: path.llmsFull,
  skill: path.skill,
  api_catalog: path.apiCatalog,
  security: path.security,
  x402: path.x402,
  jwks: identity.keys,
  account: path.account,
  health: path.health,
};

/** Returns the `Link` header of the start page (RFC 8631, RFC 9727), for crawlers that read no body. */
export function startLinks(baseUrl: string): { rel: string; href: string; type?: string }[] {
  return [
    { rel: 'api-catalog', href: baseUrl + path.apiCatalog, type: 'application/linkset+json' },
    { rel: 'service-desc', href: baseUrl + path.openapi, type: 'application/json' },
    { rel: 'service-doc', href: baseUrl + path.llms, type: 'text/plain' },
    { rel: 'service-meta', href: baseUrl + path.manifest, type: 'application/json' },
    { rel: 'icon', href: baseUrl + path.icon, type: 'image/svg+xml' },
    { rel: 'status', href: baseUrl + path.health, type: 'application/json' },
  ];
}
