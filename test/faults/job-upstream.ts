/** The part of a request that decides about its job. */
type JobAsked = { act: string; bytes: number; count: number; max: number };

/** The end of a job at the upstream, as its request decides. */
export type JobEnd = { status: 'succeeded'; count: number } | { status: 'succeeded' } | { status: 'failed' };

/** The maximum of the operation that starts jobs. */
export const unitsMax = 50;
const kinds = 5;
const tooMany = 7;

/** Returns how the job of a request ends: some fail, some report nothing that can be counted, and some report too much. */
export function endOf({ act, bytes, count, max }: JobAsked): JobEnd {
  if (bytes % kinds === 0) return { status: 'failed' };
  if (bytes % kinds === 1) return { status: 'succeeded' };
  return { status: 'succeeded', count: act === 'too many' ? max + tooMany : count };
}

/** Returns the units that the job of a request costs: never more than were held for it. */
export function costOf(asked: JobAsked, held: number): number {
  const end = endOf(asked);
  return 'count' in end ? Math.min(end.count, held) : 0;
}
