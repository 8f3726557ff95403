import * as Money from '@sluice/kernel/money';
import { bodyBytesMax } from '../catalog/body-limit.ts';
import type { Operation } from '../catalog/operation.ts';
import * as TaxNote from '../catalog/tax-note.ts';
import type { CallRefusal } from '../journeys/call-result.ts';
import type { PriceUnknown } from '../proxy/priced-request.ts';
import type { Texts } from '../text/texts.ts';
import * as Refusals from './common-refusals.ts';
import { costReason, usageReason } from './cost-reason.ts';
import { type OfferContext, plansFor, type RefusalContext } from './plans-on-offer.ts';
import { error, type Reply } from './reply.ts';
import { tooMany } from './too-many.ts';

const retrySoonSeconds = '1';

type RefusalOf<Kind extends CallRefusal['kind']> = Extract<CallRefusal, { kind: Kind }>;

/**
 * The response to a refused paid call: one body for each kind of refusal (docs/api.md).
 * @param account the caller's account, which the purchases in the response are for
 */
export function callRefusal(
  context: RefusalContext,
  operation: Operation,
  refusal: CallRefusal,
  account: string,
  id: string,
): Reply {
  const { texts, catalog, publicUrl, challengeSecrets } = context;
  const shop = { texts, catalog, publicUrl, challengeSecrets, account };
  switch (refusal.kind) {
    case 'body_too_long':
      return Refusals.ofBody(texts, 'too_large', refusal.bytesMax, id);
    case 'upgrade_required':
      return Refusals.upgradeRequired(texts, id);
    case 'resource_not_found':
      return error(404, 'resource_not_found', texts.text('api.resource_not_found'), id);
    case 'too_many_resources':
      return error(409, 'too_many_resources', texts.text('api.too_many_resources'), id);
    case 'ownership_unclear':
      return error(502, 'ownership_unclear', texts.text('api.ownership_unclear'), id, {
        operation: operation.id,
      });
    case 'price_unknown':
      return priceUnknown(texts, refusal, id);
    case 'no_plan':
    case 'body_not_allowed':
    case 'key_not_allowed':
      return notAllowed(shop, operation, refusal, id);
    case 'budget_exhausted':
    case 'price_ceiling':
    case 'exhausted':
      return tooExpensive(shop, operation, refusal, id);
    case 'upload_failed':
      return Refusals.ofBody(texts, refusal.reason, bodyBytesMax(shop.catalog.upstream, operation), id);
    case 'rate_limited':
    case 'in_flight':
    case 'trial_paused':
    case 'too_many_unpaid':
    case 'too_many_uncountable':
    case 'account_busy':
    case 'busy':
      return tooMany(shop, operation, refusal, id);
    case 'ledger_unavailable':
      return Refusals.unanswerable(texts, id);
    case 'charge_in_doubt':
      return Refusals.chargeInDoubt(texts, id);
    case 'idempotency_mismatch':
    case 'idempotency_in_flight':
    case 'idempotency_exhausted':
    case 'answer_not_kept':
      return idempotencyConflict(texts, refusal, id);
    case 'response_uncountable':
    case 'upstream_refused':
    case 'upstream_unavailable':
    case 'upstream_timeout':
      return upstreamFailure(texts, operation, refusal, id);
  }
}

function notAllowed(
  shop: OfferContext,
  operation: Operation,
  refusal: RefusalOf<'no_plan' | 'body_not_allowed' | 'key_not_allowed'>,
  requestId: string,
): Reply {
  const { service } = operation;
  const { texts } = shop;
  switch (refusal.kind) {
    case 'no_plan':
      return error(403, 'plan_required', texts.text('api.plan_required'), requestId, {
        service: service.slug,
        operation: operation.id,
        plans: plansFor(shop, operation),
        ...TaxNote.member(shop.texts, shop.catalog),
      });
    case 'body_not_allowed':
      return error(
        400,
        'body_not_allowed',
        texts.text('api.body_not_allowed', { method: refusal.method }),
        requestId,
      );
    case 'key_not_allowed':
      return error(403, 'key_not_allowed', texts.text('api.key_not_allowed'), requestId, {
        service: service.slug,
        key: refusal.key,
        services: refusal.services,
      });
  }
}

