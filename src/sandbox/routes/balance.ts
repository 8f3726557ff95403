import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as BalanceTransaction from '../objects/balance-transaction.ts';
import * as List from '../protocol/list.ts';
import { type Known, text } from '../protocol/params.ts';
import { missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const balance: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/balance',
    gives: 'balance',
    params: z.strictObject({}),
    run: (act) => BalanceTransaction.balance(act),
  }),
  route({
    method: 'GET',
    path: '/v1/balance_transactions',
    gives: 'balance_transaction',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      source: text().optional(),
      type: text().optional(),
    } satisfies Known<Stripe.BalanceTransactionListParams>),
    run: ({ store }, { created, source, type, ...page }) => {
      const rows = Store.all(store, BalanceTransaction.balanceTransactions).filter(
        (row) =>
          List.isCreatedWithin(row.created, created) &&
          (source === undefined || row.source === source) &&
          (type === undefined || row.type === type),
      );
      return List.page(rows, '/v1/balance_transactions', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/balance_transactions/:id',
    gives: 'balance_transaction',
    params: z.strictObject({}),
    run: ({ store }, _params, id) =>
      Store.get(store, BalanceTransaction.balanceTransactions, id) ?? missing('balance transaction', id),
  }),
];
