import { expect } from 'vitest';

/** A busy machine multiplies the times of a quiet one by up to this. */
export const busyFactor = 4;

/**
 * Does something again until it has taken less than `ms`: a busy machine makes single tries longer, and the fault that the limit is about all
 * of them.
 */
export async function takesLess(ms: number, work: () => Promise<unknown>): Promise<void> {
  const took = async () => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
  await expect.poll(took, { timeout: 20 * ms }).toBeLessThan(ms);
}
