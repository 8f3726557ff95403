import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as HeldBytes from '../../relay/held-bytes.ts';
import { answerBytesMax } from '../../relay/meter.ts';
import type { Outbound, Upstream } from '../../relay/upstream.ts';
import * as Connection from './connection.ts';
import { Connections } from './connections.ts';
import type { Terms } from './exchange.ts';
import * as RequestHead from './request-head.ts';

export type Options = {
  /** http(s), without query, fragment and credentials; its path is put before every target. */
  baseUrl: string;
  /** Empty where the upstream wants none. */
  key: string;
  /** `value` holds `{key}` where the key goes. */
  keyHeader: { header: string; value: string };
  timeoutMs: number;
  /** Requests under way at once, each on a connection of its own. */
  connectionsMax?: number;
  /** Requests that wait for a connection; further ones are answered `busy`. */
  waitingMax?: number;
  answerBytesMax?: number;
  /** What all answers take up, of this upstream and of others; its own where there are no others. */
  held?: HeldBytes.HeldBytes;
};

const probeTimeoutMs = 2_000;
const oneWriteBytesMax = 16 * 1024;
const userAgent = 'sluice';

/** Opens the way to one upstream; connects when first used. Throws TypeError on a base URL or key that cannot be sent. */
export function open(options: Options): Upstream {
  const url = parseBase(options.baseUrl);
  const place = Connection.place(url);
  const keyValue = options.keyHeader.value.replaceAll('{key}', options.key);
  const own = ['user-agent', userAgent];
  if (options.key !== '') {
    validateHeaderName(options.keyHeader.header);
    validateHeaderValue(options.keyHeader.header, keyValue);
    own.push(options.keyHeader.header, keyValue);
  }
  const common = RequestHead.common(url, own);
  const terms: Terms = {
    timeoutMs: options.timeoutMs,
    answerBytesMax: options.answerBytesMax ?? answerBytesMax,
    held: options.held ?? HeldBytes.create(),
    oneWriteBytesMax,
    guard: { secrets: options.key === '' ? [] : [options.key], samePaths: common.prefix === '' },
    key: Buffer.from(options.key),
  };
  const connections = new Connections(
    place,
    common,
    terms,
    options.connectionsMax ?? 64,
    options.waitingMax ?? 256,
  );
  /** On a connection of its own, so that a full or broken set of connections is not taken for a broken upstream. */
  const ask = async () => {
    const asking = new Connections(
      place,
      { ...common, own: [] },
      { ...terms, timeoutMs: probeTimeoutMs },
      1,
      0,
    );
    const { kind } = await asking.send(probing).answer;
    await asking.close();
    return kind === 'answer';
  };
  let probe: Promise<boolean> | null = null;
  return {
    send: (outbound) => connections.send(outbound),
    probe() {
      probe ??= ask().finally(() => {
        probe = null;
      });
      return probe;
    },
    close: () => connections.close(),
  };
}

const probing: Outbound = {
  method: 'HEAD',
  target: { path: '/', query: '' },
  rawHeaders: [],
  body: null,
  metered: false,
};

function parseBase(baseUrl: string): URL {
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol) || url.search + url.hash + url.username + url.password !== '') {
    throw new TypeError('the upstream base URL is http(s), without query, fragment and credentials');
  }
  return url;
}
