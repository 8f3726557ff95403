import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { nearest } from '../kernel/nearest.ts';

/** Settings by name, as an environment has them; '' is none. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What a process is told once: where it is, and who it is to others. */
const fixed = [
  'NODE_ENV',
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'DATABASE_URL',
  'DATA_DIR',
  'REDIS_URL',
  'LANE',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_BSP_SCHEDULE_DELAY',
  'UPSTREAM_TRACE_CONTEXT',
] as const;
/** What has to stay secret may lie in a file of its own, named by `<NAME>_FILE`, as containers are given their secrets. */
const secret = [
  'DATABASE_URL',
  'UPSTREAM_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'REDIS_URL',
  'SMTP_URL',
  'ADMIN_TOKEN',
  'X402_RPC_URL',
] as const;
const others = [
  'CATALOG',
  'UPSTREAM_URL',
  'STRIPE_NETWORK_ID',
  'STRIPE_API_BASE',
  'X402_PAY_TO',
  'X402_NETWORK',
  'X402_FACILITATOR_URL',
  'MAIL_FROM',
  'ADMIN_TOKEN_DIGEST',
  'CLIENT_ADDRESS_HEADER',
  'LOG_LEVEL',
  'LOG',
] as const;
const names: readonly string[] = [...new Set([...fixed, ...secret, ...others])];
/** Of the programs that `npm start` runs beside the storefront. */
const elsewhere = /^(DIRECT|SANDBOX|MAILBOX)_/;

export type Gathered = { ok: true; env: Env } | { ok: false; faults: string[] };

/**
 * The settings of `given` and of the files that it names: SETTINGS_FILE (lines of `NAME=value`), where `given` itself says nothing, and
 * `<NAME>_FILE` for what is secret. Read anew each time. Faults are told all at once, by name.
 */
export async function gather(given: Env): Promise<Gathered> {
  const faults: string[] = [];
  const read = (name: string, path: string) =>
    readFile(path, 'utf8').catch((fault: NodeJS.ErrnoException) => {
      faults.push(`${name}: ${path} cannot be read (${fault.code})`);
      return '';
    });
  const path = given.SETTINGS_FILE ?? '';
  const filed: Env = path === '' ? {} : parseEnv(await read('SETTINGS_FILE', path));
  for (const name of Object.keys(filed)) {
    const plain = name.replace(/_FILE$/, '');
    const isKnown = names.includes(name) || secret.some((it) => it === plain) || elsewhere.test(name);
    if (!isKnown) faults.push(unknown(name, path));
  }
  const env: Record<string, string | undefined> = { ...filed };
  for (const [name, value] of Object.entries(given)) if (value) env[name] = value;
  for (const name of secret) {
    // The environment wins over the file, whichever of the two it says.
    const from = given[name] || given[`${name}_FILE`] ? given : filed;
    const file = from[`${name}_FILE`];
    if (!file) continue;
    if (from[name]) faults.push(`${name} and ${name}_FILE: give one of them`);
    else env[name] = (await read(`${name}_FILE`, file)).trim();
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, env };
}

/** The names of the settings that are not the same in both. */
export function changed(before: Env, after: Env): string[] {
  return names.filter((name) => (before[name] ?? '') !== (after[name] ?? ''));
}

/** Whether a process that runs cannot be told anew. */
export function isFixed(name: string): boolean {
  return fixed.some((one) => one === name);
}

function unknown(name: string, path: string): string {
  const near = nearest(name, names);
  return `${name} in ${path} is no setting${near === null ? '' : `: did you mean ${near}?`}`;
}
