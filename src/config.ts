import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { hint } from '@sluice/kernel/did-you-mean';
import { sha256Hex } from '@sluice/kernel/digest';
import * as NamedVariables from './catalog/named-variables.ts';
import type { OidcSettings } from './identity/operators/oidc.ts';
import type { TrustedAgent } from './identity/registration.ts';
import type { TeamLimits } from './identity/team/invitation.ts';
import type { CardLimits } from './payment/card-attempt.ts';
import * as AbuseSettings from './process/abuse-settings.ts';
import * as EventSettings from './process/event-settings.ts';
import { type Rail, rails } from './process/integration-settings.ts';
import * as Settings from './process/settings.ts';
import * as SocketSettings from './process/socket-settings.ts';
import { readTeamLimits } from './process/team-settings.ts';
import * as UsageSettings from './process/usage-settings.ts';
import * as X402Settings from './process/x402-settings.ts';
import type { SocketLimits } from './proxy/open-sockets.ts';
import type * as UnpaidCalls from './proxy/unpaid-calls.ts';

/** The configuration of a storefront process: its environment and the files that this names (process/settings.ts). */
export type Config = {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** An origin without a trailing slash. Every link of the shop starts with it. */
  readonly publicUrl: string;
  /** Earlier values of `publicUrl`: payments taken under them belong to this shop. */
  readonly formerPublicUrls: readonly string[];
  readonly databaseUrl: string;
  /** The same database as its owner, who migrates it; null when the role of `databaseUrl` owns it. */
  readonly databaseOwnerUrl: string | null;
  /** A standby of the same database, for reports; null: they are read from `databaseUrl`. */
  readonly databaseReadUrl: string | null;
  /** True when the start applies migrations; false when it refuses a database that lacks some. */
  readonly migrates: boolean;
  readonly catalogPath: string;
  /** The file with the seller's texts; null for the English defaults. */
  readonly textsPath: string | null;
  readonly upstream: {
    url: string;
    key: string;
    /** The HTTP client for the upstream. */
    client: 'built-in' | 'undici';
    /** True when a connection carries one request after another. */
    reusesConnections: boolean;
  };
  /** True when the built-in HTTP reader handles paid calls; otherwise Node's server reads every request. */
  readonly httpFastPath: boolean;
  /** Maximum number of client connections; null: as many as the limit of file descriptors allows. */
  readonly connectionsMax: number | null;
  /** Time after SIGTERM in which new requests are still served. */
  readonly drainMs: number;
  /** Maximum time for running calls and streams to finish after that. */
  readonly drainMaxMs: number;
  readonly stripe: {
    secretKey: string;
    /** Any of them may have signed a webhook event: during a rotation there are two. */
    webhookSecrets: readonly string[];
    /** Empty when the shop has no profile in Stripe's network; agents are then not offered card tokens. */
    networkId: string;
    apiBase: string;
    sharedTokenVersion?: string;
  };
  /** The rails on which payments are offered; orders that were offered on others are still accepted. */
  readonly rails: readonly Rail[];
  /** Receives payments in a dollar token; null: none are accepted. */
  readonly coin: X402Settings.Coin | null;
  /** Redis, where storefronts share their rate limits; null: each process counts its own calls. */
  readonly redisUrl: string | null;
  /** The mail server; null: no mail is sent, and accounts cannot be claimed. */
  readonly mail: { url: string; from: string } | null;
  /** SHA-256 of the admin token; null: there are no admin routes. */
  readonly adminTokenDigest: string | null;
  /** The limits beyond which the console lists a figure as a task. */
  readonly attentionLimits: { readonly marginPercentMin: number; readonly errorPercentMax: number };
  /** Sign-in to the console. */
  readonly console: {
    readonly acceptsToken: boolean;
    readonly sessionHours: number;
    readonly oidc: OidcSettings | null;
  };
  /** The header in which a trusted proxy names the caller's address; null: the address of the connection. */
  readonly clientAddressHeader: string | null;
  /** The agents whose signed registrations have limits of their own. */
  readonly trustedAgents: readonly TrustedAgent[];
  /** Limits against card testing. */
  readonly cardLimits: CardLimits;
  /** The time for which personal data is kept. */
  readonly retention: ReturnType<typeof AbuseSettings.readRetention>;
  readonly teamLimits: TeamLimits;
  /** The ledger writer of this process: no two running processes on one database may share it. */
  readonly writer: string;
  /** Limits for calls that the upstream served and the caller did not pay for. */
  readonly unpaidCalls: UnpaidCalls.UnpaidCallLimits;
  /** Withheld responses of one account and operation beyond those that it pays for. */
  readonly withheldCallsMax: number;
  /** Limits of WebSockets. */
  readonly sockets: SocketLimits;
  /** The days for which calls are kept in the database, and the place of archives. */
  readonly usageRetention: UsageSettings.UsageRetention;
  /** Rules for the delivery of the seller's events. */
  readonly events: EventSettings.EventRules;
  /** Memory of this process for request bodies. */
  readonly bodyMemoryBytes: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** The collector of traces and how many to record; null: tracing is off. */
  readonly tracing: {
    url: string;
    serviceName: string;
    ratio: number;
    delayMs: number;
    tellsUpstream: boolean;
  } | null;
};

