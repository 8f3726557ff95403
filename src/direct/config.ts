import * as Settings from './emails/settings.ts';
import * as Key from './keys/key.ts';

/** What the program is told from outside, once, at its start. */
export type Config = {
  host: string;
  port: number;
  databaseUrl: string;
  /** The key of a storefront in front, to be made if it is not there. */
  apiKey: string | null;
  /** Opens the routes under `/admin`; null where there are none. */
  adminToken: string | null;
  /** Where callers reach it, without a slash at the end; null for its own address. */
  publicUrl: string | null;
  /** How large the sample of an empty database is: 1 for the usual one. */
  sampleScale: number;
  /** How work emails are tested; null where they are not. */
  emails: Settings.Settings | null;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. Throws one error that names everything wrong with it. */
export function read(environment: Environment): Config {
  const faults: string[] = [];
  const setting = (name: string, isRight: (value: string) => boolean, otherwise: string) => {
    const value = environment[name] || null;
    if (value !== null && !isRight(value)) faults.push(`${name} ${otherwise}`);
    return value;
  };
  const port = setting('DIRECT_PORT', isPort, 'must be a port from 0 to 65535');
  const databaseUrl = setting('DATABASE_URL', isPostgres, 'must be a postgres:// address');
  const apiKey = setting('DIRECT_API_KEY', Key.isWellFormed, 'must be sk_ and 43 characters of base64url');
  const adminToken = setting(
    'DIRECT_ADMIN_TOKEN',
    (value) => /^[!-~]{32,200}$/.test(value),
    'must have 32 to 200 characters, none of them a space',
  );
  const publicUrl = setting('DIRECT_PUBLIC_URL', isHttp, 'must be an http:// or https:// address');
  const scale = setting(
    'DIRECT_SAMPLE_SCALE',
    (value) => Number(value) >= 0.01 && Number(value) <= 1_000,
    'must be a number from 0.01 to 1000',
  );
  const emails = Settings.read(environment, faults);
  if (databaseUrl === null) faults.push('DATABASE_URL is missing');
  if (faults.length > 0) throw new Error(`the direct interface cannot start: ${faults.join('; ')}`);
  return Object.freeze({
    host: environment.DIRECT_HOST || '127.0.0.1',
    port: Number(port ?? 4021),
    databaseUrl: databaseUrl ?? '',
    apiKey,
    adminToken,
    publicUrl: publicUrl?.replace(/\/+$/, '') ?? null,
    sampleScale: Number(scale ?? 1),
    emails,
  });
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
}

function isPostgres(value: string): boolean {
  return URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol);
}

function isHttp(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
