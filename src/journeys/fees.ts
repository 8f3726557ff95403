import type { PaymentContext } from '../payment/payment-context.ts';
import { ObjectUnknown } from '../payment/processor.ts';
import type { SellerContext } from './seller-context.ts';

/** The dependencies of reading fees. */
export type FeeContext = Pick<PaymentContext, 'processor' | 'cardAttempts'> & Pick<SellerContext, 'fees'>;

/**
 * Reads the processor's fees and assessment of payments without recorded fees, a few at a time. Rejects when the processor is unavailable.
 */
export async function collect({ fees, processor, cardAttempts }: FeeContext): Promise<void> {
  for (const payment of await fees.due()) {
    const read = await processor.feesOf(payment).catch((fault: unknown) => {
      // The processor will never know this payment, so it is not asked again.
      if (fault instanceof ObjectUnknown) return { fees: [], isComplete: true, charge: null };
      throw fault;
    });
    if (read.charge !== null) await cardAttempts.record(read.charge, null);
    await fees.record(payment, read.fees, read.isComplete);
  }
}
