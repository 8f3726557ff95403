import type { Fault } from '../schema/wording.ts';

/**
 * A plan of the direct interface: what a key of it may do. A month without a number of records is unlimited. The row of
 * a key keeps the terms that it was issued under.
 */
export type Plan = { name: string; requestsPerSecond: number; recordsPerMonth: number | null };

export const start: Plan = { name: 'Start', requestsPerSecond: 10, recordsPerMonth: 200_000 };
export const scale: Plan = { name: 'Scale', requestsPerSecond: 25, recordsPerMonth: 5_000_000 };
export const trial: Plan = { name: 'Trial', requestsPerSecond: 5, recordsPerMonth: 1_000 };
/** For the storefront that resells this interface: it keeps its own limits, so these are never to be met. */
export const storefront: Plan = {
  name: 'Storefront',
  requestsPerSecond: 10_000,
  recordsPerMonth: 1_000_000_000_000,
};
const known = [start, scale, trial, storefront];

/** What an operator means by a plan. The terms are null where they are left to the plan of that name. */
type Wish = {
  name: string;
  requests_per_second: number | null;
  records_per_month: number | 'unlimited' | null;
};

/** The plan that is meant: a known one by its name alone, or a custom one with terms of its own. */
export function of(wish: Wish): { kind: 'plan'; plan: Plan } | { kind: 'invalid'; faults: Fault[] } {
  const { name, requests_per_second: requestsPerSecond, records_per_month: records } = wish;
  const plan = known.find((candidate) => candidate.name === name);
  if (plan && requestsPerSecond === null && records === null) return { kind: 'plan', plan };
  if (plan) return invalid(`${name} has its own terms; give a custom plan another name`);
  if (requestsPerSecond === null || records === null) {
    const names = known.map((candidate) => candidate.name).join(', ');
    return invalid(`Not ${names}: a custom plan needs requests_per_second and records_per_month`);
  }
  const recordsPerMonth = records === 'unlimited' ? null : records;
  return { kind: 'plan', plan: { name, requestsPerSecond, recordsPerMonth } };
}

function invalid(message: string): { kind: 'invalid'; faults: Fault[] } {
  return { kind: 'invalid', faults: [{ field: 'plan.name', message }] };
}
