import * as Headers from '../../proxy/headers.ts';
import { KeyRotation } from '../../proxy/key-rotation.ts';
import * as KeySearch from '../../proxy/key-search.ts';
import * as OwnParameter from '../../proxy/own-parameter.ts';
import * as SecretSet from '../../proxy/secret-set.ts';
import type { Outbound, Sending, Upstream } from '../../proxy/upstream.ts';
import type { UpstreamResult } from '../../proxy/upstream-response.ts';
import type { Dial, Dialled } from '../../proxy/upstream-socket.ts';
import { basicOf, type OauthSettings, OauthToken } from './oauth-token.ts';
import type { Common } from './request-head.ts';
import { openPool, type Pool, type PoolOptions } from './upstream.ts';

export type CredentialedOptions = PoolOptions & {
  /** For the log. */
  name: string;
  /** The place of the key in a request; null when there is none. `value` contains `{key}` as the placeholder of the key. */
  key:
    | { kind: 'header'; header: string; value: string }
    | { kind: 'query'; parameter: string }
    | { kind: 'basic'; user: string }
    | null;
  keys: readonly string[];
  /** True when a key rests after 401, 402 or 429. */
  rotatesKeys: boolean;
  oauth: OauthSettings | null;
  /** Static request headers: a flat list. */
  headers: readonly string[];
  /** Further headers of the caller that cross, in lower case. */
  forward: readonly string[];
  /** The header that receives an opaque id of the account. */
  caller: { header: string; idOf(account: string): string } | null;
  /** The secrets of all upstreams of the shop. */
  secrets: SecretSet.SecretSet;
  report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};

/** Opens a client of an upstream that may have several keys, a key in the query, or an OAuth token. */
export function openCredentialed(options: CredentialedOptions): Upstream {
  const { name, keys, key, oauth, secrets } = options;
  const pool = openPool(options, null);
  const keySecrets = keys.flatMap((one) => secretsOf(key, one));
  const clientSecrets =
    oauth === null ? [] : [oauth.clientSecret, basicOf(oauth.clientId, oauth.clientSecret).slice(6)];
  secrets.set(name, [...keySecrets, ...clientSecrets]);
  secrets.watch((search) => pool.searchFor(search));
  if (oauth !== null) return new OauthUpstream(options, oauth, pool);
  const commons =
    keys.length === 0 ? [commonOf(pool, options, null)] : keys.map((one) => commonOf(pool, options, one));
  const [common] = commons;
  if (options.rotatesKeys && keys.length > 0) return new RotatingUpstream(options, commons, pool);
  return {
    send: (outbound) => pool.connections.send(outbound, common),
    dial: (outbound, dial) => pool.dial(outbound, common as Common, dial),
    probe: pool.probe,
    close: pool.close,
  };
}

/** Builds the parts of the header section that all requests with one key share. */
function commonOf(
  pool: Pool,
  options: CredentialedOptions,
  key: string | null,
  more: readonly string[] = [],
): Common {
  const { headers, forward, caller } = options;
  const sent = key === null ? {} : sentIn(options.key, key);
  return {
    ...pool.commonWith([...headers, ...(sent.own ?? []), ...more]),
    ...(sent.parameter && { parameter: sent.parameter }),
    ...(forward.length > 0 && { forward: new Set(forward) }),
    ...(caller && { caller }),
  };
}

function sentIn(
  place: CredentialedOptions['key'],
  key: string,
): { own?: readonly string[]; parameter?: OwnParameter.OwnParameter } {
  switch (place?.kind) {
    case 'header':
      return { own: [place.header, place.value.replaceAll('{key}', key)] };
    case 'query':
      return { parameter: OwnParameter.create(place.parameter, key) };
    case 'basic':
      return { own: ['authorization', `Basic ${Buffer.from(`${place.user}:${key}`).toString('base64')}`] };
    case undefined:
      return {};
  }
}

function secretsOf(place: CredentialedOptions['key'], key: string): string[] {
  switch (place?.kind) {
    case 'basic':
      return SecretSet.ofBasic(place.user, key);
    case 'header':
      return KeySearch.secretsIn(key, place.value);
    default:
      return [key];
  }
}

/** Uses several keys in turn. */
class RotatingUpstream implements Upstream {
  readonly probe: Upstream['probe'];
  readonly close: Upstream['close'];
  readonly #pool: Pool;
  readonly #rotation: KeyRotation<Common>;
  readonly #options: CredentialedOptions;

  constructor(options: CredentialedOptions, commons: readonly Common[], pool: Pool) {
    this.#options = options;
    this.#pool = pool;
    this.#rotation = new KeyRotation(commons);
    this.probe = pool.probe;
    this.close = pool.close;
  }

