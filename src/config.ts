import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from './kernel/digest.ts';
import * as Network from './payment/x402/network.ts';

/** Everything that a storefront process is told by its environment, and by the files that this names (process/settings.ts). */
export type Config = {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** An origin without a trailing slash. Everything that the shop links to starts with it. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  readonly catalogPath: string;
  readonly upstream: { url: string; key: string };
  readonly stripe: {
    secretKey: string;
    /** Any of them may have signed a notice: while one takes the place of another there are two. */
    webhookSecrets: readonly string[];
    networkId: string;
    apiBase: string;
  };
  /** Where payments in a dollar coin go; null: none are taken. */
  readonly coin: {
    network: Network.Network;
    payTo: string;
    facilitatorUrl: string;
    rpcUrl: string | null;
  } | null;
  /** Where storefronts count calls together for their rate limits; null: each counts its own. */
  readonly redisUrl: string | null;
  /** Who takes mail to people; null: none is sent, and accounts cannot be claimed. */
  readonly mail: { url: string; from: string } | null;
  /** SHA-256 of the token that opens the admin routes; null: there are none. */
  readonly adminTokenDigest: string | null;
  /** The header in which a trusted proxy names the caller's address; null: the connection's own. */
  readonly clientAddressHeader: string | null;
  /** The ledger lane of this process: no two live processes on one database may share it. */
  readonly lane: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Where traces go, and how many; null: nobody traces. */
  readonly tracing: {
    url: string;
    serviceName: string;
    ratio: number;
    delayMs: number;
    tellsUpstream: boolean;
  } | null;
};

type Env = Readonly<Record<string, string | undefined>>;

const bundledCatalog = fileURLToPath(new URL('../openapi/catalog.yaml', import.meta.url));
const web = ['http:', 'https:'];
const adminTokenCharsMin = 24;
/** Each with the share of traces that it records. */
const samplers = new Map([
  ['always_on', 1],
  ['always_off', 0],
  ['traceidratio', 1],
]);
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
    webhookSecrets: required('STRIPE_WEBHOOK_SECRET', 'the signing secret of its notices, whsec_...')
      .split(',')
      .map((secret) => secret.trim()),
    networkId: required('STRIPE_NETWORK_ID', 'your profile in its network, profile_...'),
    apiBase: address('STRIPE_API_BASE', env.STRIPE_API_BASE || 'https://api.stripe.com', web),
  };
  if (production && stripe.secretKey.startsWith('sk_test_sandbox'))
    faults.push('STRIPE_SECRET_KEY is the card sandbox’s: it takes play money');
  if (production && stripe.apiBase.startsWith('http:'))
    faults.push('STRIPE_API_BASE is http: cards want https');
  const coin = readCoin(env, production, faults);
  const redisUrl = address('REDIS_URL', env.REDIS_URL ?? '', ['redis:', 'rediss:']) || null;
  const mailUrl = address('SMTP_URL', env.SMTP_URL ?? '', ['smtp:', 'smtps:']);
  const mail = mailUrl === '' ? null : { url: mailUrl, from: required('MAIL_FROM', 'who mail is from') };
  const adminTokenDigest = readAdmin(env, faults);
  const logLevel = logLevels.find((level) => level === (env.LOG_LEVEL || 'info'));
  const tracing = readTracing(env, faults);
  if (!logLevel) faults.push(`LOG_LEVEL is none of ${logLevels.join(', ')}`);
  if (faults.length > 0 || !logLevel) return { ok: false, faults };

  const config: Config = {
    production,
    host,
    port,
    publicUrl,
    databaseUrl,
    catalogPath: catalogPath(env),
    upstream: { url: upstreamUrl, key: upstreamKey },
    stripe,
    coin,
    redisUrl,
    mail,
    adminTokenDigest,
    clientAddressHeader: env.CLIENT_ADDRESS_HEADER?.toLowerCase() || null,
    lane: env.LANE || `${hostname()}:${port}`,
    logLevel,
    tracing,
  };
  return { ok: true, config: Object.freeze(config) };
}

