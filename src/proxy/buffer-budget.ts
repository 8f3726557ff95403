import type { Destination } from './upstream-response.ts';

/**
 * Bytes of response bodies that a process keeps in memory, either until they are counted or until their callers have read them.
 * Each body has a limit of its own; `max` limits their sum, because many can arrive at once.
 */
export type BufferBudget = { bytes: number; readonly max: number };

/** 256 MiB. */
const budgetBytes = 256 * 1024 * 1024;

export function create(max: number = budgetBytes): BufferBudget {
  return { bytes: 0, max };
}

export function isFull(budget: BufferBudget): boolean {
  return budget.bytes >= budget.max;
}

/** Adds `bytes` even when that exceeds the limit, because they are already in memory. */
export function reserve(budget: BufferBudget, bytes: number): void {
  budget.bytes += bytes;
}

/** Adds `bytes` until `outgoing` closes: the bytes are written, but its reader has not received them yet. */
export function reserveUntilClosed(
  budget: BufferBudget,
  bytes: number,
  outgoing: Pick<Destination, 'closed' | 'once'>,
): void {
  if (outgoing.closed) return;
  reserve(budget, bytes);
  outgoing.once('close', () => release(budget, bytes));
}

export function release(budget: BufferBudget, bytes: number): void {
  budget.bytes -= bytes;
}