/** The request does not name a price of the catalogue, or not clearly. */
function priceUnknown(texts: Texts, { at, value, isClear, known }: PriceUnknown, requestId: string): Reply {
  const message = texts.text(isClear ? 'api.price_unknown' : 'api.price_unknown.unclear', { at });
  return error(400, 'price_unknown', message, requestId, {
    field: at,
    ...(value !== null && { value }),
    ...(known.length > 0 && { known }),
  });
}

/** The 402s: the call may cost more than the caller can or wants to pay. */
function tooExpensive(
  shop: OfferContext,
  operation: Operation,
  refusal: RefusalOf<'budget_exhausted' | 'price_ceiling' | 'exhausted'>,
  requestId: string,
): Reply {
  const { texts } = shop;
  const units = texts.units(operation.service.unit);
  const required_usd = Money.format(refusal.required);
  const isMetered = operation.units.kind === 'meters';
  const reason = (key: 'api.budget_exhausted' | 'api.price_ceiling' | 'api.credit_exhausted', left = '0') =>
    isMetered
      ? usageReason(texts, key, refusal.cause, texts.usd(required_usd), texts.usd(left))
      : costReason(texts, key, refusal.cause, units);
  switch (refusal.kind) {
    case 'budget_exhausted': {
      return error(
        402,
        'budget_exhausted',
        reason('api.budget_exhausted') ?? texts.text('api.budget_exhausted'),
        requestId,
        {
          key: refusal.key,
          required_usd,
          budget_usd: Money.format(refusal.budget),
          spent_usd: Money.format(refusal.spent),
        },
      );
    }
    case 'price_ceiling': {
      return error(
        402,
        'price_ceiling',
        reason('api.price_ceiling') ?? texts.text('api.price_ceiling'),
        requestId,
        { required_usd, ceiling_usd: Money.format(refusal.ceiling) },
      );
    }
    case 'exhausted': {
      const available_usd = Money.format(refusal.available);
      return error(
        402,
        'credit_exhausted',
        reason('api.credit_exhausted', available_usd) ??
          texts.text('api.credit_exhausted', {
            required: texts.usd(required_usd),
            available: texts.usd(available_usd),
            units,
          }),
        requestId,
        {
          required_usd,
          available_usd,
          ...(!isMetered && { affordable_units: refusal.affordableUnits }),
          next_reset_at: refusal.resetsMs === null ? null : new Date(refusal.resetsMs).toISOString(),
          plans: plansFor(shop, operation),
          ...TaxNote.member(shop.texts, shop.catalog),
        },
      );
    }
  }
}

function idempotencyConflict(
  texts: Texts,
  refusal: RefusalOf<
    'idempotency_mismatch' | 'idempotency_in_flight' | 'idempotency_exhausted' | 'answer_not_kept'
  >,
  requestId: string,
): Reply {
  switch (refusal.kind) {
    case 'idempotency_mismatch':
      return error(422, 'idempotency_mismatch', texts.text('api.idempotency_mismatch'), requestId);
    case 'idempotency_in_flight':
      return error(
        409,
        'idempotency_in_flight',
        texts.text('api.idempotency_in_flight'),
        requestId,
        {},
        { 'retry-after': retrySoonSeconds },
      );
    case 'idempotency_exhausted':
      return error(
        429,
        'idempotency_exhausted',
        texts.text('api.idempotency_exhausted'),
        requestId,
        {},
        { 'retry-after': '3600' },
      );
    case 'answer_not_kept':
      return error(410, 'answer_not_kept', texts.text('api.answer_not_kept'), requestId, {
        call: `call_${refusal.callId}`,
      });
  }
}

function upstreamFailure(
  texts: Texts,
  operation: Operation,
  refusal: RefusalOf<
    'response_uncountable' | 'upstream_refused' | 'upstream_unavailable' | 'upstream_timeout'
  >,
  requestId: string,
): Reply {
  switch (refusal.kind) {
    case 'response_uncountable':
      return error(502, 'response_uncountable', texts.text('api.response_uncountable'), requestId, {
        operation: operation.id,
      });
    case 'upstream_refused':
      return error(
        503,
        'upstream_refused',
        texts.text('api.upstream_refused'),
        requestId,
        {},
        { 'retry-after': String(refusal.retryAfterSeconds ?? 60) },
      );
    case 'upstream_unavailable':
      return error(502, 'upstream_unavailable', texts.text('api.upstream_unavailable'), requestId);
    case 'upstream_timeout':
      return error(504, 'upstream_timeout', texts.text('api.upstream_timeout'), requestId);
  }
}
