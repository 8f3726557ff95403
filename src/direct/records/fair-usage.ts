import * as Schema from '../schema/schema.ts';

const count = Schema.integer(0, Number.MAX_SAFE_INTEGER);

const rateLimit = Schema.named(
  'RateLimit',
  Schema.object({
    requests_per_second: Schema.about('Of this key on this endpoint, in any one second.', count),
    remaining_this_second: Schema.about('Requests left in the current window.', count),
  }),
);

const common = {
  records_used: Schema.about('What this request cost, after counting what was really returned.', count),
  records_remaining: Schema.about('What is left of the allowance.', Schema.orWord(count, 'unlimited')),
  next_reset_at: Schema.about(
    'When the allowance is renewed; null where it is unlimited.',
    Schema.nullable(Schema.text({ format: 'date-time' })),
  ),
  request_id: Schema.about('Quote it to support; the same as the header `x-request-id`.', Schema.text()),
};

export const fairUsage = Schema.named('FairUsage', Schema.object({ ...common, rate_limit: rateLimit }));
/** For operations that have no rate limit. */
export const fairUsageUnlimited = Schema.named('FairUsageUnlimited', Schema.object(common));

export type FairUsage = Omit<Schema.Value<typeof fairUsage>, 'rate_limit'> & {
  rate_limit?: Schema.Value<typeof rateLimit>;
};
