import { type Clock, systemClock } from './clock.ts';
import { ConfigurationError } from './errors.ts';

/** Where a shop or an interface is, and how patiently to talk to it. */
export interface ConnectionOptions {
  /** Where the service is, such as `https://api.example.com`. Left out: `SLUICE_BASE_URL` of the environment. */
  base_url?: string;
  /** Seconds for each attempt, to the last byte of its answer. Default 30. */
  timeout?: number;
  /** Attempts beyond the first. Default 3. */
  max_retries?: number;
  /** Most calls to start in a second, for each path by itself. Default 5; null for no limit. */
  rate_limit_rps?: number | null;
  /** What sends the requests. Default: the `fetch` of the runtime. */
  fetch?: typeof globalThis.fetch;
  /** What the waits are measured with. Default: the clock of the machine. */
  clock?: Clock;
  /** Numbers from 0 up to 1, for the jitter of retries. Default: `Math.random`. */
  random?: () => number;
}

/** One credential, and where to use it. Both credentials at once, or none, is a `ConfigurationError`. */
export interface SluiceOptions extends ConnectionOptions {
  /** Key of the direct interface. Left out: `SLUICE_API_KEY` of the environment. */
  api_key?: string;
  /** Access token, or long-lived key, of a storefront. Left out: `SLUICE_ACCESS_TOKEN` of the environment. */
  access_token?: string;
}

export type Credential = { kind: 'api_key' | 'access_token'; value: string };

/** What all calls of a client have in common, checked. */
export type Settings = {
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  rateLimitRps: number | null;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  random: () => number;
};

/** Checks the options, with the environment for what they leave out. */
export function read(options: ConnectionOptions): Settings {
  const { max_retries = 3, rate_limit_rps = 5 } = options;
  if (!Number.isInteger(max_retries) || max_retries < 0) {
    throw new ConfigurationError('max_retries is a whole number from 0.');
  }
  if (rate_limit_rps !== null && !(Number.isFinite(rate_limit_rps) && rate_limit_rps > 0)) {
    throw new ConfigurationError('rate_limit_rps is a number above 0, or null for no limit.');
  }
  return {
    baseUrl: baseUrl(options.base_url),
    timeoutMs: timeoutMs(options.timeout ?? 30),
    maxRetries: max_retries,
    rateLimitRps: rate_limit_rps,
    // Called as a method of something else, the `fetch` of a browser refuses.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** The one credential that is given or, where none is, the one that the environment has. */
export function credential({ api_key, access_token }: SluiceOptions): Credential {
  const isGiven = api_key !== undefined || access_token !== undefined;
  const found: Credential[] = [];
  const key = isGiven ? api_key : variable('SLUICE_API_KEY');
  if (key !== undefined) found.push({ kind: 'api_key', value: key });
  const token = isGiven ? access_token : variable('SLUICE_ACCESS_TOKEN');
  if (token !== undefined) found.push({ kind: 'access_token', value: token });
  const [only, other] = found;
  if (only === undefined) {
    throw new ConfigurationError(
      'Give api_key (direct interface) or access_token (storefront), or set SLUICE_API_KEY or SLUICE_ACCESS_TOKEN.',
    );
  }
  if (other !== undefined) {
    throw new ConfigurationError('api_key and access_token are for different services: give one of them.');
  }
  if (typeof only.value !== 'string' || !/^[\x21-\x7e]+$/.test(only.value)) {
    throw new ConfigurationError(`${only.kind} is visible ASCII without blanks.`);
  }
  return only;
}

/** Seconds, as a caller gives them, in milliseconds. */
export function timeoutMs(seconds: number): number {
  if (!(Number.isFinite(seconds) && seconds > 0)) {
    throw new ConfigurationError('timeout is a number of seconds above 0.');
  }
  return seconds * 1000;
}

function baseUrl(given: string | undefined): string {
  const text = given ?? variable('SLUICE_BASE_URL');
  if (text === undefined) throw new ConfigurationError('Give base_url, or set SLUICE_BASE_URL.');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) {
    throw new ConfigurationError(
      'base_url is an absolute http or https address, without user, query or fragment.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A variable of the environment; an empty one is not set. Browsers have no environment, and Deno may forbid it. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
