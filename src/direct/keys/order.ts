import * as Schema from '../schema/schema.ts';
import { planStatuses } from './key.ts';

/** What those who run the interface order of its keys, by command or by request: the schemas of both. */
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

/** To make a key; `apis` are the operations that there are. */
export function make(apis: readonly string[]) {
  const label = Schema.optional(Schema.text({ min: 1, max: labelCharactersMax }), null);
  return Schema.object({ label, plan, allowed_apis: operations(apis) });
}

/** To change one; what is left out stays. */
export function change(apis: readonly string[]) {
  const status = Schema.optional(Schema.choice(planStatuses), null);
  return Schema.object({ plan: Schema.optional(plan, null), status, allowed_apis: operations(apis) });
}

/** To give one a new secret: how long the earlier ones still open it. */
export const rotate = Schema.object({
  overlap_seconds: Schema.optional(Schema.integer(0, overlapSecondsMax), day),
});

/** To see a stretch of them. */
export const list = Schema.object({
  after: Schema.optional(Schema.text({ max: nameCharactersMax }), null),
  limit: Schema.optional(Schema.integer(1, listedMax), listedDefault),
});
