/** A plan of the direct interface: what a key of it may do. The row of a key keeps the terms that it was issued under. */
export type Plan = { name: string; requestsPerSecond: number; recordsPerMonth: number };

export const start: Plan = { name: 'Start', requestsPerSecond: 10, recordsPerMonth: 200_000 };
export const scale: Plan = { name: 'Scale', requestsPerSecond: 25, recordsPerMonth: 5_000_000 };
export const trial: Plan = { name: 'Trial', requestsPerSecond: 5, recordsPerMonth: 1_000 };
/** For the storefront that resells this interface: it keeps its own limits, so these are never to be met. */
export const storefront: Plan = {
  name: 'Storefront',
  requestsPerSecond: 10_000,
  recordsPerMonth: 1_000_000_000_000,
};
