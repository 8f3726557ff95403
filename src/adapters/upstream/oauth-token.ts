import { Agent, request } from 'undici';

export type OauthSettings = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** Empty for none. */
  scope: string;
  auth: 'basic' | 'body';
};

const waitMsMax = 10_000;
const responseBytesMax = 64 * 1024;
const tokenCharsMax = 8_192;
/** The lifetime of a token whose response does not state it. */
const usualLifeSeconds = 300;
const lifeSecondsMax = 86_400;
/** A token is not used in the last part of its life: a request takes time to arrive, and clocks differ. */
const marginMsMax = 30_000;
/** After a failed request, the next one waits: at first this long, then twice as long, up to the maximum. */
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;
/** A token that the upstream rejects is renewed at most once in this time. */
const forcedRenewalEveryMs = 60_000;

type Token = { text: string; usableUntilMs: number; renewedFromMs: number };

/**
 * The access token of OAuth 2.0 client credentials (RFC 6749, 4.4). It is kept until shortly before it expires, and renewed by one request at a
 * time, without redirects: one could lead the client secret elsewhere. Times are on the clock of `performance.now()`.
 */
export class OauthToken {
  readonly #settings: OauthSettings;
  readonly #renewed: (token: string) => void;
  readonly #failed: (reason: string) => void;
  readonly #agent = new Agent({ connections: 1, connect: { timeout: waitMsMax } });
  #token: Token | null = null;
  #renewing: Promise<string | null> | null = null;
  #pausedUntilMs = 0;
  #pauseMs = 0;
  #forcedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param renewed called with each new token before it is used
   * @param failed called with a code for the log, which contains no secret
   */
  constructor(settings: OauthSettings, renewed: (token: string) => void, failed: (reason: string) => void) {
    this.#settings = settings;
    this.#renewed = renewed;
    this.#failed = failed;
  }

  /** Returns a usable token without waiting, or null. Starts the renewal of one that will expire soon. */
  current(): string | null {
    const token = this.#token;
    const nowMs = performance.now();
    if (token === null || nowMs >= token.usableUntilMs) return null;
    if (nowMs >= token.renewedFromMs) void this.get();
    return token.text;
  }

  /** Returns a fresh token, or null within ten seconds when there is none. Concurrent calls share one request. */
  get(): Promise<string | null> {
    if (this.#renewing === null && performance.now() < this.#pausedUntilMs) return Promise.resolve(null);
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Drops a token that the upstream answered with 401, unless that happened a moment ago. */
  rejected(token: string): void {
    const nowMs = performance.now();
    if (this.#token?.text !== token || nowMs - this.#forcedAtMs < forcedRenewalEveryMs) return;
    this.#forcedAtMs = nowMs;
    this.#token = null;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #renew(): Promise<string | null> {
    const startedMs = performance.now();
    const found = await this.#ask().catch(reasonOf);
    if ('reason' in found) {
      this.#pauseMs = Math.min(pauseMsMax, Math.max(pauseMsMin, this.#pauseMs * 2));
      this.#pausedUntilMs = performance.now() + this.#pauseMs;
      this.#failed(found.reason);
      return null;
    }
    this.#pauseMs = 0;
    const lifeMs = found.lifeSeconds * 1_000;
    const marginMs = Math.min(marginMsMax, lifeMs / 10);
    this.#renewed(found.text);
    this.#token = {
      text: found.text,
      usableUntilMs: startedMs + lifeMs - marginMs,
      renewedFromMs: startedMs + lifeMs - 2 * marginMs,
    };
    return found.text;
  }

  async #ask(): Promise<{ text: string; lifeSeconds: number } | { reason: string }> {
    const { tokenUrl, clientId, clientSecret, scope, auth } = this.#settings;
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) });
    const headers: Record<string, string> = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'sluice',
    };
    if (auth === 'basic') headers.authorization = basicOf(clientId, clientSecret);
    else {
      form.set('client_id', clientId);
      form.set('client_secret', clientSecret);
    }
    const answer = await request(tokenUrl, {
      dispatcher: this.#agent,
      method: 'POST',
      headers,
      body: form.toString(),
      signal: AbortSignal.timeout(waitMsMax),
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > responseBytesMax) return { reason: 'response_too_large' };
      chunks.push(chunk);
    }
    if (answer.statusCode !== 200) return { reason: `status_${answer.statusCode}` };
    return tokenOf(Buffer.concat(chunks).toString());
  }
}

/** Returns the value of the authorization header; id and secret are form-encoded first (RFC 6749, 2.3.1). */
export function basicOf(clientId: string, clientSecret: string): string {
  const [user, password] = [clientId, clientSecret].map((text) =>
    new URLSearchParams({ '': text }).toString().slice(1),
  );
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function tokenOf(text: string): { text: string; lifeSeconds: number } | { reason: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { reason: 'not_json' };
  }
  if (typeof body !== 'object' || body === null) return { reason: 'not_json' };
  const {
    access_token: token,
    token_type: type = 'bearer',
    expires_in: life,
  } = body as Record<string, unknown>;
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token) || token.length > tokenCharsMax)
    return { reason: 'no_token' };
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return { reason: 'token_type' };
  const seconds = Number(life ?? usualLifeSeconds);
  const isLife = Number.isFinite(seconds) && seconds > 0;
  return { text: token, lifeSeconds: isLife ? Math.min(seconds, lifeSecondsMax) : usualLifeSeconds };
}

/** The message of an error may contain the request, so only its code is used. */
function reasonOf(fault: unknown): { reason: string } {
  if (!(fault instanceof Error)) return { reason: 'failed' };
  return { reason: 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name };
}
