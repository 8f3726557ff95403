import { Hono } from 'hono';
import * as RefundRequests from '../../journeys/refund-requests.ts';
import type * as Reversal from '../../journeys/reversal.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as Gift from '../../payment/gift.ts';
import * as RefundRequest from '../../payment/refund-request.ts';
import type * as Wish from '../../payment/wish.ts';
import { type Call, type Env, owned, readJson, requestId, send, unprocessable } from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };
const pageSize = 50;

/** A buyer asks to have a purchase back. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const path = '/purchases/:id/refund-request';

  app.post(path, (c) =>
    owned(shop, c, async (account) => {
      const body = await readJson(c);
      if (!('value' in body)) return body;
      const asking = RefundRequest.parse(body.value);
      if (asking.kind === 'fault') return unprocessable(c, asking.faults);
      return told(await RefundRequests.ask(shop, account, c.req.param('id'), asking), requestId(c));
    }),
  );

  app.get(path, (c) =>
    owned(shop, c, async (account) => {
      const request = await shop.refundRequests.find(c.req.param('id'));
      return request?.account === account
        ? json(200, { success: true, refund_request: RefundRequests.shown(request) }, noStore)
        : error(404, 'not_found', 'Nothing was asked back of this purchase.', requestId(c));
    }),
  );
  return app;
}

function told(asked: RefundRequests.Asked, id: string): Reply {
  switch (asked.kind) {
    case 'asked': {
      const refund_request = RefundRequests.shown(asked.request);
      return json(asked.isNew ? 201 : 200, { success: true, refund_request }, noStore);
    }
    case 'unknown_purchase':
      return error(404, 'not_found', 'This account has no such purchase.', id);
    case 'not_paid':
      return error(409, 'not_paid', 'This purchase has not been paid: there is nothing to send back.', id);
    case 'too_much':
      return error(409, 'too_much', 'So much of this purchase cannot go back.', id, {
        left_usd: Money.format(asked.left),
      });
  }
}

/**
 * The seller reads what buyers ask back, and answers. The admin token is looked at before.
 * @param who for the audit log
 * @param refunded what is answered to a refund
 */
export function seller(
  shop: Shop,
  who: (c: Call) => string,
  refunded: (outcome: Reversal.Refunded, id: string) => Reply,
): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/admin/refund-requests', async (c) => {
    const asked = c.req.query('state');
    const state = RefundRequest.states.find((one) => one === asked) ?? null;
    if (asked !== undefined && state === null) {
      const message = `Must be one of ${RefundRequest.states.join(', ')}`;
      return send(c, unprocessable(c, [{ field: 'state', message }]));
    }
    const found = await shop.refundRequests.list(state, c.req.query('cursor') ?? null, pageSize);
    const refund_requests = found.map(RefundRequests.shownToSeller);
    const next_cursor = found.length === pageSize ? (found.at(-1)?.purchase ?? null) : null;
    return send(c, json(200, { success: true, refund_requests, next_cursor }, noStore));
  });

  const answers = (
    deed: string,
    fields: readonly string[],
    read: (fields: Gift.Fields, faults: Wish.Fault[]) => RefundRequests.Answer,
  ) =>
    app.post(`/admin/refund-requests/:purchase/${deed}`, async (c) => {
      const body = await readJson(c);
      if (!('value' in body)) return send(c, body);
      const faults: Wish.Fault[] = [];
      const answer = read(Gift.membersOf(body.value, fields, faults), faults);
      if (faults.length > 0) return send(c, unprocessable(c, faults));
      const answered = await RefundRequests.answer(shop, c.req.param('purchase'), answer, who(c));
      return send(c, answeredReply(answered, refunded, requestId(c)));
    });
  answers('refund', ['amount_usd'], (fields, faults) => ({
    kind: 'refund',
    amount: RefundRequest.readAmount(fields, faults),
  }));
  answers('decline', ['reason'], (fields, faults) => ({
    kind: 'decline',
    reason: RefundRequest.readText(fields, 'reason', faults),
  }));
  return app;
}

function answeredReply(
  answered: RefundRequests.Answered,
  refunded: (outcome: Reversal.Refunded, id: string) => Reply,
  id: string,
): Reply {
  switch (answered.kind) {
    case 'declined':
      return json(
        200,
        { success: true, refund_request: RefundRequests.shownToSeller(answered.request) },
        noStore,
      );
    case 'answered':
      return error(409, 'answered', `This request has been answered: it is ${answered.request.state}.`, id);
    case 'unknown_request':
      return error(404, 'not_found', 'There is no such request.', id);
    case 'by_hand':
      return error(409, 'by_hand', 'This was paid in a coin: send it back from your wallet.', id);
    default:
      return refunded(answered, id);
  }
}
