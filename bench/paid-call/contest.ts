import * as Samples from '../samples.ts';
import * as Load from './load.ts';
import * as Proc from './proc.ts';

/** A server, and the load to put on it. */
export type Contender = { name: string; target: Load.Target; load: Load.Load };

/** The result of one round: CPU microseconds per request, requests per second and per commit, latency in milliseconds. */
export type Sample = {
  gatewayUs: number;
  databaseUs: number;
  perSecond: number;
  perCommit: number;
  p50: number;
  p99: number;
};

/** The result of a round without a response; no ratio can be computed from it. */
const nothing: Sample = {
  gatewayUs: Number.NaN,
  databaseUs: Number.NaN,
  perSecond: 0,
  perCommit: 0,
  p50: Number.NaN,
  p99: Number.NaN,
};

/** The median, and the middle half of the rounds. */
export type Spread = { median: number; low: number; high: number };

const warmUpSeconds = 2;
/** Pause before each round, so that work that a contender postponed while idle is not measured. */
const settleSeconds = 1;

/**
 * Measures all contenders in turn, round after round, so that a drift of the machine affects all of them alike.
 * Throws when a request fails, because a refusal is faster than a response.
 */
export async function inTurn(
  contenders: readonly Contender[],
  rounds: number,
): Promise<Map<Contender, Sample[]>> {
  for (const { target, load } of contenders) await Load.put(target, { ...load, seconds: warmUpSeconds });
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round++)
    for (const [contender, list] of samples) {
      const taken = await sample(contender);
      list.push(taken ?? nothing);
      if (taken === null) console.log(`${contender.name} answered nothing in round ${round + 1}`);
    }
  return samples;
}

/** Returns null when there was no response at all: some bare proxies lose their connections under a crowd. */
async function sample({ name, target, load }: Contender): Promise<Sample | null> {
  await Load.put(target, { ...load, seconds: settleSeconds });
  const before = [cpuMs(target.gateway), cpuMs(target.database)] as const;
  const commits = await target.commits?.();
  const { requests, seconds, failed, p50, p99 } = await Load.put(target, load);
  if (requests === 0) return null;
  if (failed > 0) throw new Error(`${name}: ${failed} of ${requests} requests failed`);
  const each = (pids: readonly number[], beforeMs: number) => ((cpuMs(pids) - beforeMs) * 1_000) / requests;
  return {
    gatewayUs: each(target.gateway, before[0]),
    databaseUs: each(target.database, before[1]),
    perSecond: requests / seconds,
    perCommit: target.commits && commits !== undefined ? requests / ((await target.commits()) - commits) : 0,
    p50,
    p99,
  };
}

function cpuMs(pids: readonly number[]): number {
  return Samples.sum(pids.map(Proc.cpuMs));
}

/** Returns a figure of one contender divided by that of another in the same round, for all rounds. */
export function paired(
  some: readonly Sample[],
  others: readonly Sample[],
  compare: (one: Sample, other: Sample) => number,
): Spread {
  const ratios = some.map((one, round) => compare(one, others[round] as Sample));
  return spread(ratios.filter((ratio) => !Number.isNaN(ratio)));
}

export function spread(values: readonly number[]): Spread {
  return {
    median: Samples.median(values),
    low: Samples.quantile(values, 0.25),
    high: Samples.quantile(values, 0.75),
  };
}
