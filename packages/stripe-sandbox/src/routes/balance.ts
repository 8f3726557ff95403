import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as BalanceTransaction from '../objects/balance-transaction.ts';
import * as List from '../protocol/list.ts';
import { currency, type Known, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { type Route, route } from '../protocol/route.ts';

const path = '/v1/balance_transactions';
const table = BalanceTransaction.balanceTransactions;

export const balance: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/balance',
    gives: 'balance',
    params: z.strictObject({}),
    run: (ctx) => BalanceTransaction.balance(ctx),
  }),
  listing({
    path,
    gives: 'balance_transaction',
    table,
    params: {
      created: List.created,
      currency: currency.optional(),
      source: text().optional(),
      type: text().optional(),
    } satisfies Known<Stripe.BalanceTransactionListParams>,
  }),
  retrieval(path, 'balance_transaction', table),
];
