import { z } from 'zod';

/** The settings of the card sandbox, read from the environment. */
export type Config = {
  host: string;
  /** 0 asks the system for a free port. */
  port: number;
  /** The shop's notice endpoint and the secret that signs what is sent there; null where no shop listens. */
  webhook: { url: string; secret: string } | null;
  /** The folder that keeps what was paid across a restart; null keeps it in memory only. */
  dataDir: string | null;
  /** The start of every link to a hosted page, without a trailing slash; null means this port on localhost. */
  publicUrl: string | null;
  /** The name of the business on the card pages; null shows the shop's host. */
  businessName: string | null;
};

const url = z
  .url({ protocol: /^https?$/, error: 'is not an http or https URL' })
  .transform((text) => text.replace(/\/+$/, ''));

const environment = z
  .object({
    SANDBOX_HOST: z.string().min(1).default('127.0.0.1'),
    SANDBOX_PORT: z.coerce.number({ error: 'is not a number' }).int().min(0).max(65_535).default(4022),
    SANDBOX_WEBHOOK_URL: url.optional(),
    SANDBOX_WEBHOOK_SECRET: z.string().startsWith('whsec_', 'does not start with whsec_').optional(),
    SANDBOX_DATA: z.string().min(1).optional(),
    SANDBOX_PUBLIC_URL: url.optional(),
    SANDBOX_BUSINESS_NAME: z.string().trim().min(1).max(200).optional(),
  })
  .refine((env) => (env.SANDBOX_WEBHOOK_URL === undefined) === (env.SANDBOX_WEBHOOK_SECRET === undefined), {
    error: 'is needed together with its other half: SANDBOX_WEBHOOK_URL and SANDBOX_WEBHOOK_SECRET',
    path: ['SANDBOX_WEBHOOK_URL'],
  });

/** The environment as a Config, or every fault that it has, each naming its setting. An empty setting is an absent one. */
export function read(env: NodeJS.ProcessEnv): { ok: true; config: Config } | { ok: false; faults: string[] } {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    return {
      ok: false,
      faults: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    };
  }
  const { data } = parsed;
  const { SANDBOX_WEBHOOK_URL: webhookUrl, SANDBOX_WEBHOOK_SECRET: webhookSecret } = data;
  return {
    ok: true,
    config: {
      host: data.SANDBOX_HOST,
      port: data.SANDBOX_PORT,
      webhook: webhookUrl && webhookSecret ? { url: webhookUrl, secret: webhookSecret } : null,
      dataDir: data.SANDBOX_DATA ?? null,
      publicUrl: data.SANDBOX_PUBLIC_URL ?? null,
      businessName: data.SANDBOX_BUSINESS_NAME ?? null,
    },
  };
}

/** Returns true when `host` is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
