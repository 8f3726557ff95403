import type { JsonPointer } from '@sluice/kernel/json-pointer';

/**
 * The caller's own figures, which can replace a field of the upstream's JSON responses:
 * - `units`: units charged for the call
 * - `units_remaining`: units that the account can still buy, included ones and those that its credit pays for
 * - `cost_usd` and `balance_usd`: what the call cost and what credit is left, as decimal strings
 * - `requests_per_second` and `requests_remaining`: the rate limit of the operation, and calls left in this second
 * - `resets_at`: time at which included units are renewed (ISO 8601), or null
 */
const figures = [
  'units',
  'units_remaining',
  'cost_usd',
  'balance_usd',
  'requests_per_second',
  'requests_remaining',
  'resets_at',
] as const;

export type Figure = (typeof figures)[number];

/** One field of JSON responses that is about the operator's own account at the upstream, and what callers receive in its place. */
export type ResponseField = { pointer: JsonPointer; value: Figure | 'remove' };
