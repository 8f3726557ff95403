import { join, resolve } from 'node:path';
import * as NamedVariables from '../catalog/named-variables.ts';
import * as Port from './port.ts';

type Env = NodeJS.ProcessEnv;

/** The bundled programs that `sluice start` runs, because the environment does not name the real ones. */
export type Composition = {
  dataDir: string;
  publicUrl: string;
  host: string;
  port: Port.Port;
  /** The bundled data API as the upstream; null when UPSTREAM_URL is set, or the catalogue has `upstreams`. */
  direct: Port.Port | null;
  /** The card sandbox; null when STRIPE_SECRET_KEY is set, and in production. */
  sandbox: Port.Port | null;
  /** The development mailbox: ports of its page and of SMTP; null when SMTP_URL is set, and in production. */
  mailbox: { page: Port.Port; smtp: Port.Port } | null;
  /** True when the database is the embedded one. */
  embedded: boolean;
  /** True when the storefront logs to the output of this process (LOG=stdout). */
  logsToOutput: boolean;
};

/** A program to run as a child; `script` is its module without the extension, relative to the root of this installation. */
export type Program = { name: 'storefront' | 'direct' | 'sandbox' | 'mailbox'; script: string; env: Env };

/** Secrets that are stored across starts, so that earlier signatures stay valid. */
export type Secrets = {
  direct: string;
  webhook: string;
  /** The key that encrypts secrets in the database, as ENCRYPTION_KEYS takes it. */
  encryptionKey: string;
  /** SHA-256 of the admin token, which is shown once at the first start. */
  adminDigest: string;
  /** The same for the admin token of the data API. */
  directAdminDigest: string;
};

const loopback = '127.0.0.1';

/** Reads the environment. Throws with the name of the setting when a port is invalid. */
export function read(env: Env): Composition {
  const host = env.HOST || loopback;
  const port = Port.parse('PORT', env.PORT || '4020', host);
  // In production there is no play money: the storefront refuses to start and names the missing settings.
  const playMoney = !env.STRIPE_SECRET_KEY && env.NODE_ENV !== 'production';
  return {
    dataDir: resolve(env.DATA_DIR || '.data'),
    publicUrl: (env.PUBLIC_URL || `http://localhost:${port.number}`).replace(/\/+$/, ''),
    host,
    port,
    direct: isSold(env)
      ? null
      : Port.parse('DIRECT_PORT', env.DIRECT_PORT || '4021', env.DIRECT_HOST || loopback),
    sandbox: playMoney
      ? Port.parse('SANDBOX_PORT', env.SANDBOX_PORT || '4022', env.SANDBOX_HOST || loopback)
      : null,
    mailbox:
      env.SMTP_URL || env.NODE_ENV === 'production'
        ? null
        : {
            page: Port.parse('MAILBOX_PORT', env.MAILBOX_PORT || '4023', env.MAILBOX_HOST || loopback),
            smtp: Port.parse(
              'MAILBOX_SMTP_PORT',
              env.MAILBOX_SMTP_PORT || '4024',
              env.MAILBOX_HOST || loopback,
            ),
          },
    embedded: !env.DATABASE_URL,
    logsToOutput: env.LOG === 'stdout',
  };
}

/**
 * Returns the child processes with their environments. The storefront comes first, as it is stopped first. `given`: the environment of this
 * process, without the settings files in `env`, which the storefront reads itself at the start and at each reload.
 */
export function programs(
  wiring: Composition,
  env: Env,
  databaseUrl: string,
  secrets: Secrets,
  given = env,
): Program[] {
  const { direct, sandbox, mailbox } = wiring;
  const webhookSecret = env.STRIPE_WEBHOOK_SECRET || secrets.webhook;
  const storefront: Env = {
    ...given,
    HOST: wiring.host,
    PORT: String(wiring.port.number),
    DATA_DIR: wiring.dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_URL_FILE: '',
    ENCRYPTION_KEYS: encryptionKeys(env, secrets.encryptionKey),
    ENCRYPTION_KEYS_FILE: '',
    ...(!env.ADMIN_TOKEN && { ADMIN_TOKEN_DIGEST: env.ADMIN_TOKEN_DIGEST || secrets.adminDigest }),
  };
  const all: Program[] = [{ name: 'storefront', script: 'src/main', env: storefront }];
  if (direct) {
    const key = env.DIRECT_API_KEY || secrets.direct;
    Object.assign(storefront, { UPSTREAM_URL: address(direct), UPSTREAM_API_KEY: key });
    all.push({
      name: 'direct',
      script: 'packages/data-api/src/main',
      env: {
        ...shared(env, 'DIRECT_'),
        DATABASE_URL: databaseUrl,
        DIRECT_PORT: String(direct.number),
        DIRECT_API_KEY: key,
        ...(!env.DIRECT_ADMIN_TOKEN && {
          DIRECT_ADMIN_TOKEN_DIGEST: env.DIRECT_ADMIN_TOKEN_DIGEST || secrets.directAdminDigest,
        }),
      },
    });
  }
  if (sandbox) {
    Object.assign(storefront, {
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_NETWORK_ID: env.STRIPE_NETWORK_ID || 'profile_test_sluice',
      STRIPE_API_BASE: address(sandbox),
    });
    all.push({
      name: 'sandbox',
      script: 'packages/stripe-sandbox/src/main',
      env: {
        ...shared(env, 'SANDBOX_'),
        SANDBOX_PORT: String(sandbox.number),
        SANDBOX_WEBHOOK_URL: `${address(wiring.port)}/webhooks/stripe`,
        // During a rotation there are two, and the first one signs.
        SANDBOX_WEBHOOK_SECRET: webhookSecret.split(',')[0]?.trim(),
        SANDBOX_DATA: join(wiring.dataDir, 'sandbox'),
      },
    });
  }
  if (mailbox) {
    Object.assign(storefront, {
      SMTP_URL: address(mailbox.smtp).replace(/^http/, 'smtp'),
      MAIL_FROM: env.MAIL_FROM || 'shop@sluice.example',
    });
    all.push({
      name: 'mailbox',
      script: 'packages/dev-mailbox/src/main',
      env: {
        ...shared(env, 'MAILBOX_'),
        MAILBOX_PORT: String(mailbox.page.number),
        MAILBOX_SMTP_PORT: String(mailbox.smtp.number),
      },
    });
  }
  return all;
}

/** Returns ENCRYPTION_KEYS with the key that `sluice start` keeps, which decrypts what was stored before the setting was given. */
export function encryptionKeys({ ENCRYPTION_KEYS: given = '' }: Env, kept: string): string {
  const isMissing = kept !== '' && !given.split(',').some((one) => one.trim() === kept);
  return [given, isMissing ? kept : ''].filter((one) => one !== '').join(',');
}

/** Returns true when the seller has named an API. */
function isSold({ UPSTREAM_URL: url, CATALOG: catalog }: Env): boolean {
  return Boolean(url) || NamedVariables.read(catalog).hasUpstreams;
}

/** Returns the address of `port` for programs on this machine. */
export function address({ host, number }: Port.Port): string {
  const reached = host === '0.0.0.0' || host === '::' ? loopback : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${number}`;
}

/** Returns the environment of a bundled program: its own settings, and no secrets of the storefront. */
function shared(env: Env, prefix: string): Env {
  const ordinary = /^(PATH|HOME|TMPDIR|TEMP|SystemRoot|TZ|LANG|LC_ALL|NODE_.*|LOG_LEVEL)$/;
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => ordinary.test(name) || name.startsWith(prefix)),
  );
}
