import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CallerContext } from '../../journeys/identification.ts';
import type * as Refund from '../../journeys/refund.ts';
import * as RefundRequests from '../../journeys/refund-requests.ts';
import type { SellerContext } from '../../journeys/seller-context.ts';
import * as CreditGrant from '../../payment/credit-grant.ts';
import type { PaymentContext } from '../../payment/payment-context.ts';
import type * as PurchaseInput from '../../payment/purchase-input.ts';
import * as RefundRequest from '../../payment/refund-request.ts';
import * as Gone from '../../payment/reversal.ts';
import { english, type Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply } from '../reply.ts';
import { type Call, type Env, owned, readJson, requestId, send, unprocessable } from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };
const pageSize = 50;

/** Refund requests of buyers. */
export function refundRequestsRoutes(
  shop: CallerContext & Pick<PaymentContext, 'orders'> & Pick<SellerContext, 'refundRequests'> & TextsContext,
): Hono<Env> {
  const app = new Hono<Env>();
  const path = '/purchases/:id/refund-request';

  app.post(path, (c) =>
    owned(shop, c, async (account) => {
      const body = await readJson(c);
      if (!('value' in body)) return body;
      const asking = RefundRequest.parse(shop.texts, body.value);
      if (asking.kind === 'fault') return unprocessable(c, asking.faults);
      return askedReply(
        shop.texts,
        await RefundRequests.ask(shop, account, c.req.param('id'), asking),
        requestId(c),
      );
    }),
  );

  app.get(path, (c) =>
    owned(shop, c, async (account) => {
      const request = await RefundRequests.findOwn(shop, account, c.req.param('id'));
      return request === null
        ? error(404, 'not_found', shop.texts.text('api.not_found.refund_request'), requestId(c))
        : json(200, { success: true, refund_request: RefundRequests.asRefundRequest(request) }, noStore);
    }),
  );
  return app;
}

function askedReply(texts: Texts, asked: RefundRequests.RequestResult, id: string): Reply {
  switch (asked.kind) {
    case 'asked': {
      const refund_request = RefundRequests.asRefundRequest(asked.request);
      return json(asked.isNew ? 201 : 200, { success: true, refund_request }, noStore);
    }
    case 'unknown_purchase':
      return error(404, 'not_found', texts.text('api.not_found.purchase'), id);
    case 'not_paid':
      return error(409, 'not_paid', texts.text('api.not_paid'), id);
    case 'too_much':
      return error(409, 'too_much', texts.text('api.too_much'), id, {
        left_usd: Money.format(asked.left),
      });
  }
}

/**
 * Lets the seller list and answer refund requests. The caller of this function checks the admin token.
 * @param who names the caller for the audit log
 * @param refunded renders the outcome of a refund
 */
export function seller(
  shop: RefundRequests.RefundAnswerContext,
  who: (c: Call) => string,
  refunded: (outcome: Refund.RefundResult, id: string) => Reply,
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

  const addAnswer = (
    action: string,
    fields: readonly string[],
    read: (fields: CreditGrant.BodyFields, faults: PurchaseInput.FieldFault[]) => RefundRequests.SellerAnswer,
  ) =>
    app.post(`/admin/refund-requests/:purchase/${action}`, async (c) => {
      const body = await readJson(c);
      if (!('value' in body)) return send(c, body);
      const faults: PurchaseInput.FieldFault[] = [];
      const answer = read(CreditGrant.membersOf(body.value, fields, faults), faults);
      if (faults.length > 0) return send(c, unprocessable(c, faults));
      const answered = await RefundRequests.answer(shop, c.req.param('purchase'), answer, who(c));
      return send(c, answeredReply(answered, refunded, requestId(c)));
    });
  addAnswer('refund', ['amount_usd', 'subscription', 'sent_by_hand', 'reference'], (fields, faults) => ({
    kind: 'refund',
    amount: RefundRequest.readAmount(english, fields, faults),
    subscription: Gone.readSubscriptionEffect(fields.subscription, faults),
    byHand: Gone.readByHand(fields, faults),
  }));
  addAnswer('decline', ['reason'], (fields, faults) => ({
    kind: 'decline',
    reason: RefundRequest.readText(english, fields, 'reason', faults),
  }));
  return app;
}

function answeredReply(
  answered: RefundRequests.AnswerResult,
  refunded: (outcome: Refund.RefundResult, id: string) => Reply,
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
      return error(
        409,
        'answered',
        `This request was already answered: it is ${answered.request.state}.`,
        id,
      );
    case 'unknown_request':
      return error(404, 'not_found', 'There is no refund request for this purchase.', id);
    case 'by_hand':
      return error(
        409,
        'by_hand',
        'This purchase was paid in a stablecoin. Send the money from your wallet, then record it with sent_by_hand.',
        id,
      );
    default:
      return refunded(answered, id);
  }
}
