import { openCredentialed } from '../adapters/upstream/credentialed-upstream.ts';
import { openUpstream } from '../adapters/upstream/upstream.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { NamedUpstream } from '../catalog/named-upstream.ts';
import * as UpstreamLimits from '../catalog/upstream-limits.ts';
import type { Config } from '../config.ts';
import type { BufferBudget } from '../proxy/buffer-budget.ts';
import { type CallerId, pairwise } from '../proxy/caller-id.ts';
import { fairQueue } from '../proxy/fair-queue.ts';
import { SecretSet } from '../proxy/secret-set.ts';
import type { Upstream } from '../proxy/upstream.ts';
import { routed } from '../proxy/upstream-routes.ts';
import type { UpstreamWaits } from '../proxy/upstream-waits.ts';
import type { UpstreamValues } from './upstream-values.ts';

type Options = {
  config: Pick<Config, 'upstream'>;
  catalog: Catalog;
  /** The addresses and secrets of the named upstreams. */
  values: ReadonlyMap<string, UpstreamValues>;
  /** The secret of the pairwise ids of buyers. */
  callerSecret: string;
  held: BufferBudget;
  waits: UpstreamWaits;
  report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};

/** Opens the single upstream of a catalogue, or all of its named upstreams as one that follows the routes of services. */
export function openUpstreams(options: Options): Upstream {
  const { catalog, values, callerSecret, report } = options;
  if (catalog.upstreams.size === 0) return openSingle(options);
  const secrets = new SecretSet();
  const idOf = pairwise(callerSecret);
  const opened = [...catalog.upstreams].map(([name, upstream]): [string, Upstream] => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the upstream ${name} has no values`);
    return [name, openNamed(options, upstream, value, secrets, idOf)];
  });
  return routed(new Map(opened), report);
}

function openSingle({ config, catalog, held, waits, report }: Options): Upstream {
  const { upstream } = catalog;
  const limits = UpstreamLimits.limits(upstream.limits);
  return fairQueue(
    openUpstream({
      ...connecting(config, limits),
      baseUrl: config.upstream.url,
      key: config.upstream.key,
      keyHeader: upstream.key,
      timeoutMs: upstream.timeoutMs,
      readinessPath: upstream.readinessPath,
      held,
      report,
    }),
    limits,
    waits,
  );
}

function openNamed(
  { config, held, report, waits }: Options,
  upstream: NamedUpstream,
  { url, keys, oauth }: UpstreamValues,
  secrets: SecretSet,
  idOf: CallerId,
): Upstream {
  const { name, key, rotatesKeys, headers, forward, callerHeader, readinessPath, timeoutMs, idleMs } =
    upstream;
  const limits = UpstreamLimits.limits(upstream.limits);
  return fairQueue(
    openCredentialed({
      ...connecting(config, limits),
      ...{ name, key, keys, rotatesKeys, headers, forward, readinessPath, timeoutMs, idleMs },
      ...{ baseUrl: url, secrets, held, report },
      oauth: oauth && upstream.oauth && { ...oauth, scope: upstream.oauth.scope, auth: upstream.oauth.auth },
      caller: callerHeader === null ? null : { header: callerHeader, idOf },
    }),
    limits,
    waits,
  );
}

function connecting({ upstream }: Pick<Config, 'upstream'>, { connectionsMax }: UpstreamLimits.Limits) {
  return {
    connectionsMax,
    // The fair queue sends no more than this; a call waits here only while a connection closes.
    waitingMax: connectionsMax,
    client: upstream.client,
    reuses: upstream.reusesConnections,
  };
}
