import Stripe from 'stripe';

/** Number of keys that are tried for one object, far above the number of faults in a row. */
const keysMax = 5;

/**
 * Creates an object once under `key`. Stripe also stores the 500 of a failed request and replays it for at least a day, so the object is
 * then created under the next key of a fixed sequence, which is the same for every process. The failed request may have
 * created an object whose id is lost: use this only where such an object is harmless, and never for a charge or a refund.
 * Rejects with Stripe's errors, and with the stored fault when every key has one.
 */
export async function createPast<T>(
  key: string,
  create: (options: { idempotencyKey: string }) => Promise<T>,
): Promise<T> {
  for (let keys = 1; ; keys += 1) {
    try {
      return await create({ idempotencyKey: keys === 1 ? key : `${key}_${keys}` });
    } catch (error) {
      if (!isStored(error) || keys === keysMax) throw error;
    }
  }
}

/** Returns true when Stripe replayed the fault of an earlier request with the same key. */
function isStored(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeAPIError && error.headers?.['idempotent-replayed'] === 'true';
}