/** The catalogue file, for the storefront and for the seller's commands. */
export function catalogPath({ CATALOG }: Env): string {
  return CATALOG || bundledCatalog;
}

/** The token itself, or its digest, where whoever starts us keeps no more than that. */
function readAdmin({ ADMIN_TOKEN = '', ADMIN_TOKEN_DIGEST = '' }: Env, faults: string[]): string | null {
  if (ADMIN_TOKEN !== '') {
    if (ADMIN_TOKEN.length < adminTokenCharsMin)
      faults.push(`ADMIN_TOKEN is shorter than ${adminTokenCharsMin} characters: it moves money`);
    return sha256Hex(ADMIN_TOKEN);
  }
  if (ADMIN_TOKEN_DIGEST === '') return null;
  if (!/^[0-9a-f]{64}$/.test(ADMIN_TOKEN_DIGEST))
    faults.push('ADMIN_TOKEN_DIGEST is no SHA-256 in hexadecimal');
  return ADMIN_TOKEN_DIGEST;
}

/** All of X402_PAY_TO and X402_FACILITATOR_URL or none: half of it would take nothing and say nothing. */
function readCoin(env: Env, production: boolean, faults: string[]): Config['coin'] {
  const { X402_PAY_TO: payTo = '', X402_FACILITATOR_URL: facilitatorUrl = '', X402_RPC_URL: rpcUrl } = env;
  const network = Network.find(env.X402_NETWORK || (production ? Network.base : Network.baseSepolia).id);
  if (payTo === '' && facilitatorUrl === '') return null;
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo))
    faults.push('X402_PAY_TO is no address: 0x and 40 hexadecimal digits');
  if (network === null) faults.push(`X402_NETWORK is none of ${Network.base.id}, ${Network.baseSepolia.id}`);
  for (const [name, text] of Object.entries({
    X402_FACILITATOR_URL: facilitatorUrl,
    X402_RPC_URL: rpcUrl ?? 'https:',
  })) {
    const isHere = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(text);
    if (text !== 'https:' && URL.parse(text)?.protocol !== 'https:' && !(isHere && !production))
      faults.push(`${name} is no https address`);
  }
  return network && { network, payTo: payTo.toLowerCase(), facilitatorUrl, rpcUrl: rpcUrl || null };
}

/** The variables of OpenTelemetry that have a meaning here; headers, compression and certificates its exporter reads by itself. */
function readTracing(env: Env, faults: string[]): Config['tracing'] {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
  if (base === '' || env.OTEL_SDK_DISABLED === 'true') return null;
  const url = `${base.replace(/\/+$/, '')}/v1/traces`;
  if (!web.includes(URL.parse(url)?.protocol ?? ''))
    faults.push('OTEL_EXPORTER_OTLP_ENDPOINT is no http: or https: address');
  if (env.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc')
    faults.push('OTEL_EXPORTER_OTLP_PROTOCOL is grpc: spans go by HTTP, to port 4318 of most collectors');
  const sampler = (env.OTEL_TRACES_SAMPLER || 'always_on').replace(/^parentbased_/, '');
  const share = samplers.get(sampler);
  if (share === undefined)
    faults.push(`OTEL_TRACES_SAMPLER is none of ${[...samplers.keys()].join(', ')}, be it with parentbased_`);
  const ratio = sampler === 'traceidratio' ? Number(env.OTEL_TRACES_SAMPLER_ARG || '1') : (share ?? 0);
  if (!(ratio >= 0 && ratio <= 1)) faults.push('OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1');
  const delayMs = Number(env.OTEL_BSP_SCHEDULE_DELAY || '5000');
  if (!(delayMs >= 10 && delayMs <= 60_000))
    faults.push('OTEL_BSP_SCHEDULE_DELAY is no number of milliseconds from 10 to 60000');
  const tellsUpstream = env.UPSTREAM_TRACE_CONTEXT === 'on';
  return { url, serviceName: env.OTEL_SERVICE_NAME || 'sluice', ratio, delayMs, tellsUpstream };
}