type Env = Settings.Env;
type Read = ReturnType<typeof Settings.reader>;

const bundledCatalog = fileURLToPath(new URL('../openapi/catalog.yaml', import.meta.url));
const bytesPerMib = 1024 * 1024;

/** Reads the environment by the settings table. Returns all faults together; each starts with the name of the setting. */
export function parse(env: Env): { ok: true; config: Config } | { ok: false; faults: string[] } {
  const faults: string[] = [];
  const read = Settings.reader(env, faults);
  const production = env.NODE_ENV === 'production';
  const port = read('PORT');
  const publicUrl = read('PUBLIC_URL') ?? `http://localhost:${port}`;
  if (production && env.PUBLIC_URL && publicUrl.startsWith('http:'))
    faults.push('PUBLIC_URL must start with https:// in production: it carries payments and tokens');
  const formerPublicUrls = read('FORMER_PUBLIC_URLS') ?? [];
  const databaseUrl = read('DATABASE_URL') ?? '';
  const databaseOwnerUrl = read('DATABASE_OWNER_URL');
  const databaseReadUrl = read('DATABASE_READ_URL');
  const upstream = readUpstream(env, read);
  const stripe = readStripe(read, production, faults);
  const coin = X402Settings.read(env, production, faults);
  const config: Config = {
    production,
    host: read('HOST'),
    port,
    publicUrl,
    formerPublicUrls,
    databaseUrl,
    databaseOwnerUrl,
    databaseReadUrl,
    migrates: read('MIGRATE'),
    catalogPath: catalogPath(env),
    textsPath: read('TEXTS') || null,
    upstream,
    stripe,
    coin,
    rails: readRails(read, { mpp: stripe.networkId !== '', card: true, x402: coin !== null }, faults),
    redisUrl: read('REDIS_URL'),
    mail: readMail(read, faults),
    adminTokenDigest: readAdminToken(read),
    attentionLimits: {
      marginPercentMin: read('LOW_MARGIN_PERCENT'),
      errorPercentMax: read('UPSTREAM_ERROR_PERCENT'),
    },
    console: {
      acceptsToken: read('CONSOLE_ADMIN_TOKEN'),
      sessionHours: read('CONSOLE_SESSION_HOURS'),
      oidc: readOidc(read, faults),
    },
    httpFastPath: read('HTTP_FAST_PATH'),
    connectionsMax: read('CONNECTIONS_MAX'),
    drainMs: read('DRAIN_SECONDS') * 1_000,
    drainMaxMs: read('DRAIN_MAX_SECONDS') * 1_000,
    clientAddressHeader: read('CLIENT_ADDRESS_HEADER'),
    trustedAgents: read('WEB_BOT_AUTH_AGENTS') ?? [],
    cardLimits: AbuseSettings.readCardLimits(read),
    retention: AbuseSettings.readRetention(read),
    teamLimits: readTeamLimits(read),
    bodyMemoryBytes: read('REQUEST_BODY_MEMORY_MB') * bytesPerMib,
    writer: read('INSTANCE_ID') ?? `${hostname()}:${port}`,
    unpaidCalls: readUnpaidCalls(read),
    withheldCallsMax: read('WITHHELD_CALLS_MAX'),
    sockets: SocketSettings.readSocketLimits(read),
    usageRetention: UsageSettings.readUsageRetention(read, faults),
    events: EventSettings.readEventRules(read, publicUrl),
    logLevel: read('LOG_LEVEL'),
    tracing: readTracing(env, read),
  };
  return faults.length > 0 ? { ok: false, faults } : { ok: true, config: Object.freeze(config) };
}

/** The catalogue file of the storefront and of the seller's commands. */
export function catalogPath({ CATALOG }: Env): string {
  return CATALOG || bundledCatalog;
}

/** The address and key are those of a single upstream; a catalogue with `upstreams` names its own variables. */
function readUpstream(env: Env, read: Read): Config['upstream'] {
  const isNamed = NamedVariables.read(env.CATALOG).hasUpstreams;
  return {
    url: isNamed ? '' : (read('UPSTREAM_URL') ?? ''),
    key: isNamed ? '' : (read('UPSTREAM_API_KEY') ?? ''),
    client: read('UPSTREAM_CLIENT'),
    reusesConnections: !read('UPSTREAM_SINGLE_USE_CONNECTIONS'),
  };
}

