import { usualLimits } from '../proxy/unpaid-calls.ts';
import { abuseSettings } from './abuse-settings.ts';
import { eventSettings } from './event-settings.ts';
import { bundledSettings, mailSettings, paymentSettings } from './integration-settings.ts';
import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';
import { socketSettings } from './socket-settings.ts';
import { teamSettings } from './team-settings.ts';
import { usageSettings } from './usage-settings.ts';

const server = {
  NODE_ENV: {
    schema: Schema.text,
    restart: true,
    about: '`production` refuses simulated payments, missing secrets and an `http:` public URL at the start.',
  },
  HOST: { schema: Schema.text, default: '127.0.0.1', restart: true, about: 'Address to listen on.' },
  PORT: {
    schema: Schema.wholeNumber(0, 65_535),
    default: '4020',
    restart: true,
    about: 'TCP port to listen on.',
  },
  PUBLIC_URL: {
    schema: Schema.origin,
    defaultText: '`http://localhost:PORT`',
    required: 'production',
    restart: true,
    about:
      'Origin that callers use, https in production: every link of the shop starts with it, never with a request’s `Host`.',
  },
  FORMER_PUBLIC_URLS: {
    schema: Schema.origins,
    about:
      'Comma-separated origins that `PUBLIC_URL` had before: payments and subscriptions taken under them still belong to this shop ([backup.md](backup.md)).',
  },
  CLIENT_ADDRESS_HEADER: {
    schema: Schema.lowerCaseText,
    defaultText: 'none: the address of the connection',
    about:
      'Behind a proxy: the header whose last entry the proxy writes itself, such as `x-forwarded-for`; limits on registration, mail, bodies and declined cards use it. A port after the address is ignored. Without it, all callers that come through a proxy on the same machine count as one address, and the log warns once (`client_address_unknown`).',
  },
  WEB_BOT_AUTH_AGENTS: {
    schema: Schema.trustedAgents,
    defaultText: 'none: signatures are not looked at',
    about:
      'Comma-separated https origins of agents that you trust, each with its registrations per day if not 1,000: `https://agent.example=500`. Registrations that they sign (Web Bot Auth) have this limit in place of those of their address and of the day ([accounts.md](accounts.md#recognised-agents)).',
  },
  CONNECTIONS_MAX: {
    schema: Schema.wholeNumber(1, Number.MAX_SAFE_INTEGER),
    defaultText: '16,384, or less when the limit of open files is low',
    restart: true,
    about:
      'Maximum number of open client connections; further ones are closed at once. At least 512 file descriptors (half of a small limit) stay free.',
  },
  HTTP_FAST_PATH: {
    schema: Schema.onOff,
    default: 'on',
    restart: true,
    about: '`off` lets Node’s own HTTP server read every request, at about twice the CPU per call.',
  },
  REQUEST_BODY_MEMORY_MB: {
    schema: Schema.wholeNumber(16, 65_536),
    default: '256',
    restart: true,
    about:
      'Memory for request bodies per process in MiB: three quarters for callers with a valid token (one account a quarter of that), one quarter for all others (one address block an eighth of that). Requests beyond it get 503 `busy` and are not charged.',
  },
  DRAIN_SECONDS: {
    schema: Schema.wholeNumber(0, 300),
    default: '0',
    restart: true,
    about:
      'Time in seconds after SIGTERM in which `/readyz` is 503 and requests are still served, each as the last of its connection. Behind a load balancer: 5 to 15, longer than it takes to notice ([upgrading.md](upgrading.md#replacing-a-process)).',
  },
  DRAIN_MAX_SECONDS: {
    schema: Schema.wholeNumber(1, 3_600),
    default: '10',
    restart: true,
    about:
      'Maximum time in seconds, after `DRAIN_SECONDS`, that a process waits for its running calls and streams; those that are left are cut off and free. Give it the length of your longest streams ([streams.md](streams.md#stopping-a-process)).',
  },
  INSTANCE_ID: {
    schema: Schema.text,
    defaultText: '`host name:PORT`',
    restart: true,
    about: 'Name of this process’s ledger writer; two running processes on one database must not share it.',
  },
  LOG_LEVEL: {
    schema: Schema.oneOf(['debug', 'info', 'warn', 'error']),
    default: 'info',
    about: 'Least severe level to log: `debug`, `info`, `warn` or `error`.',
  },
  LOG: {
    schema: Schema.text,
    about: '`stdout` makes `sluice start` print the storefront’s log, in place of a file in `DATA_DIR/logs`.',
  },
  SETTINGS_FILE: {
    schema: Schema.text,
    restart: true,
    about:
      'File of `NAME=value` lines with settings; the environment takes precedence. Read at the start and at each reload.',
  },
} satisfies Record<string, Setting>;

