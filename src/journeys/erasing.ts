import type { Erasure, PersonData } from '../identity/person-data.ts';
import { ObjectUnknown, type Processor } from '../payment/processor.ts';

type ErasingContext = {
  readonly personData: PersonData;
  readonly processor: Pick<Processor, 'renewalOf' | 'eraseCustomer'>;
};

export type Erased = Erasure & { customers: readonly string[] };

/**
 * Erases the owner of an account: first at the card processor, because its ids are stored here only, then here. Safe to repeat after a failure.
 * Rejects with `ProcessorUnavailable`.
 */
export async function erase(
  { personData, processor }: ErasingContext,
  account: string,
  how: { forfeits: boolean; reason: string | null },
  who: string,
): Promise<Erased> {
  const obstacle = await personData.obstacle(account, how.forfeits);
  if (obstacle !== null) return { kind: obstacle, account, customers: [] };
  const known = await personData.atProcessor(account);
  const customers = new Set(known.customers);
  for (const subscription of known.subscriptions) {
    const customer = await customerOf(processor, subscription);
    if (customer !== null) customers.add(customer);
  }
  for (const customer of customers) await processor.eraseCustomer(customer);
  return { ...(await personData.erase(account, how, who)), customers: [...customers] };
}

async function customerOf(
  processor: ErasingContext['processor'],
  subscription: string,
): Promise<string | null> {
  try {
    return (await processor.renewalOf(subscription)).customer;
  } catch (fault) {
    if (fault instanceof ObjectUnknown) return null;
    throw fault;
  }
}
