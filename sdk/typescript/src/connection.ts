import { Attempt } from './attempt.ts';
import * as Charge from './charge.ts';
import * as Errors from './errors.ts';
import { formatOf } from './event-decoder.ts';
import * as Loss from './loss.ts';
import { RateLimit } from './rate-limit.ts';
import * as Reply from './reply.ts';
import * as Retry from './retry.ts';
import {
  type Credential,
  noStorefront,
  type Settings,
  type StorefrontSettings,
  timeoutMs,
} from './settings.ts';
import { version } from './version.ts';

/** Options of a call, beside its fields. */
export interface CallOptions {
  /** Seconds for each attempt, to the last byte of its response. Default: the timeout of the client. */
  timeout?: number;
  /** Cancels the call and its waits. The call then rejects with the reason of the signal. */
  signal?: AbortSignal;
  /**
   * 1 to 255 characters. For 24 hours a storefront returns the same response to calls with the same key and charges only the first.
   * By default, each paid call at a storefront gets a random key. A list uses this key for its first page.
   */
  idempotency_key?: string;
}

/** One call of an operation. */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** May contain `{id}`. Calls of one path share a rate limit. */
  path: string;
  /** Replaces `{id}` in the path, as one segment. */
  id?: string;
  query?: object;
  body?: object;
  headers?: Record<string, string>;
  /**
   * Effect of a repetition. `free`: none. `paid`: charged twice, unless a storefront recognises both by one idempotency key.
   * `once`: an unwanted second effect, so the call is never repeated after it may have arrived.
   */
  twice: 'free' | 'paid' | 'once';
  /** True for an operation that is charged by its results, which a price ceiling applies to. */
  isData?: boolean;
  /** True if the body of a success is left to be read piece by piece, when it is a stream. */
  isStream?: boolean;
  options?: CallOptions | undefined;
};

/** The outcome of one attempt. */
type Outcome =
  | { kind: 'reply'; reply: Reply.Reply; seconds: number }
  | ({ kind: 'lost' } & ReturnType<typeof Loss.of>);

const keyCharsMax = 255;
const keyBytes = 16;

/** Connection to one service: sends calls within the rate limit and retries those that are safe to repeat. */
export class Connection {
  readonly #settings: Settings;
  readonly #storefront: StorefrontSettings;
  #credential: Credential | null;
  #assertion: string | null;
  #renewing: Promise<boolean> | null = null;
  readonly #rateLimits = new Map<string, RateLimit>();

  constructor(settings: Settings, credential: Credential | null, storefront = noStorefront) {
    this.#settings = settings;
    this.#credential = credential;
    this.#storefront = storefront;
    this.#assertion = storefront.assertion;
  }

  /** Returns the response to the last attempt. Throws `APIConnectionError` if there was none, and the reason of an aborted signal. */
  async send(call: Call): Promise<Reply.Reply> {
    const { clock, maxRetries, random } = this.#settings;
    const { signal } = call.options ?? {};
    const url = this.#settings.baseUrl + pathOf(call) + queryOf(call);
    const key = this.#idempotencyKey(call);
    const isKnownByKey = key !== null && this.#credential?.kind === 'access_token';
    const isRepeatable = call.twice === 'free' || (call.twice === 'paid' && isKnownByKey);
    const attemptMs =
      call.options?.timeout === undefined ? this.#settings.timeoutMs : timeoutMs(call.options.timeout);
    let isRenewed = false;
    for (let attempt = 1; ; attempt += 1) {
      await this.#rateLimit(call.path)?.take(signal);
      signal?.throwIfAborted();
      const credential = this.#credential;
      const request = this.#request(call, key);
      const outcome = await this.#attempt(url, request, attemptMs, signal, call.isStream);
      this.#report(call, attempt, outcome);
      // A call that is refused for its token is never charged.
      if (!isRenewed && outcome.kind === 'reply' && isExpired(outcome.reply)) {
        isRenewed = true;
        if (await this.#renew(credential, attemptMs)) {
          attempt -= 1;
          continue;
        }
      }
      const waitMs = attempt > maxRetries ? null : Retry.waitMs(outcome, attempt, isRepeatable, random);
      if (waitMs !== null) await clock.sleep(waitMs, signal);
      else if (outcome.kind === 'lost') throw outcome.error;
      else return outcome.reply;
    }
  }

  #request({ method, body, headers, isData = false }: Call, key: string | null): RequestInit {
    const { maxCostUsd } = this.#storefront;
    const credential = this.#credential;
    return {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': `sluice-client-typescript/${version}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(credential?.kind === 'api_key' && { 'x-api-key': credential.value }),
        ...(credential?.kind === 'access_token' && { authorization: `Bearer ${credential.value}` }),
        ...(key !== null && { 'idempotency-key': key }),
        ...(isData && maxCostUsd !== null && { 'storefront-max-cost': maxCostUsd }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect would carry the credential to wherever it points.
      redirect: 'manual',
    };
  }

