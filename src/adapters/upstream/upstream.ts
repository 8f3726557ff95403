import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as BufferBudget from '../../proxy/buffer-budget.ts';
import * as KeySearch from '../../proxy/key-search.ts';
import { responseBytesMax } from '../../proxy/meter.ts';
import type { Outbound, Upstream } from '../../proxy/upstream.ts';
import type { Dial, Dialled } from '../../proxy/upstream-socket.ts';
import { Connection, place } from './connection.ts';
import { Connections, connectTimeoutMsMax } from './connection-pool.ts';
import type { ExchangeSettings } from './exchange-settings.ts';
import type { Connect } from './pooled-connection.ts';
import * as RequestHead from './request-head.ts';
import * as Undici from './undici-connection.ts';
import * as WebSockets from './websocket.ts';

/** `built-in`: the strict HTTP/1.1 client of this folder. `undici`: the client of that library. */
export type ClientKind = 'built-in' | 'undici';

export type UpstreamOptions = PoolOptions & {
  /** Empty when the upstream needs no key. */
  key: string;
  /** `value` contains `{key}` as the placeholder of the key. */
  keyHeader: { header: string; value: string };
};

/** The options that do not concern the key. */
export type PoolOptions = {
  /** http(s), without query, fragment and credentials; its path precedes every target. */
  baseUrl: string;
  timeoutMs: number;
  /** The longest pause of a streamed response; the default is `timeoutMs`. */
  idleMs?: number;
  /** A GET without a key that answers 2xx while the upstream can serve; null when any response counts. */
  readinessPath?: string | null;
  /** Maximum number of requests under way, each on its own connection. */
  connectionsMax?: number;
  /** Maximum number of requests that wait for a connection; further ones get `busy`. */
  waitingMax?: number;
  /** The HTTP client; the default is `built-in`. */
  client?: ClientKind;
  /** True (the default) when a connection may carry several requests, one after another. */
  reuses?: boolean;
  responseBytesMax?: number;
  /** The budget of buffered responses, which several upstreams may share. By default each has its own. */
  held?: BufferBudget.BufferBudget;
  /** Takes an event of the log; by default it is lost. */
  report?: ExchangeSettings['report'];
};

const probeTimeoutMs = 2_000;
const oneWriteBytesMax = 16 * 1024;
const userAgent = 'sluice';

/** Opens a client of one upstream, which connects when first used. Throws TypeError for a base URL or key that cannot be sent. */
export function openUpstream(options: UpstreamOptions): Upstream {
  const keyValue = options.keyHeader.value.replaceAll('{key}', options.key);
  const own: string[] = [];
  if (options.key !== '') {
    validateHeaderName(options.keyHeader.header);
    validateHeaderValue(options.keyHeader.header, keyValue);
    own.push(options.keyHeader.header, keyValue);
  }
  const pool = openPool(options, KeySearch.create(options.key, options.keyHeader.value));
  const common = pool.commonWith(own);
  return {
    send: (outbound) => pool.connections.send(outbound, common),
    dial: (outbound, dial) => pool.dial(outbound, common, dial),
    probe: pool.probe,
    close: pool.close,
  };
}

/** The connections of an upstream, without a key of their own. */
export type Pool = {
  connections: Connections;
  /** Returns the parts of the header section with further headers of the storefront's own: a flat list. */
  commonWith(own: readonly string[]): RequestHead.Common;
  /** Opens a WebSocket on a connection of its own. */
  dial(outbound: Outbound, common: RequestHead.Common, dial: Dial): Promise<Dialled>;
  /** Replaces the search for secrets in responses. */
  searchFor(keySearch: KeySearch.KeySearch | null): void;
  probe: Upstream['probe'];
  close: Upstream['close'];
};

/** Opens the connections of an upstream, which connect when first used. Throws TypeError for an invalid base URL. */
export function openPool(options: PoolOptions, keySearch: KeySearch.KeySearch | null): Pool {
  const url = parseBase(options.baseUrl);
  const reuses = options.reuses ?? true;
  const connect = connecting(url, options.client ?? 'built-in', reuses, options.timeoutMs);
  const common = RequestHead.common(url, ['user-agent', userAgent], reuses);
  const terms: ExchangeSettings = {
    reuses,
    timeoutMs: options.timeoutMs,
    idleMs: options.idleMs ?? options.timeoutMs,
    responseBytesMax: options.responseBytesMax ?? responseBytesMax,
    held: options.held ?? BufferBudget.create(),
    report: options.report ?? (() => undefined),
    oneWriteBytesMax,
    ...searching(keySearch, common),
  };
  const connections = new Connections(
    connect,
    common,
    terms,
    options.connectionsMax ?? 64,
    options.waitingMax ?? 256,
  );
  // The probe uses its own connection, so that a full or broken pool does not make the upstream look broken.
  const readinessPath = options.readinessPath ?? null;
  const ask = async () => {
    const asking = new Connections(
      connect,
      { ...common, own: [] },
      { ...terms, timeoutMs: probeTimeoutMs },
      1,
      0,
    );
    const response = await asking.send(probing(readinessPath)).response;
    await asking.close();
    return response.kind === 'whole' && (readinessPath === null || isSuccess(response.status));
  };
  let probe: Promise<boolean> | null = null;
  return {
    connections,
    commonWith: (own) => ({ ...common, own: [...common.own, ...own] }),
    dial: (outbound, common, dial) =>
      WebSockets.dial(
        { origin: url.origin, timeoutMs: options.timeoutMs, keySearch: () => terms.keySearch },
        common,
        outbound,
        dial,
      ),
    searchFor: (changed) => void Object.assign(terms, searching(changed, common)),
    probe() {
      probe ??= ask().finally(() => {
        probe = null;
      });
      return probe;
    },
    close: () => connections.close(),
  };
}

function searching(
  keySearch: KeySearch.KeySearch | null,
  { prefix }: RequestHead.Common,
): Pick<ExchangeSettings, 'guard' | 'keySearch'> {
  return { guard: { secrets: keySearch?.whole.texts ?? [], samePaths: prefix === '' }, keySearch };
}

function connecting(url: URL, client: ClientKind, reuses: boolean, timeoutMs: number): Connect {
  if (client === 'undici') {
    const at = Undici.place(url, reuses, Math.min(timeoutMs, connectTimeoutMsMax));
    return (untilMs, listener) => new Undici.UndiciConnection(at, untilMs, listener);
  }
  const at = place(url);
  return (untilMs, listener) => new Connection(at, untilMs, listener);
}

function probing(readinessPath: string | null): Outbound {
  const [path = '/', ...query] = (readinessPath ?? '/').split('?');
  return {
    method: readinessPath === null ? 'HEAD' : 'GET',
    target: { path, query: query.join('?') },
    rawHeaders: [],
    body: null,
    // A short response is read whole, so that the connection can be closed in order.
    metered: readinessPath !== null,
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function parseBase(baseUrl: string): URL {
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol) || url.search + url.hash + url.username + url.password !== '') {
    throw new TypeError('the upstream base URL is http(s), without query, fragment and credentials');
  }
  return url;
}
