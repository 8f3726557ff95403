import * as Schema from '../schema/schema.ts';
import { planStatuses } from './key.ts';

/** Schemas of the operator's commands on keys, shared by the CLI and the admin API. */
const nameCharactersMax = 60;
const labelCharactersMax = 100;
const requestsPerSecondMax = 10_000;
const recordsPerMonthMax = 1_000_000_000_000;
const apisMax = 100;
const listedMax = 1_000;
const listedDefault = 100;
const day = 86_400;
const overlapSecondsMax = 90 * day;

const plan = Schema.object({
  name: Schema.text({ min: 1, max: nameCharactersMax }),
  requests_per_second: Schema.optional(Schema.integer(1, requestsPerSecondMax), null),
  records_per_month: Schema.optional(Schema.orWord(Schema.integer(0, recordsPerMonthMax), 'unlimited'), null),
});

function operations(apis: readonly string[]) {
  return Schema.optional(Schema.orWord(Schema.list(Schema.choice(apis), apisMax), 'all'), null);
}

/** Creates a key. `apis` lists all operations. */
export function make(apis: readonly string[]) {
  const label = Schema.optional(Schema.text({ min: 1, max: labelCharactersMax }), null);
  return Schema.object({ label, plan, allowed_apis: operations(apis) });
}

/** Changes a key. Fields left out are kept. */
export function change(apis: readonly string[]) {
  const status = Schema.optional(Schema.choice(planStatuses), null);
  return Schema.object({ plan: Schema.optional(plan, null), status, allowed_apis: operations(apis) });
}

/** Rotates the secret of a key. Earlier secrets stay valid for `overlap_seconds`. */
export const rotate = Schema.object({
  overlap_seconds: Schema.optional(Schema.integer(0, overlapSecondsMax), day),
});

/** Lists a page of keys. */
export const list = Schema.object({
  after: Schema.optional(Schema.text({ max: nameCharactersMax }), null),
  limit: Schema.optional(Schema.integer(1, listedMax), listedDefault),
});
