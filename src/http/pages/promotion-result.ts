import type { Catalog } from '../../catalog/catalog.ts';
import { sharedUnit } from '../../catalog/plan-unit.ts';
import type * as Promotion from '../../payment/promotion.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';

/** Longer input is no code. */
export const codeCharsMax = 100;

/** The outcome of a promotion code in words. `isRefused` is false when its credit is in the account, from this time or an earlier one. */
export function inWords(
  texts: Texts,
  { services }: Pick<Catalog, 'services'>,
  redeemed: Promotion.RedeemResult,
): { isRefused: boolean; text: string } {
  switch (redeemed.kind) {
    case 'given': {
      const value = includedText(texts, redeemed, sharedUnit(services));
      return { isRefused: false, text: texts.text('result.promotion_redeemed', { value }) };
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
