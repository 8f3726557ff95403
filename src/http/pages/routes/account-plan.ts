import * as Money from '@sluice/kernel/money';
import * as PlanChange from '../../../journeys/plan-change.ts';
import { planOffers } from '../../../journeys/plan-offers.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import { bad, good, type Result, type Submission } from './account-form.ts';

/** Changes to another plan. It is refused when it would now cost more than the button said. */
export async function changePlan(shop: CheckoutContext, { account, form }: Submission): Promise<Result> {
  const { texts } = shop;
  const target = form.get('plan') ?? '';
  const offer = (await planOffers(shop, account)).get(target);
  if (offer?.kind !== 'dearer' && offer?.kind !== 'cheaper' && offer?.kind !== 'keep')
    return bad(texts.text('result.not_changed'));
  const agreed = Money.parse(form.get('today_usd') ?? '') ?? Money.zero;
  if (offer.kind === 'dearer' && offer.today > agreed)
    return bad(texts.text('result.price_changed', { amount: texts.usd(Money.format(offer.today)) }));
  const changed = await PlanChange.change(shop, account, { subscription: offer.subscription }, target);
  switch (changed.kind) {
    case 'done':
      return {
        ...good(texts.text(offer.kind === 'cheaper' ? 'result.changes_later' : 'result.changed')),
        detail: { plan: target },
      };
    case 'declined':
      return bad(texts.text('result.change_declined', { reason: changed.reason }));
    case 'under_way':
      return bad(texts.text('result.change_under_way'));
    default:
      return bad(texts.text('result.not_changed'));
  }
}
