import { z } from 'zod';
import * as GrantedToken from '../objects/granted-token.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import { currency, integer, mergeMetadata, metadata, text, timestamp } from '../protocol/params.ts';
import { invalid, isRefusal, missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const granted = 'shared_payment.granted_token';

export const grantedTokens: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/test_helpers/shared_payment/granted_tokens',
    gives: granted,
    params: z.strictObject({
      payment_method: text(),
      usage_limits: z.strictObject({
        currency,
        max_amount: integer.refine((amount) => amount > 0, 'max_amount must be positive.'),
        expires_at: timestamp,
      }),
      seller_details: z
        .strictObject({
          network_id: text(255).optional(),
          network_business_profile: text(255).optional(),
          external_id: text(255).optional(),
        })
        .optional(),
      shared_metadata: metadata.optional(),
      metadata: metadata.optional(),
    }),
    run: (ctx, { payment_method, usage_limits, shared_metadata, metadata: given }) => {
      if (usage_limits.expires_at <= ctx.now) {
        return invalid('expires_at must be in the future.', { param: 'usage_limits[expires_at]' });
      }
      const method = PaymentMethod.resolve(ctx, payment_method, 'payment_method');
      if (isRefusal(method)) return method;
      const about = mergeMetadata(mergeMetadata({}, given), shared_metadata);
      return GrantedToken.create(ctx, method, usage_limits, about);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/test_helpers/shared_payment/granted_tokens/:id/revoke',
    gives: granted,
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const token = Store.get(ctx.store, GrantedToken.grantedTokens, id);
      if (token === undefined) return missing(granted, id);
      if (token.deactivated_reason !== null) return invalid('This token is no longer active.');
      return GrantedToken.deactivate(ctx, token, 'revoked');
    },
  }),
  route({
    method: 'GET',
    path: '/v1/shared_payment/granted_tokens/:id',
    gives: granted,
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const token = Store.get(ctx.store, GrantedToken.grantedTokens, id);
      if (token === undefined) return missing(granted, id);
      const isOver = token.deactivated_reason === null && token.usage_limits.expires_at <= ctx.now;
      return isOver ? GrantedToken.deactivate(ctx, token, 'expired') : token;
    },
  }),
];
