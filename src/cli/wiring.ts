import { join, resolve } from 'node:path';
import * as Port from './port.ts';

type Env = NodeJS.ProcessEnv;

/** What `sluice start` opens by itself, as nothing in the environment names the real thing. */
export type Wiring = {
  dataDir: string;
  publicUrl: string;
  host: string;
  port: Port.Port;
  /** The bundled data interface is the upstream; null where UPSTREAM_URL is set. */
  direct: Port.Port | null;
  /** The card sandbox; null where STRIPE_SECRET_KEY is set, and in production. */
  sandbox: Port.Port | null;
  /** The sandbox mailbox, its page and where it takes mail; null where SMTP_URL is set, and in production. */
  mailbox: { page: Port.Port; smtp: Port.Port } | null;
  /** Whether the database is the embedded one. */
  embedded: boolean;
  /** Whether the storefront's log goes to our own output, by LOG=stdout. */
  logsToOutput: boolean;
};

/** A program to run as a child; `script` is relative to `src`. */
export type Program = { name: 'storefront' | 'direct' | 'sandbox' | 'mailbox'; script: string; env: Env };

/** Kept from start to start, so that what one start signed or sent is known to the next. */
export type Secrets = {
  direct: string;
  webhook: string;
  /** SHA-256 of the admin token: who starts us is shown it once. */
  adminDigest: string;
};

const loopback = '127.0.0.1';

/** Reads the environment. Throws, naming the setting, where a port is none. */
export function read(env: Env): Wiring {
  const host = env.HOST || loopback;
  const port = Port.parse('PORT', env.PORT || '4020', host);
  // Production takes no play money: the storefront then refuses to start and names the settings that it misses.
  const playMoney = !env.STRIPE_SECRET_KEY && env.NODE_ENV !== 'production';
  return {
    dataDir: resolve(env.DATA_DIR || '.data'),
    publicUrl: (env.PUBLIC_URL || `http://localhost:${port.number}`).replace(/\/+$/, ''),
    host,
    port,
    direct: env.UPSTREAM_URL
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
 * The children and what each is told. The storefront comes first: it is the first to be stopped. `given` is our own environment: what
 * `env` has from files beside that, the storefront reads by itself, and anew at each reload.
 */
export function programs(
  wiring: Wiring,
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
    ...(!env.ADMIN_TOKEN && { ADMIN_TOKEN_DIGEST: env.ADMIN_TOKEN_DIGEST || secrets.adminDigest }),
  };
  const all: Program[] = [{ name: 'storefront', script: 'main.ts', env: storefront }];
  if (direct) {
    const key = env.DIRECT_API_KEY || secrets.direct;
    Object.assign(storefront, { UPSTREAM_URL: address(direct), UPSTREAM_API_KEY: key });
    all.push({
      name: 'direct',
      script: 'direct/main.ts',
      env: {
        ...shared(env, 'DIRECT_'),
        DATABASE_URL: databaseUrl,
        DIRECT_PORT: String(direct.number),
        DIRECT_API_KEY: key,
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
      script: 'sandbox/main.ts',
      env: {
        ...shared(env, 'SANDBOX_'),
        SANDBOX_PORT: String(sandbox.number),
        SANDBOX_WEBHOOK_URL: `${address(wiring.port)}/webhooks/stripe`,
        // While two overlap, the first is the one that signs.
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
      script: 'mailbox/main.ts',
      env: {
        ...shared(env, 'MAILBOX_'),
        MAILBOX_PORT: String(mailbox.page.number),
        MAILBOX_SMTP_PORT: String(mailbox.smtp.number),
      },
    });
  }
  return all;
}

/** Where a program on this machine reaches `port`. */
export function address({ host, number }: Port.Port): string {
  const reached = host === '0.0.0.0' || host === '::' ? loopback : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${number}`;
}

/** What a companion may know of our environment: its own settings, and none of the storefront's secrets. */
function shared(env: Env, prefix: string): Env {
  const ordinary = /^(PATH|HOME|TMPDIR|TEMP|SystemRoot|TZ|LANG|LC_ALL|NODE_.*|LOG_LEVEL)$/;
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => ordinary.test(name) || name.startsWith(prefix)),
  );
}
