import type { Charge } from './charge.ts';
import { type Clock, systemClock } from './clock.ts';
import { ConfigurationError } from './errors.ts';

/** One response to an attempt, for logs. */
export interface ResponseInfo {
  method: string;
  /** Without the base URL. */
  path: string;
  status: number;
  /** Counts from 1. */
  attempt: number;
  /** Seconds from the start of the attempt to the last byte. */
  seconds: number;
  request_id: string | null;
  /** The charge of a storefront; null if it charged nothing. */
  charge: Charge | null;
}

/** Tokens that replace those of a client. */
export interface Renewal {
  access_token: string;
  identity_assertion: string;
}

/** Address of a service, with its timeouts, retries and rate limit. */
export interface ConnectionOptions {
  /** Address of the service, such as `https://api.example.com`. Default: the variable `SLUICE_BASE_URL`. */
  base_url?: string;
  /** Seconds for each attempt, to the last byte of its response. Default 30. */
  timeout?: number;
  /** Number of retries. Default 3. */
  max_retries?: number;
  /** Maximum number of calls that start in a second, per path. Default 5; null for no limit. */
  rate_limit_rps?: number | null;
  /** Sends the requests. Default: the `fetch` of the runtime. */
  fetch?: typeof globalThis.fetch;
  /** Measures waits. Default: the system clock. */
  clock?: Clock;
  /** Receives every response, of retries too. Its exceptions are ignored, so that no paid response is lost. */
  on_response?: (response: ResponseInfo) => void;
  /** Numbers from 0 up to 1, for the jitter of retries. Default: `Math.random`. */
  random?: () => number;
}

/** Exactly one credential and the address. Two credentials, or none, are a `ConfigurationError`. */
export interface SluiceOptions extends ConnectionOptions {
  /** Key of the data API. Default: the variable `SLUICE_API_KEY`. */
  api_key?: string;
  /** Access token or account key of a storefront. Default: the variable `SLUICE_ACCESS_TOKEN`. */
  access_token?: string;
  /** The assertion of the registration at a storefront: with it, an expired `access_token` is renewed. */
  identity_assertion?: string;
  /** Receives renewed tokens, to store them. Its exceptions are ignored. */
  on_renewal?: (renewal: Renewal) => void;
  /** The most that one call may cost at a storefront, in USD: `0.05`. A call that could cost more is refused, free of charge. */
  max_cost_usd?: string;
}

/** Options that only a storefront knows. */
export type StorefrontSettings = {
  assertion: string | null;
  onRenewal: ((renewal: Renewal) => void) | null;
  maxCostUsd: string | null;
};

export const noStorefront: StorefrontSettings = { assertion: null, onRenewal: null, maxCostUsd: null };

export type Credential = { kind: 'api_key' | 'access_token'; value: string };

/** Validated settings of a client. */
export type Settings = {
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  rateLimitRps: number | null;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  random: () => number;
  onResponse: ((response: ResponseInfo) => void) | null;
};

/** Validates the options. Missing ones come from the environment. */
export function read(options: ConnectionOptions): Settings {
  const { max_retries = 3, rate_limit_rps = 5 } = options;
  if (!Number.isInteger(max_retries) || max_retries < 0) {
    throw new ConfigurationError('max_retries must be a whole number, 0 or more.');
  }
  if (rate_limit_rps !== null && !(Number.isFinite(rate_limit_rps) && rate_limit_rps > 0)) {
    throw new ConfigurationError('rate_limit_rps must be a number above 0, or null for no limit.');
  }
  return {
    baseUrl: baseUrl(options.base_url),
    timeoutMs: timeoutMs(options.timeout ?? 30),
    maxRetries: max_retries,
    rateLimitRps: rate_limit_rps,
    // A browser's `fetch` fails when called as a method of another object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    onResponse: options.on_response ?? null,
  };
}

/** Returns the given credential, or else that of the environment. */
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
      'The credential is missing. Pass api_key (data API) or access_token (storefront), or set SLUICE_API_KEY or SLUICE_ACCESS_TOKEN.',
    );
  }
  if (other !== undefined) {
    throw new ConfigurationError(
      'api_key and access_token are for different services. Pass only one of them.',
    );
  }
  if (typeof only.value !== 'string' || !/^[\x21-\x7e]+$/.test(only.value)) {
    throw new ConfigurationError(`${only.kind} must be visible ASCII characters without spaces.`);
  }
  return only;
}

/** Validates the options that only a storefront knows. */
export function storefront(options: SluiceOptions, { kind }: Credential): StorefrontSettings {
  const { identity_assertion = null, on_renewal = null, max_cost_usd = null } = options;
  if (kind === 'api_key' && (identity_assertion ?? max_cost_usd) !== null)
    throw new ConfigurationError('identity_assertion and max_cost_usd need an access_token.');
  if (identity_assertion !== null && !/^[\x21-\x7e]+$/.test(identity_assertion))
    throw new ConfigurationError('identity_assertion must be visible ASCII characters without spaces.');
  if (max_cost_usd !== null && !/^\d{1,9}(\.\d{1,6})?$/.test(max_cost_usd))
    throw new ConfigurationError('max_cost_usd must be a decimal in USD, such as 0.05.');
  return { assertion: identity_assertion, onRenewal: on_renewal, maxCostUsd: max_cost_usd };
}

/** Validates a number of seconds and returns milliseconds. */
export function timeoutMs(seconds: number): number {
  if (!(Number.isFinite(seconds) && seconds > 0)) {
    throw new ConfigurationError('timeout must be a number of seconds above 0.');
  }
  return seconds * 1000;
}

function baseUrl(given: string | undefined): string {
  const text = given ?? variable('SLUICE_BASE_URL');
  if (text === undefined)
    throw new ConfigurationError('base_url is missing. Pass it, or set SLUICE_BASE_URL.');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) {
    throw new ConfigurationError(
      'base_url must be an absolute http or https address without user, query or fragment.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** Returns an environment variable, or undefined if it is empty. Browsers have no environment, and Deno may deny access. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