  send(outbound: Outbound): Sending {
    const nowMs = performance.now();
    const common = this.#rotation.take(nowMs);
    if (common === null) {
      const retryAfterSeconds = this.#rotation.restSeconds(nowMs);
      return unsent({ kind: 'keys_resting', retryAfterSeconds });
    }
    const sending = this.#pool.connections.send(outbound, common);
    void sending.response.then((response) => this.#answered(common, response));
    return sending;
  }

  async dial(outbound: Outbound, dial: Dial): Promise<Dialled> {
    const nowMs = performance.now();
    const common = this.#rotation.take(nowMs);
    if (common === null)
      return { kind: 'keys_resting', retryAfterSeconds: this.#rotation.restSeconds(nowMs) };
    const dialled = await this.#pool.dial(outbound, common, dial);
    if (dialled.kind === 'answered')
      this.#answered(common, { kind: 'whole', headers: [], status: dialled.status, body: dialled.body });
    return dialled;
  }

  #answered(common: Common, response: UpstreamResult): void {
    if (!('status' in response)) return;
    const { status } = response;
    const retryAfter = 'headers' in response ? Headers.first(response.headers, 'retry-after') : undefined;
    const restMs = this.#rotation.answered(common, status, retryAfter, performance.now(), Date.now());
    if (restMs !== null)
      this.#options.report('upstream_key_rests', { upstream: this.#options.name, status, rest_ms: restMs });
  }
}

/** Sends an access token with each request. */
class OauthUpstream implements Upstream {
  readonly probe: Upstream['probe'];
  readonly #pool: Pool;
  readonly #token: OauthToken;
  /** The parts of the header section for the last token. */
  #last: { token: string; common: Common } | null = null;
  readonly #options: CredentialedOptions;

  constructor(options: CredentialedOptions, oauth: OauthSettings, pool: Pool) {
    const { name, secrets, report } = options;
    this.#options = options;
    this.#pool = pool;
    this.probe = pool.probe;
    let before = '';
    const renewed = (token: string) => {
      // Responses to requests with the previous token may still arrive.
      secrets.set(`${name} token`, [token, before]);
      before = token;
    };
    this.#token = new OauthToken(oauth, renewed, (reason) =>
      report('upstream_oauth_failed', { upstream: name, reason }),
    );
  }

  send(outbound: Outbound): Sending {
    const token = this.#token.current();
    return token === null
      ? new LaterSending(this.#token.get(), (given) => this.#send(outbound, given))
      : this.#send(outbound, token);
  }

  async dial(outbound: Outbound, dial: Dial): Promise<Dialled> {
    const token = this.#token.current() ?? (await this.#token.get());
    if (token === null) return { kind: 'unavailable', reason: 'oauth_failed' };
    const dialled = await this.#pool.dial(outbound, this.#commonWith(token), dial);
    if (dialled.kind === 'answered' && dialled.status === 401) this.#token.rejected(token);
    return dialled;
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await this.#token.close();
  }

  #send(outbound: Outbound, token: string): Sending {
    const sending = this.#pool.connections.send(outbound, this.#commonWith(token));
    void sending.response.then((response) => {
      if ('status' in response && response.status === 401) this.#token.rejected(token);
    });
    return sending;
  }

  #commonWith(token: string): Common {
    if (this.#last?.token === token) return this.#last.common;
    const key = this.#options.keys[0] ?? null;
    const common = commonOf(this.#pool, this.#options, key, ['authorization', `Bearer ${token}`]);
    this.#last = { token, common };
    return common;
  }
}

/** A request that waits for its token. */
class LaterSending implements Sending {
  readonly response: Promise<UpstreamResult>;
  #sending: Sending | null = null;
  #abandoned: (result: UpstreamResult) => void = () => undefined;
  #isAbandoned = false;

  constructor(token: Promise<string | null>, send: (token: string) => Sending) {
    this.response = new Promise((resolve) => {
      this.#abandoned = resolve;
      void token.then((given) => {
        if (this.#isAbandoned) return;
        if (given === null) resolve({ kind: 'unavailable', reason: 'oauth_failed' });
        else {
          this.#sending = send(given);
          resolve(this.#sending.response);
        }
      });
    });
  }

  get isSent(): boolean {
    return this.#sending === null ? false : (this.#sending.isSent ?? true);
  }

  abandon(): void {
    this.#isAbandoned = true;
    if (this.#sending === null) this.#abandoned({ kind: 'abandoned' });
    else this.#sending.abandon();
  }
}

function unsent(result: UpstreamResult): Sending {
  return { response: Promise.resolve(result), isSent: false, abandon: () => undefined };
}