function readStripe(read: Read, production: boolean, faults: string[]): Config['stripe'] {
  const sharedTokenVersion = read('STRIPE_SPT_VERSION');
  const stripe = {
    secretKey: read('STRIPE_SECRET_KEY') ?? '',
    webhookSecrets: read('STRIPE_WEBHOOK_SECRET') ?? [],
    networkId: read('STRIPE_NETWORK_ID') ?? '',
    ...(sharedTokenVersion !== null && { sharedTokenVersion }),
    apiBase: read('STRIPE_API_BASE'),
  };
  if (production && stripe.secretKey.startsWith('sk_test_sandbox'))
    faults.push('STRIPE_SECRET_KEY belongs to the card sandbox, which simulates payments');
  if (production && stripe.apiBase.startsWith('http:'))
    faults.push('STRIPE_API_BASE must start with https:// in production: it carries card payments');
  return stripe;
}

/** Reads PAYMENT_RAILS; without it, every rail that is configured is offered. */
function readRails(read: Read, configured: Readonly<Record<Rail, boolean>>, faults: string[]): Rail[] {
  const named = read('PAYMENT_RAILS') ?? [];
  if (named.length === 0) return rails.filter((rail) => configured[rail]);
  const needs = { mpp: 'STRIPE_NETWORK_ID', card: 'STRIPE_SECRET_KEY', x402: 'X402_PAY_TO' };
  for (const name of named) {
    const rail = rails.find((one) => one === name);
    if (rail === undefined)
      faults.push(`PAYMENT_RAILS has "${name}", which is unknown. ${hint(name, rails, 'Allowed values')}`);
    else if (!configured[rail]) faults.push(`PAYMENT_RAILS has "${rail}", which needs ${needs[rail]}`);
  }
  return rails.filter((rail) => named.includes(rail));
}

function readMail(read: Read, faults: string[]): Config['mail'] {
  const url = read('SMTP_URL');
  if (url === null) return null;
  const faultsBefore = faults.length;
  const from = read('MAIL_FROM');
  if (from === null && faults.length === faultsBefore)
    faults.push('MAIL_FROM is missing. With SMTP_URL it is required: the sender of the shop’s mail');
  return { url, from: from ?? '' };
}

/** The digest suffices, so that a parent process need not keep the token. The token takes precedence. */
function readAdminToken(read: Read): string | null {
  const token = read('ADMIN_TOKEN');
  return token === null ? read('ADMIN_TOKEN_DIGEST') : sha256Hex(token);
}

function readOidc(read: Read, faults: string[]): OidcSettings | null {
  const [issuer, clientId, clientSecret] = [
    read('OIDC_ISSUER'),
    read('OIDC_CLIENT_ID'),
    read('OIDC_CLIENT_SECRET'),
  ];
  const roleClaim = read('OIDC_ROLE_CLAIM');
  if (issuer === null) return null;
  if (clientId === null) faults.push('OIDC_CLIENT_ID is missing. With OIDC_ISSUER it is required');
  if (clientSecret === null) faults.push('OIDC_CLIENT_SECRET is missing. With OIDC_ISSUER it is required');
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(issuer).hostname);
  if (issuer.startsWith('http:') && !isLocal)
    faults.push('OIDC_ISSUER must start with https://, except on this machine');
  return { issuer, clientId: clientId ?? '', clientSecret: clientSecret ?? '', roleClaim };
}

function readUnpaidCalls(read: Read): UnpaidCalls.UnpaidCallLimits {
  return {
    callsMax: read('UNPAID_CALLS_MAX'),
    windowMs: read('UNPAID_CALLS_WINDOW_SECONDS') * 1_000,
    readsMax: read('ABANDONED_READS_MAX'),
    readMsMax: read('ABANDONED_READ_SECONDS') * 1_000,
  };
}

/** The other settings of tracing are read only when it is on: they may be meant for other programs. */
function readTracing(env: Env, read: Read): Config['tracing'] {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT || read('OTEL_SDK_DISABLED') === 'true') return null;
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  read('OTEL_EXPORTER_OTLP_PROTOCOL');
  return {
    url: `${endpoint}/v1/traces`,
    serviceName: read('OTEL_SERVICE_NAME'),
    ratio: read('OTEL_TRACES_SAMPLER') ?? read('OTEL_TRACES_SAMPLER_ARG'),
    delayMs: read('OTEL_BSP_SCHEDULE_DELAY'),
    tellsUpstream: read('UPSTREAM_TRACE_CONTEXT'),
  };
}
