import { id } from '@sluice/kernel/id';
import type postgres from 'postgres';
import type { Dice } from '../purchase/dice.ts';
import * as Customer from '../support/customer.ts';
import type { Account } from './callers.ts';

/** An account that buys a little more credit whenever it runs short, and creates a new key when a budget is used up. */
export type Buyer = Account & { readonly customer: Customer.Customer; cappedId: string };

const firstCreditMicroUsd = 20_000;
const creditMicroUsdMax = 30_000;
const reversedShare = 0.15;
const budgetUsd = '0.03';

/** Creates an account with a little credit and two keys, one of them with a budget. */
export async function open(url: string, sql: postgres.Sql): Promise<Buyer> {
  const customer = await Customer.register(url);
  await Customer.credit(sql, customer, firstCreditMicroUsd);
  const [unbounded, capped] = [
    await key(customer, url, {}),
    await key(customer, url, { budget_usd: budgetUsd }),
  ];
  return { id: customer.account, open: unbounded.key, capped: capped.key, cappedId: capped.id, customer };
}

async function key(
  customer: Customer.Customer,
  url: string,
  terms: object,
): Promise<{ key: string; id: string }> {
  const { body, status } = await Customer.call(customer, 'POST', `${url}/account/keys`, {
    name: 'chaos',
    ...terms,
  });
  if (status !== 201) throw new Error(`no key: ${status}`);
  return body;
}

/** Replaces the key that has a budget by another one. A process or the database may be unavailable at that moment. */
export async function renew(buyer: Buyer, url: string): Promise<void> {
  try {
    const next = await key(buyer.customer, url, { budget_usd: budgetUsd });
    const before = buyer.cappedId;
    buyer.capped = next.key;
    buyer.cappedId = next.id;
    await Customer.call(buyer.customer, 'DELETE', `${url}/account/keys/${before}`);
  } catch {}
}

/** Pays for more credit, and sometimes refunds part of it. The database may be unavailable at that moment. */
export async function give(connect: () => postgres.Sql, buyer: Buyer, dice: Dice): Promise<void> {
  const order = id('pur');
  const amount = 1 + dice.int(creditMicroUsdMax);
  const back = dice.chance(reversedShare) ? 1 + dice.int(amount) : 0;
  const sql = connect();
  try {
    await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
      VALUES (${order}, ${buyer.id}, 'credit', ${amount}, now() + interval '1 hour')`;
    await sql`SELECT shop.grant_purchase(${order}, ${`pi_${order}`}, ${buyer.id})`;
    if (back === 0) return;
    const [row] = await sql<[{ look: number }]>`SELECT shop.begin_reversal_sync(${order}) AS look`;
    const reversal = {
      id: `re_${order}`,
      kind: 'refund',
      amount: back,
      status: 'new',
      counts: true,
      reason: null,
    };
    await sql`SELECT shop.apply_reversals(${order}, ${row.look}, ${sql.json([reversal])})`;
  } catch {
  } finally {
    await sql.end({ timeout: 1 });
  }
}
