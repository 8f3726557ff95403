import type { UpstreamRoute } from '../catalog/named-upstream.ts';
import type { Outbound, Sending, Upstream } from './upstream.ts';
import type { UpstreamResult } from './upstream-response.ts';

type Report = (event: string, detail: Readonly<Record<string, unknown>>) => void;

/**
 * Makes one upstream of several: each request goes to the upstream that its route names. When nothing was sent to it, the others of the
 * route are tried in turn; after a byte of a request may have left, never.
 */
export function routed(upstreams: ReadonlyMap<string, Upstream>, report: Report): Upstream {
  const of = (name: string): Upstream => {
    const upstream = upstreams.get(name);
    if (upstream === undefined) throw new Error(`the catalogue has no upstream ${name}`);
    return upstream;
  };
  const probeAll = async () => {
    const states = [...upstreams].map(async ([name, upstream]) => [name, await upstream.probe()] as const);
    return new Map(await Promise.all(states));
  };
  return {
    send(outbound) {
      const { route } = outbound;
      if (route === undefined) throw new Error('the request names no upstream');
      if (route.otherwise.length === 0) return of(route.upstream).send(outbound);
      return new RoutedSending(of, outbound, route, report);
    },
    dial: async (outbound, dial) =>
      (await of(outbound.route?.upstream ?? '').dial?.(outbound, dial)) ?? {
        kind: 'unavailable',
        reason: 'no_websockets',
      },
    // An outage of one upstream must not stop the sale of the others.
    probe: async () => [...(await probeAll()).values()].includes(true),
    probeAll,
    close: async () => {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    },
  };
}

/** One request on its way along a route. */
class RoutedSending implements Sending {
  readonly response: Promise<UpstreamResult>;
  #sending: Sending;
  #isAbandoned = false;

  constructor(of: (name: string) => Upstream, outbound: Outbound, route: UpstreamRoute, report: Report) {
    this.#sending = of(route.upstream).send(outbound);
    this.response = this.#follow(of, outbound, route, report);
  }

  get isSent(): boolean {
    return this.#sending.isSent ?? true;
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#sending.abandon();
  }

  async #follow(
    of: (name: string) => Upstream,
    outbound: Outbound,
    { upstream, otherwise }: UpstreamRoute,
    report: Report,
  ): Promise<UpstreamResult> {
    let from = upstream;
    let result = await this.#sending.response;
    for (const to of otherwise) {
      if (this.#isAbandoned || this.isSent || !mayGoElsewhere(result)) break;
      report('upstream_fallback', { from, to, reason: 'reason' in result ? result.reason : result.kind });
      from = to;
      this.#sending = of(to).send(outbound);
      result = await this.#sending.response;
    }
    return result;
  }
}

/**
 * Returns true for a failure of the upstream that another one may not have. An account that uses up its own share must wait, and a request
 * that cannot be written is no reason to choose another upstream: a caller could choose it that way.
 */
function mayGoElsewhere(result: UpstreamResult): boolean {
  switch (result.kind) {
    case 'busy':
    case 'keys_resting':
    case 'timeout':
      return true;
    case 'unavailable':
      return result.reason !== 'unsendable';
    default:
      return false;
  }
}
