import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import type { Charge } from './charge.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A card issuer's report that a charge is likely fraudulent. A dispute often follows. */
export type EarlyFraudWarning = Stored<Stripe.Radar.EarlyFraudWarning>;

export const earlyFraudWarnings = Store.table<EarlyFraudWarning>('early_fraud_warnings');

/** The issuer's classification of the fraud. */
export const fraudTypes = [
  'card_never_received',
  'fraudulent_card_application',
  'made_with_counterfeit_card',
  'made_with_lost_card',
  'made_with_stolen_card',
  'misc',
  'unauthorized_use_of_card',
] as const;

/** Reports a charge as likely fraudulent. No money moves. */
export function report(
  ctx: RequestContext,
  charge: Charge,
  fraudType: (typeof fraudTypes)[number],
): EarlyFraudWarning {
  const warning = Store.put(ctx.store, earlyFraudWarnings, {
    id: id('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.refunded && !charge.disputed,
    charge: charge.id,
    created: ctx.now,
    fraud_type: fraudType,
    livemode: false,
    ...(charge.payment_intent !== null && { payment_intent: charge.payment_intent }),
  });
  Event.record(ctx, 'radar.early_fraud_warning.created', warning);
  return warning;
}

/** Marks the warnings of a charge as no longer actionable, after a dispute or a full refund. */
export function settle(ctx: RequestContext, charge: string): void {
  for (const warning of Store.all(ctx.store, earlyFraudWarnings)) {
    if (warning.charge !== charge || !warning.actionable) continue;
    const settled = Store.put(ctx.store, earlyFraudWarnings, { ...warning, actionable: false });
    Event.record(ctx, 'radar.early_fraud_warning.updated', settled, warning);
  }
}
