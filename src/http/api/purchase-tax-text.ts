import * as Money from '@sluice/kernel/money';
import type { OfferedTax } from '../../journeys/purchase-tax.ts';
import * as Order from '../../payment/order.ts';
import type { Texts } from '../../text/texts.ts';

/** A billing address in the messages. */
const example = '{"country": "DE"}';

/** The `tax` member of a 402 in a shop that adds tax to its prices. */
export function ofOffer(
  texts: Texts,
  order: Pick<Order.Order, 'amount' | 'taxQuote'>,
  tax: OfferedTax,
): Record<string, unknown> {
  const common = {
    included: false,
    on_card_page: 'added according to the billing address that the buyer enters there',
  };
  switch (tax.kind) {
    case 'known':
      return {
        ...common,
        tax_usd: Money.format(Money.ofMicro(tax.quote.tax)),
        total_usd: Money.format(Order.amountDue(order)),
        calculated_for: 'ip' in tax.quote.place ? 'the address of this request' : 'billing_address',
        message: texts.text('api.tax.elsewhere', { example }),
      };
    case 'unknown':
      return {
        ...common,
        message: texts.text('api.tax.unknown', { example }),
      };
    case 'untaxed':
      return common;
  }
}
