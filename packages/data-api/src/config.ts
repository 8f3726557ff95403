import { sha256Hex } from '@sluice/kernel/digest';
import * as PostgresUrl from '@sluice/kernel/postgres-url';
import * as Settings from './emails/settings.ts';
import * as Key from './keys/key.ts';
import * as LiveSettings from './live/settings.ts';
import * as NetworkHost from './network-host.ts';

/** The program's settings, read once at start. */
export type Config = {
  host: string;
  port: number;
  databaseUrl: string;
  /** API key for the gateway, created at start if it does not exist. */
  apiKey: string | null;
  /** SHA-256 of the token for the routes under `/admin` and the operator's dashboard; null disables them. */
  adminTokenDigest: string | null;
  /** Header in which a trusted proxy names the caller's address; null for the address of the connection. */
  clientAddressHeader: string | null;
  /** Address that callers use, without a trailing slash; null for the address the program listens on. */
  publicUrl: string | null;
  /** Size of the sample data loaded into an empty database, as a multiple of the default size. */
  sampleScale: number;
  /** Maximum number of terms of a search. */
  searchTermsMax: number;
  /** Time limit of each statement of a search with many terms, in milliseconds. */
  largeSearchMs: number;
  /** Settings of email verification; null disables it. */
  emails: Settings.Settings | null;
  /** Live profile source; null uses the stand-in while the data are fictional, otherwise none. */
  live: LiveSettings.Settings | null;
};

/** A normal search has tens of terms; fifty names of schools with three words each have 3,000. */
export const searchTermsMaxDefault = 4_000;
export const largeSearchMsDefault = 1_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. Throws one error that lists every invalid setting. */
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
  const adminTokenDigest = setting(
    'DIRECT_ADMIN_TOKEN_DIGEST',
    (value) => /^[0-9a-f]{64}$/.test(value),
    'must be the SHA-256 of the token in lower-case hex',
  );
  if (adminToken !== null && adminTokenDigest !== null)
    faults.push('DIRECT_ADMIN_TOKEN and DIRECT_ADMIN_TOKEN_DIGEST are both set: keep one');
  const addressHeader = setting(
    'DIRECT_CLIENT_ADDRESS_HEADER',
    (value) => /^[A-Za-z0-9-]{1,100}$/.test(value),
    'must be the name of a header',
  );
  const publicUrl = setting('DIRECT_PUBLIC_URL', isHttp, 'must be an http:// or https:// address');
  const scale = setting(
    'DIRECT_SAMPLE_SCALE',
    (value) => Number(value) >= 0.01 && Number(value) <= 1_000,
    'must be a number from 0.01 to 1000',
  );
  const termsMax = setting(
    'DIRECT_SEARCH_TERMS_MAX',
    (value) => isWhole(value, 500, 100_000),
    'must be a whole number from 500 to 100000',
  );
  const largeSearchMs = setting(
    'DIRECT_LARGE_SEARCH_MS',
    (value) => isWhole(value, 10, 60_000),
    'must be a whole number of milliseconds from 10 to 60000',
  );
  const emails = Settings.read(environment, faults);
  const live = LiveSettings.read(environment, faults);
  const networkHostFault = NetworkHost.faultOf(environment);
  if (networkHostFault !== null) faults.push(networkHostFault);
  if (databaseUrl === null) faults.push('DATABASE_URL is missing: set it to a postgres:// address');
  if (faults.length > 0) throw new Error(`the data API cannot start: ${faults.join('; ')}`);
  return Object.freeze({
    host: environment.DIRECT_HOST || '127.0.0.1',
    port: Number(port ?? 4021),
    databaseUrl: databaseUrl ?? '',
    apiKey,
    adminTokenDigest: adminToken === null ? adminTokenDigest : sha256Hex(adminToken),
    clientAddressHeader: addressHeader?.toLowerCase() ?? null,
    publicUrl: publicUrl?.replace(/\/+$/, '') ?? null,
    sampleScale: Number(scale ?? 1),
    searchTermsMax: Number(termsMax ?? searchTermsMaxDefault),
    largeSearchMs: Number(largeSearchMs ?? largeSearchMsDefault),
    emails,
    live,
  });
}

function isWhole(value: string, min: number, max: number): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
}

function isPostgres(value: string): boolean {
  return PostgresUrl.parse(value).ok;
}

function isHttp(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
