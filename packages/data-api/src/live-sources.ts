import type { Clock } from '@sluice/kernel/clock';
import { secret } from '@sluice/kernel/id';
import * as LiveHttp from './adapters/live-http.ts';
import * as Counters from './live/counters.ts';
import * as Settings from './live/settings.ts';
import type { LiveSource } from './live/source.ts';
import * as StandIn from './live/stand-in.ts';
import type { DataSet, DataSets } from './operation.ts';

export type LiveSourcesContext = {
  dataSets: DataSets;
  clock: Clock;
  log: LiveHttp.LiveHttpContext['log'];
  onFault(error: unknown): void;
};
export type LiveSources = {
  /** The source for this data set: the configured one, or the stand-in for fictional data; null if there is none. */
  sourceFor(data: DataSet): LiveSource | null;
  /** Metrics in the Prometheus text format. */
  metrics(): string;
  stop(): Promise<void>;
};

/** Opens the configured live source. Without settings, starts the stand-in, which only fictional data use. */
export async function open(
  settings: Settings.Settings | null,
  { dataSets, clock, log, onFault }: LiveSourcesContext,
): Promise<LiveSources> {
  const key = secret('live');
  const standIn = settings === null ? await StandIn.start({ key, dataSets, clock, onFault }) : null;
  const counters = Counters.create();
  const { source, running } = LiveHttp.liveHttp(settings ?? standInSettings(standIn?.url ?? '', key), {
    clock,
    counters,
    log,
  });
  return {
    sourceFor: ({ isFictional }) => (settings !== null || isFictional ? source : null),
    metrics: () => Counters.metrics(counters, running()),
    stop: async () => standIn?.stop(),
  };
}

function standInSettings(url: string, key: string): Settings.Settings {
  return { ...Settings.limits, url, key };
}
