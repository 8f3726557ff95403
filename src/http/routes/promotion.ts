import { Hono } from 'hono';
import * as AddressBlock from '../../identity/address-block.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Gift from '../../payment/gift.ts';
import * as Promotion from '../../payment/promotion.ts';
import { address, type Env, owned, readJson, requestId, unprocessable } from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };
const codeCharsMax = 100;

/** An account sends the code of a promotion. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/account/promotions', (c) =>
    owned(shop, c, async (account) => {
      const body = await readJson(c);
      if (!('value' in body)) return body;
      const sent = (body.value as { code?: unknown } | null)?.code;
      if (typeof sent !== 'string' || sent.length > codeCharsMax)
        return unprocessable(c, [{ field: 'code', message: 'Required: the code, as a text' }]);
      const subjects = Promotion.subjectsOf(account, AddressBlock.of(address(c, clientAddressHeader)));
      // What no code can be is one that is unknown, and counts as such.
      const code = Promotion.normal(sent) ?? '';
      return told(code, await shop.promotions.redeem(account, code, subjects), requestId(c));
    }),
  );
  return app;
}

function told(code: string, redeemed: Promotion.Redeemed, id: string): Reply {
  switch (redeemed.kind) {
    case 'given': {
      const { expiresMs } = redeemed;
      const expires_at = expiresMs === null ? null : new Date(expiresMs).toISOString();
      return json(200, { success: true, promotion: { code, ...Gift.shown(redeemed), expires_at } }, noStore);
    }
    case 'had':
      return error(409, 'promotion_redeemed', 'This account has had this promotion already.', id);
    case 'claim_first':
      return error(
        403,
        'claim_required',
        'This promotion is for accounts that a person has taken over: see POST /agent/auth/claim.',
        id,
      );
    case 'unknown':
      return error(404, 'promotion_unknown', 'This code is not known here, or is no longer good.', id);
    case 'limited':
      return error(
        429,
        'promotion_limited',
        'Too many codes were tried in vain.',
        id,
        {},
        { 'retry-after': String(redeemed.waitSeconds) },
      );
  }
}
