import { z } from 'zod';
import * as Account from '../objects/account.ts';
import { type Route, route } from '../protocol/route.ts';

export const account: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/account',
    gives: 'account',
    params: z.strictObject({}),
    run: (ctx) => Account.account(ctx),
  }),
];
