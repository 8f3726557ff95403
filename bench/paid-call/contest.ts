import * as Samples from '../samples.ts';
import * as Load from './load.ts';
import * as Proc from './proc.ts';

/** A server, and the load that is put on it. */
export type Contender = { name: string; target: Load.Target; load: Load.Load };

/** One round: microseconds of CPU a request, requests a second and a commit, latency in milliseconds. */
export type Sample = {
  gatewayUs: number;
  databaseUs: number;
  perSecond: number;
  perCommit: number;
  p50: number;
  p99: number;
};

/** Of a round without an answer: no ratio comes of it. */
const nothing: Sample = {
  gatewayUs: Number.NaN,
  databaseUs: Number.NaN,
  perSecond: 0,
  perCommit: 0,
  p50: Number.NaN,
  p99: Number.NaN,
};

/** Medians, and how they spread: the middle half of the rounds. */
export type Spread = { median: number; low: number; high: number };

const warmUpSeconds = 2;
/** Before each round: what fell idle while the others had their turns is no part of it. */
const settleSeconds = 1;

/**
 * Every contender for a moment, then the next, round after round: what drifts on the machine drifts for all of them.
 * Throws where a request failed: a refusal is faster than an answer.
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

/** Null where it answered nothing at all: some bare proxies lose their connections under a crowd. */
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

/** A figure of one against that of another in the same round, for all rounds. */
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
