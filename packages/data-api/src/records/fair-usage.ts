import * as Allowance from '../keys/allowance.ts';
import * as Schema from '../schema/schema.ts';

const count = Schema.integer(0, Number.MAX_SAFE_INTEGER);

const rateLimit = Schema.named(
  'RateLimit',
  Schema.object({
    requests_per_second: Schema.about('Limit of this key on this endpoint, over a rolling second.', count),
    remaining_this_second: Schema.about('Requests left in the current second.', count),
  }),
);

const common = {
  records_used: Schema.about('Cost of this request, by the results actually returned.', count),
  records_remaining: Schema.about(Allowance.unlimitedNote, count),
  next_reset_at: Schema.about(
    'Time of the renewal of the allowance; null if it is unlimited.',
    Schema.nullable(Schema.text({ format: 'date-time' })),
  ),
  request_id: Schema.about(
    'Same as the header `x-request-id`. Include it when you contact support.',
    Schema.text(),
  ),
};

export const fairUsage = Schema.named('FairUsage', Schema.object({ ...common, rate_limit: rateLimit }));
/** For operations that have no rate limit. */
export const fairUsageUnlimited = Schema.named('FairUsageUnlimited', Schema.object(common));

export type FairUsage = Omit<Schema.Value<typeof fairUsage>, 'rate_limit'> & {
  rate_limit?: Schema.Value<typeof rateLimit>;
};
