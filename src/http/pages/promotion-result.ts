import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../catalog/catalog.ts';
import { sharedUnit } from '../../catalog/plan-unit.ts';
import type * as Promotion from '../../payment/promotion.ts';
import type { Texts } from '../../text/texts.ts';

/** Longer input is no code. */
export const codeCharsMax = 100;

/** The outcome of a promotion code in words. `isRefused` is false when its credit is in the account, from this time or an earlier one. */
export function inWords(
  texts: Texts,
  { services }: Pick<Catalog, 'services'>,
  redeemed: Promotion.RedeemResult & { code: string },
): { isRefused: boolean; text: string } {
  switch (redeemed.kind) {
    case 'given': {
      const { asset, amount, expiresMs, code } = redeemed;
      const value =
        asset === 'unit'
          ? texts.quantity(amount, sharedUnit(services))
          : texts.text('result.promotion_credit', { amount: texts.usd(Money.format(Money.ofMicro(amount))) });
      const text =
        expiresMs === null
          ? texts.text('result.promotion_redeemed', { code, value })
          : texts.text('result.promotion_redeemed_until', { code, value, day: texts.day(expiresMs) });
      return { isRefused: false, text };
    }
    case 'had':
      return { isRefused: false, text: texts.text('result.promotion_used') };
    case 'claim_first':
      return { isRefused: true, text: texts.text('result.promotion_claim_first') };
    case 'unknown':
      return { isRefused: true, text: texts.text('result.promotion_unknown') };
    case 'limited':
      return { isRefused: true, text: texts.text('result.promotion_limited') };
  }
}