const data = {
  DATABASE_URL: {
    schema: Schema.postgresUrl,
    defaultText: 'embedded, under `DATA_DIR`',
    required: 'always',
    secret: true,
    restart: true,
    about:
      'PostgreSQL 15 or later, postgres://...; the schemas `shop` and `ledger` are created and migrated at the start.',
  },
  DATABASE_OWNER_URL: {
    schema: Schema.postgresUrl,
    secret: true,
    restart: true,
    about:
      'The same database as the role that owns the tables: migrates them and grants the role of `DATABASE_URL` what the storefront needs ([two roles](operations.md#two-database-roles)).',
  },
  DATABASE_READ_URL: {
    schema: Schema.postgresUrl,
    defaultText: '`DATABASE_URL`',
    secret: true,
    restart: true,
    about:
      'A standby of the same database, for what reads much and may be some seconds old: reports of the console and of `sluice report`, totals in `/metrics`, and `sluice ledger` ([reading from a standby](high-availability.md#reading-from-a-standby)). Balances and refusals are always read on the primary.',
  },
  MIGRATE: {
    schema: Schema.onOff,
    default: 'on',
    restart: true,
    about:
      '`off`: the start does not change the database, and refuses one that lacks migrations or functions. Apply them with [`sluice migrate`](upgrading.md#migrate-in-a-step-of-its-own).',
  },
  REDIS_URL: {
    schema: Schema.url('redis:', 'rediss:'),
    defaultText: 'none: each process counts its own calls',
    secret: true,
    restart: true,
    about: 'Redis server that all storefronts share to enforce the rate limits of plans.',
  },
  DATA_DIR: {
    schema: Schema.text,
    default: '.data',
    restart: true,
    about: 'Folder of `sluice start` for the embedded database, logs, generated secrets and compiled code.',
  },
} satisfies Record<string, Setting>;

