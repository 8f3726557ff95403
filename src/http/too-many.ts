import * as Money from '@sluice/kernel/money';
import type { Operation } from '../catalog/operation.ts';
import * as TaxNote from '../catalog/tax-note.ts';
import type { CallRefusal } from '../journeys/call-result.ts';
import * as RateLimit from '../proxy/rate-limit.ts';
import { type OfferContext, plansFor } from './plans-on-offer.ts';
import { error, headersOf, type Reply } from './reply.ts';

const retrySoonSeconds = '1';

type RefusalOf<Kind extends CallRefusal['kind']> = Extract<CallRefusal, { kind: Kind }>;

/** The refusals that end by themselves: the caller waits and retries. */
export function tooMany(
  shop: OfferContext,
  operation: Operation,
  refusal: RefusalOf<
    | 'rate_limited'
    | 'in_flight'
    | 'trial_paused'
    | 'too_many_unpaid'
    | 'too_many_uncountable'
    | 'account_busy'
    | 'busy'
  >,
  requestId: string,
): Reply {
  const { texts } = shop;
  const retrySoon = { 'retry-after': retrySoonSeconds };
  switch (refusal.kind) {
    case 'rate_limited':
      return error(
        429,
        'rate_limited',
        texts.text('api.rate_limited'),
        requestId,
        {},
        headersOf(RateLimit.headers(refusal.taken, refusal.perSecond)),
      );
    case 'in_flight':
      return error(
        429,
        'credit_in_flight',
        texts.text('api.credit_in_flight'),
        requestId,
        {
          required_usd: Money.format(refusal.required),
          available_usd: Money.format(refusal.available),
          held_usd: Money.format(refusal.held),
        },
        retrySoon,
      );
    case 'trial_paused':
      return error(
        429,
        'trial_paused',
        texts.text('api.trial_paused'),
        requestId,
        { plans: plansFor(shop, operation), ...TaxNote.member(texts, shop.catalog) },
        { 'retry-after': String(refusal.retryAfterSeconds) },
      );
    case 'too_many_unpaid':
    case 'too_many_uncountable':
      return error(
        429,
        refusal.kind,
        texts.text(`api.${refusal.kind}`),
        requestId,
        {},
        { 'retry-after': String(refusal.retryAfterSeconds) },
      );
    case 'account_busy':
      return error(
        429,
        'too_many_calls_under_way',
        texts.text('api.too_many_calls_under_way'),
        requestId,
        {},
        retrySoon,
      );
    case 'busy':
      return error(503, 'busy', texts.text('api.busy'), requestId, {}, retrySoon);
  }
}
