import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Everything that a storefront process is told by its environment; the only reader of process.env in it. */
export type Config = {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** An origin without a trailing slash. Everything that the shop links to starts with it. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  readonly catalogPath: string;
  readonly upstream: { url: string; key: string };
  readonly stripe: { secretKey: string; webhookSecret: string; networkId: string; apiBase: string };
  /** The header in which a trusted proxy names the caller's address; null: the connection's own. */
  readonly clientAddressHeader: string | null;
  /** The ledger lane of this process: no two live processes on one database may share it. */
  readonly lane: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
};

type Env = Readonly<Record<string, string | undefined>>;

const bundledCatalog = fileURLToPath(new URL('../openapi/catalog.yaml', import.meta.url));
const web = ['http:', 'https:'];
const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Reads the environment; all its faults at once, each naming the setting to change. */
export function parse(env: Env): { ok: true; config: Config } | { ok: false; faults: string[] } {
  const faults: string[] = [];
  const production = env.NODE_ENV === 'production';
  const required = (name: string, what: string): string => {
    const value = env[name] ?? '';
    if (value === '') faults.push(`${name} is missing: ${what}`);
    return value;
  };
  const address = (name: string, text: string, protocols: string[]): string => {
    if (text === '') return '';
    const url = URL.parse(text);
    if (!url || !protocols.includes(url.protocol))
      faults.push(`${name} is no ${protocols.join(' or ')} address`);
    return text.replace(/\/+$/, '');
  };

  const host = env.HOST || '127.0.0.1';
  const port = Number(env.PORT || '4020');
  const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535;
  if (!isPort) faults.push('PORT is no port number');
  const publicUrl = address('PUBLIC_URL', env.PUBLIC_URL || `http://localhost:${isPort ? port : 0}`, web);
  const parsed = URL.parse(publicUrl);
  if (parsed && web.includes(parsed.protocol) && parsed.origin !== publicUrl)
    faults.push('PUBLIC_URL is more than an origin: no path, query or credentials');
  if (production && !env.PUBLIC_URL)
    faults.push('PUBLIC_URL is missing: the https origin under which callers reach the shop');
  if (production && parsed && parsed.protocol !== 'https:')
    faults.push('PUBLIC_URL is http: money and tokens want https');

  const databaseUrl = address(
    'DATABASE_URL',
    required('DATABASE_URL', 'a PostgreSQL 15 or later, postgres://...'),
    ['postgres:', 'postgresql:'],
  );
  const upstreamUrl = address('UPSTREAM_URL', required('UPSTREAM_URL', 'the HTTP API that is sold'), [
    'http:',
    'https:',
  ]);
  const upstreamKey = production
    ? required('UPSTREAM_API_KEY', 'the key of that API')
    : (env.UPSTREAM_API_KEY ?? '');
  const stripe = {
    secretKey: required('STRIPE_SECRET_KEY', 'the card processor’s secret key, sk_...'),
    webhookSecret: required('STRIPE_WEBHOOK_SECRET', 'the signing secret of its notices, whsec_...'),
    networkId: required('STRIPE_NETWORK_ID', 'your profile in its network, profile_...'),
    apiBase: address('STRIPE_API_BASE', env.STRIPE_API_BASE || 'https://api.stripe.com', web),
  };
  if (production && stripe.secretKey.startsWith('sk_test_sandbox'))
    faults.push('STRIPE_SECRET_KEY is the card sandbox’s: it takes play money');
  if (production && stripe.apiBase.startsWith('http:'))
    faults.push('STRIPE_API_BASE is http: cards want https');
  const logLevel = logLevels.find((level) => level === (env.LOG_LEVEL || 'info'));
  if (!logLevel) faults.push(`LOG_LEVEL is none of ${logLevels.join(', ')}`);
  if (faults.length > 0 || !logLevel) return { ok: false, faults };

  const config: Config = {
    production,
    host,
    port,
    publicUrl,
    databaseUrl,
    catalogPath: env.CATALOG || bundledCatalog,
    upstream: { url: upstreamUrl, key: upstreamKey },
    stripe,
    clientAddressHeader: env.CLIENT_ADDRESS_HEADER?.toLowerCase() || null,
    lane: env.LANE || `${hostname()}:${port}`,
    logLevel,
  };
  return { ok: true, config: Object.freeze(config) };
}
