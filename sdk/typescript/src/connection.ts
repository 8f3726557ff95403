import { timerMsMax } from './clock.ts';
import { ConfigurationError } from './errors.ts';
import * as Loss from './loss.ts';
import { RateLimit } from './rate-limit.ts';
import * as Reply from './reply.ts';
import * as Retry from './retry.ts';
import { type Credential, type Settings, timeoutMs } from './settings.ts';
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
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /**
   * Effect of a repetition. `free`: none. `paid`: charged twice, unless a storefront recognises both by one idempotency key.
   * `once`: an unwanted second effect, so the call is never repeated after it may have arrived.
   */
  twice: 'free' | 'paid' | 'once';
  options?: CallOptions | undefined;
};

const keyCharsMax = 255;
const keyBytes = 16;

/** Connection to one service: sends calls within the rate limit and retries those that are safe to repeat. */
export class Connection {
  readonly #settings: Settings;
  readonly #credential: Credential | null;
  readonly #rateLimits = new Map<string, RateLimit>();

  constructor(settings: Settings, credential: Credential | null) {
    this.#settings = settings;
    this.#credential = credential;
  }

  /** Returns the response to the last attempt. Throws `APIConnectionError` if there was none, and the reason of an aborted signal. */
  async send(call: Call): Promise<Reply.Reply> {
    const { clock, maxRetries, random } = this.#settings;
    const { signal } = call.options ?? {};
    const url = this.#settings.baseUrl + call.path;
    const key = this.#idempotencyKey(call);
    const request = this.#request(call, key);
    const isKnownByKey = key !== null && this.#credential?.kind === 'access_token';
    const isRepeatable = call.twice === 'free' || (call.twice === 'paid' && isKnownByKey);
    const attemptMs =
      call.options?.timeout === undefined ? this.#settings.timeoutMs : timeoutMs(call.options.timeout);
    for (let attempt = 1; ; attempt += 1) {
      await this.#rateLimit(call.path)?.take(signal);
      signal?.throwIfAborted();
      const outcome = await this.#attempt(url, request, attemptMs, signal);
      const waitMs = attempt > maxRetries ? null : Retry.waitMs(outcome, attempt, isRepeatable, random);
      if (waitMs !== null) await clock.sleep(waitMs, signal);
      else if (outcome.kind === 'lost') throw outcome.error;
      else return outcome.reply;
    }
  }

  #request({ method, body, headers }: Call, key: string | null): RequestInit {
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
      throw new ConfigurationError(`idempotency_key must have 1 to ${keyCharsMax} visible ASCII characters.`);
    }
    return own;
  }

  #rateLimit(path: string): RateLimit | null {
    const { rateLimitRps, clock } = this.#settings;
    if (rateLimitRps === null) return null;
    const known = this.#rateLimits.get(path) ?? new RateLimit(rateLimitRps, clock);
    this.#rateLimits.set(path, known);
    return known;
  }

  async #attempt(url: string, request: RequestInit, attemptMs: number, signal: AbortSignal | undefined) {
    const attempt = new AbortController();
    const abort = () => attempt.abort(signal?.reason);
    const timer = setTimeout(
      () => attempt.abort(new DOMException('The timeout has passed', 'TimeoutError')),
      Math.min(attemptMs, timerMsMax),
    );
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await this.#settings.fetch(url, { ...request, signal: attempt.signal });
      return { kind: 'reply', reply: await Reply.read(response, url, this.#settings.clock) } as const;
    } catch (fault) {
      signal?.throwIfAborted();
      return { kind: 'lost', ...Loss.of(fault, url, attemptMs) } as const;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** Uses `getRandomValues` because browsers offer `randomUUID` on secure origins only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(keyBytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
