import type { FieldError } from '../schema/wording.ts';

/**
 * A plan of the data API. Null `recordsPerMonth` means unlimited records. Each key stores the limits of its plan, so
 * changing a plan here does not affect existing keys.
 */
export type Plan = { name: string; requestsPerSecond: number; recordsPerMonth: number | null };

export const start: Plan = { name: 'Start', requestsPerSecond: 10, recordsPerMonth: 200_000 };
export const scale: Plan = { name: 'Scale', requestsPerSecond: 25, recordsPerMonth: 5_000_000 };
export const trial: Plan = { name: 'Trial', requestsPerSecond: 5, recordsPerMonth: 1_000 };
/** For the gateway that resells this API. It enforces its own limits, so these are practically unlimited. */
export const storefront: Plan = {
  name: 'Storefront',
  requestsPerSecond: 10_000,
  recordsPerMonth: 1_000_000_000_000,
};
export const known = [start, scale, trial, storefront];

/** A plan in an operator's request. Null limits mean those of the known plan with that name. */
type RequestedPlan = {
  name: string;
  requests_per_second: number | null;
  records_per_month: number | 'unlimited' | null;
};

/** Resolves a requested plan: a known one by name only, or a custom one with its own limits. */
export function resolve(
  requested: RequestedPlan,
): { kind: 'plan'; plan: Plan } | { kind: 'invalid'; faults: FieldError[] } {
  const { name, requests_per_second: requestsPerSecond, records_per_month: records } = requested;
  const plan = known.find((candidate) => candidate.name === name);
  if (plan && requestsPerSecond === null && records === null) return { kind: 'plan', plan };
  if (plan)
    return invalid(`${name} has fixed limits. Leave out the limits, or give the custom plan another name`);
  if (requestsPerSecond === null || records === null) {
    const names = known.map((candidate) => candidate.name).join(', ');
    return invalid(`A custom plan needs requests_per_second and records_per_month. Known plans: ${names}`);
  }
  const recordsPerMonth = records === 'unlimited' ? null : records;
  return { kind: 'plan', plan: { name, requestsPerSecond, recordsPerMonth } };
}

function invalid(message: string): { kind: 'invalid'; faults: FieldError[] } {
  return { kind: 'invalid', faults: [{ field: 'plan.name', message }] };
}
