import * as Money from '@sluice/kernel/money';
import type { Texts } from './texts.ts';

/** Describes the contents of a plan, such as `25 results` or `20.00 USD of usage`. `unit` is in the singular. */
export function includedText(
  texts: Texts,
  { asset, amount }: { asset: 'unit' | 'usd'; amount: number },
  unit: string,
): string {
  if (asset === 'unit') return texts.quantity(amount, unit);
  return texts.text('format.usage', { amount: texts.usd(Money.format(Money.ofMicro(amount))) });
}