  /** Returns the caller's key, or a random one if it prevents a retry from being charged twice, or null. */
  #idempotencyKey({ twice, options }: Call): string | null {
    const own = options?.idempotency_key;
    if (own === undefined)
      return twice === 'paid' && this.#credential?.kind === 'access_token' ? randomKey() : null;
    if (own.length > keyCharsMax || !/^[\x21-\x7e]+$/.test(own)) {
      throw new Errors.ConfigurationError(
        `idempotency_key must have 1 to ${keyCharsMax} visible ASCII characters.`,
      );
    }
    return own;
  }

  /** Renews the access token, once for all calls that were refused with it. Returns false if that is impossible. */
  #renew(refused: Credential | null, attemptMs: number): Promise<boolean> {
    if (this.#credential !== refused) return Promise.resolve(true);
    if (this.#assertion === null) return Promise.resolve(false);
    this.#renewing ??= this.#exchange(this.#assertion, attemptMs).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #exchange(assertion: string, attemptMs: number): Promise<boolean> {
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    const request: RequestInit = {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'user-agent': `sluice-client-typescript/${version}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(grant).toString(),
      redirect: 'manual',
    };
    const outcome = await this.#attempt(
      `${this.#settings.baseUrl}/oauth2/token`,
      request,
      attemptMs,
      undefined,
    );
    if (outcome.kind === 'lost' || outcome.reply.status !== 200) return false;
    const access = Errors.member<unknown>(outcome.reply.body, 'access_token');
    if (typeof access !== 'string') return false;
    const next = Errors.member<unknown>(outcome.reply.body, 'identity_assertion');
    this.#credential = { kind: 'access_token', value: access };
    this.#assertion = typeof next === 'string' ? next : assertion;
    quietly(() =>
      this.#storefront.onRenewal?.({ access_token: access, identity_assertion: this.#assertion ?? '' }),
    );
    return true;
  }

  #report(call: Call, attempt: number, outcome: Outcome): void {
    const { onResponse } = this.#settings;
    if (onResponse === null || outcome.kind === 'lost') return;
    const { method } = call;
    const path = pathOf(call);
    const { status, headers } = outcome.reply;
    const request_id = headers.get('x-request-id');
    const { seconds } = outcome;
    quietly(() =>
      onResponse({ method, path, status, attempt, seconds, request_id, charge: Charge.read(headers) }),
    );
  }

  #rateLimit(path: string): RateLimit | null {
    const { rateLimitRps, clock } = this.#settings;
    if (rateLimitRps === null) return null;
    const known = this.#rateLimits.get(path) ?? new RateLimit(rateLimitRps, clock);
    this.#rateLimits.set(path, known);
    return known;
  }

  async #attempt(
    url: string,
    request: RequestInit,
    attemptMs: number,
    signal: AbortSignal | undefined,
    isStream = false,
  ): Promise<Outcome> {
    const startMs = this.#settings.clock.now();
    const attempt = new Attempt(attemptMs, signal);
    let isOpen = false;
    try {
      const response = await this.#settings.fetch(url, { ...request, signal: attempt.signal });
      isOpen = isStream && response.ok && formatOf(response.headers) !== null;
      const reply = isOpen
        ? Reply.open(response, url, attempt.pieces(response.body, url))
        : await Reply.read(response, url, this.#settings.clock);
      return { kind: 'reply', reply, seconds: (this.#settings.clock.now() - startMs) / 1000 };
    } catch (fault) {
      signal?.throwIfAborted();
      return { kind: 'lost', ...Loss.of(fault, url, attemptMs) };
    } finally {
      if (!isOpen) attempt.end();
    }
  }
}

/** Returns the path with its id. An id that would leave its place in the path is a `ConfigurationError`. */
function pathOf({ path, id }: Call): string {
  if (id === undefined) return path;
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new Errors.ConfigurationError(`${path} needs an id.`);
  return path.replace('{id}', encodeURIComponent(id));
}

/** Returns the query of a call, with its question mark, or nothing. */
function queryOf({ query = {} }: Call): string {
  const text = new URLSearchParams(given(query) as Record<string, string>).toString();
  return text && `?${text}`;
}

/** Returns the fields without those that are null or undefined. */
export function given(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** The access token has expired, or was revoked. */
function isExpired({ status, code }: Reply.Reply): boolean {
  return status === 401 && code === 'token_invalid';
}

/** Runs a callback of the user, whose exceptions must not lose a paid response. */
function quietly(callback: () => void): void {
  try {
    callback();
  } catch {
    // The user's own callback is responsible for its faults.
  }
}

/** Uses `getRandomValues` because browsers offer `randomUUID` on secure origins only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(keyBytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
