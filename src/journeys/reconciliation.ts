import { finish } from './purchase.ts';
import type { Shop } from './shop.ts';

/** A claim this old has no process at work on it any more. */
const claimSettledMs = 30_000;
/** After this the processor can no longer be made to charge for a claim that it does not know: its challenge is long dead. */
const claimForsakenMs = 20 * 60_000;

/** What a crash or a lost answer left between charge and grant: asks the processor, and finishes or ends it; and forgets offers that nobody took. Returns how many ended. */
export async function run(shop: Shop): Promise<number> {
  const nowMs = shop.clock();
  await shop.orders.sweep(nowMs);
  let ended = 0;
  for (const order of await shop.orders.unfinished(nowMs - claimSettledMs)) {
    const payments = await shop.processor.paymentsOf(order);
    const paid = payments.find((payment) => payment.state === 'succeeded');
    if (paid) {
      if ((await finish(shop, order, paid.id, paid.received)) !== null) ended += 1;
      continue;
    }
    const pending = payments.some((payment) => payment.state === 'pending');
    if (!pending && order.claimedMs !== null && nowMs - order.claimedMs > claimForsakenMs) {
      await shop.orders.decline(
        order.id,
        payments[0]?.failure ?? 'The payment never reached the processor.',
        [],
      );
      ended += 1;
    }
  }
  return ended;
}
