import { Hono } from 'hono';
import type { CallerContext } from '../../journeys/identification.ts';
import { redeem } from '../../journeys/redeem-promotion.ts';
import type { SellerContext } from '../../journeys/seller-context.ts';
import * as CreditGrant from '../../payment/credit-grant.ts';
import type * as Promotion from '../../payment/promotion.ts';
import type { Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply } from '../reply.ts';
import { address, type Env, owned, readJson, requestId, unprocessable } from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };
const codeCharsMax = 100;

/** Redeems promotion codes. */
export function promotionRoutes(
  shop: CallerContext & Pick<SellerContext, 'promotions'> & TextsContext,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/account/promotions', (c) =>
    owned(shop, c, async (account) => {
      const body = await readJson(c);
      if (!('value' in body)) return body;
      const sent = (body.value as { code?: unknown } | null)?.code;
      if (typeof sent !== 'string' || sent.length > codeCharsMax)
        return unprocessable(c, [{ field: 'code', message: shop.texts.text('fault.promotion_code') }]);
      const redeemed = await redeem(shop, account, sent, address(c, clientAddressHeader));
      return redeemedReply(shop.texts, redeemed.code, redeemed, requestId(c));
    }),
  );
  return app;
}

function redeemedReply(texts: Texts, code: string, redeemed: Promotion.RedeemResult, id: string): Reply {
  switch (redeemed.kind) {
    case 'given': {
      const { expiresMs } = redeemed;
      const expires_at = expiresMs === null ? null : new Date(expiresMs).toISOString();
      return json(
        200,
        { success: true, promotion: { code, ...CreditGrant.asCreditGrant(redeemed), expires_at } },
        noStore,
      );
    }
    case 'had':
      return error(409, 'promotion_redeemed', texts.text('api.promotion_redeemed'), id);
    case 'claim_first':
      return error(403, 'claim_required', texts.text('api.claim_required'), id);
    case 'unknown':
      return error(404, 'promotion_unknown', texts.text('api.promotion_unknown'), id);
    case 'limited':
      return error(
        429,
        'promotion_limited',
        texts.text('api.promotion_limited'),
        id,
        {},
        { 'retry-after': String(redeemed.waitSeconds) },
      );
  }
}
