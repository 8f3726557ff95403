import type { Erasure, PersonData } from '../identity/person-data.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ObjectUnknown, type Processor } from '../payment/processor.ts';
import * as Checkout from './checkout.ts';

type ErasingContext = PaymentContext & { readonly personData: PersonData };

export type Erased = Erasure & { customers: readonly string[] };

/**
 * Erases the owner of an account: first at the card processor, because its ids are stored here only, then here. Before that it closes the open card
 * pages, because the account could not use what is paid on them. Safe to repeat after a failure.
 * Rejects with `ProcessorUnavailable`.
 */
export async function erase(
  shop: ErasingContext,
  account: string,
  how: { forfeits: boolean; reason: string | null },
  who: string,
): Promise<Erased> {
  const { personData, processor } = shop;
  const obstacle = await personData.obstacle(account, how.forfeits);
  if (obstacle !== null) return { kind: obstacle, account, customers: [] };
  for (const order of await shop.orders.withOpenPage(account))
    if (!(await Checkout.close(shop, order))) return { kind: 'payment', account, customers: [] };
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
  processor: Pick<Processor, 'renewalOf'>,
  subscription: string,
): Promise<string | null> {
  try {
    return (await processor.renewalOf(subscription)).customer;
  } catch (fault) {
    if (fault instanceof ObjectUnknown) return null;
    throw fault;
  }
}