const upstream = {
  CATALOG: {
    schema: Schema.text,
    defaultText: '`openapi/catalog.yaml`',
    about: 'Catalogue file: what is sold and at what price ([catalog.md](catalog.md)).',
  },
  TEXTS: {
    schema: Schema.text,
    defaultText: 'the English texts',
    about:
      'File with the seller’s own texts for pages, mails and error messages, and their language ([translating.md](translating.md)). A reload reads it again.',
  },
  UPSTREAM_URL: {
    schema: Schema.webUrl,
    defaultText: 'the bundled data API on `DIRECT_PORT`',
    required: 'always',
    about:
      'Base URL of the HTTP API that is sold. A catalogue with `upstreams` names its own variables ([upstreams.md](upstreams.md)); then it is read only where it is named.',
  },
  UPSTREAM_API_KEY: {
    schema: Schema.text,
    required: 'production',
    secret: true,
    about:
      'API key of the upstream; it never leaves the server. With `upstreams` in the catalogue it is read only where it is named.',
  },
  UPSTREAM_CLIENT: {
    schema: Schema.oneOf(['built-in', 'undici']),
    default: 'built-in',
    about:
      'HTTP client for the upstream: `built-in` or `undici` ([decision 0012](decisions/0012-connections-and-clients.md)).',
  },
  UPSTREAM_SINGLE_USE_CONNECTIONS: {
    schema: Schema.onOff,
    default: 'off',
    about:
      '`on` sends one request per upstream connection, for an upstream that may send more than one response or leaves bodies unread.',
  },
  UNPAID_CALLS_MAX: {
    schema: Schema.wholeNumber(0, 1_000),
    default: String(usualLimits.callsMax),
    about:
      'Calls that the upstream served and one account may leave unpaid per window by disconnecting ([guarantees.md](guarantees.md#callers-who-leave)); 0 charges every caller who disconnects.',
  },
  UNPAID_CALLS_WINDOW_SECONDS: {
    schema: Schema.wholeNumber(0, 7 * 86_400),
    default: String(usualLimits.windowMs / 1_000),
    about: 'Length of the window of `UNPAID_CALLS_MAX` in seconds.',
  },
  WITHHELD_CALLS_MAX: {
    schema: Schema.wholeNumber(1, 1_000_000),
    default: '50',
    about:
      'Responses of one operation that an account may cause to be withheld as uncountable, beyond those that it pays for, before it has to wait ([guarantees.md](guarantees.md#withheld-responses)).',
  },
  ABANDONED_READS_MAX: {
    schema: Schema.wholeNumber(0, 1_000),
    default: String(usualLimits.readsMax),
    about:
      'Responses to callers who disconnected that a process reads to the end at the same time, in order to charge them.',
  },
  ABANDONED_READ_SECONDS: {
    schema: Schema.wholeNumber(0, 300),
    default: String(usualLimits.readMsMax / 1_000),
    about:
      'Maximum time to read such a response, in seconds; with less than `upstream.timeout_ms`, slow calls can be left unpaid.',
  },
} satisfies Record<string, Setting>;

/** The exporter of OpenTelemetry reads its headers, compression and certificates from the environment itself. */
const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: Schema.webUrl,
    defaultText: 'none: tracing is off',
    restart: true,
    about: 'OpenTelemetry collector that receives traces by HTTP, such as `http://127.0.0.1:4318`.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    schema: Schema.text.refine((given) => given !== 'grpc', {
      message: 'must not be grpc: spans are sent by HTTP, to port 4318 of most collectors',
    }),
    restart: true,
    about: 'OpenTelemetry’s protocol setting; `grpc` is rejected, as spans are sent by HTTP.',
  },
  OTEL_SDK_DISABLED: { schema: Schema.text, restart: true, about: '`true` turns tracing off.' },
  OTEL_SERVICE_NAME: {
    schema: Schema.text,
    default: 'sluice',
    restart: true,
    about: 'Service name in traces.',
  },
  OTEL_TRACES_SAMPLER: {
    schema: Schema.samplerShare,
    default: 'always_on',
    restart: true,
    about: '`always_on`, `always_off` or `traceidratio`, with or without `parentbased_` in front.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: Schema.number(0, 1),
    default: '1',
    restart: true,
    about: 'Share of traces to record with `traceidratio`, from 0 to 1.',
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    schema: Schema.number(10, 60_000),
    default: '5000',
    restart: true,
    about: 'Time between two exports of spans, in milliseconds.',
  },
  UPSTREAM_TRACE_CONTEXT: {
    schema: Schema.onOff,
    default: 'off',
    restart: true,
    about: '`on` sends the upstream the `traceparent` of its call.',
  },
} satisfies Record<string, Setting>;

/** Every setting by group, in the order of the documentation. */
export const groups: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  Server: server,
  Data: data,
  'Upstream and catalogue': upstream,
  WebSockets: socketSettings,
  'Keeping usage': usageSettings,
  'Events of the seller': eventSettings,
  Payments: paymentSettings,
  'Abuse and retention': abuseSettings,
  Teams: teamSettings,
  'Mail and administration': mailSettings,
  Tracing: tracing,
  'Programs of `sluice start`': bundledSettings,
};

/** Every setting by name. */
export const table = {
  ...server,
  ...data,
  ...upstream,
  ...socketSettings,
  ...usageSettings,
  ...eventSettings,
  ...paymentSettings,
  ...abuseSettings,
  ...teamSettings,
  ...mailSettings,
  ...tracing,
  ...bundledSettings,
};
