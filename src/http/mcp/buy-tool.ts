import * as Money from '@sluice/kernel/money';
import { forSale } from '../../catalog/plan.ts';
import { unitOfPlan } from '../../catalog/plan-unit.ts';
import * as TaxNote from '../../catalog/tax-note.ts';
import { blockOf } from '../../identity/address-block.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as Purchase from '../../journeys/purchase.ts';
import * as PurchaseRequest from '../../journeys/purchase-request.ts';
import * as CanonicalJson from '../../payment/canonical-json.ts';
import type { CheckoutContext } from '../../payment/payment-context.ts';
import * as PurchaseInput from '../../payment/purchase-input.ts';
import { includedText } from '../../text/included-text.ts';
import { english } from '../../text/texts.ts';
import * as PurchaseRoutes from '../api/purchase.ts';
import type { PaidReplyContext } from '../api/purchase-paid.ts';
import { unprocessable } from '../reply.ts';
import { address, caller, isConnected } from '../request-context.ts';
import type { Arguments } from './arguments.ts';
import * as PaymentMeta from './payment-meta.ts';
import { type Exchange, type Tool, toolResult } from './tool.ts';

/** The payment methods whose credential travels in `_meta`. */
const accepted = 'stripe/charge';

/** The dependencies of a purchase over MCP. */
export type BuyContext = CallerContext & CheckoutContext & PaidReplyContext;

/** The tool that buys a plan: the purchase of HTTP, paid with the `Payment` scheme over MCP. */
export function buyTool(shop: BuyContext, clientAddressHeader: string | null): Tool {
  const { catalog } = shop;
  const plans = forSale(catalog.plans);
  const prices = plans.map((plan) =>
    plan.kind === 'credit'
      ? `${plan.id}: ${Money.format(plan.min)} to ${Money.format(plan.max)} USD of credit`
      : `${plan.id}: ${Money.format(plan.price)} USD per ${plan.every}, ${includedText(english, plan.included, unitOfPlan(plan, catalog.services))}`,
  );
  const taxNote = TaxNote.taxNote(english, catalog);
  return {
    isSold: false,
    listed: {
      name: 'shop_purchase',
      title: 'Buy a plan',
      description: `Buys credit or a period of a plan for the account of the bearer token; without a token it opens an account. Plans: ${prices.join('; ')}. ${taxNote === null ? '' : `${taxNote} `}The first response charges nothing: it contains a payment challenge (method stripe; the error -32042) and a checkout_url where a person can pay by card; \`shop_account\` shows when they have paid.`,
      inputSchema: {
        type: 'object',
        properties: {
          plan: { type: 'string', enum: plans.map(({ id }) => id) },
          amount_usd: {
            type: 'string',
            description: 'Amount of credit, such as "5.00". Default: the minimum.',
          },
          billing_address: {
            type: 'object',
            description: 'The buyer\'s location, for the tax of a payment by card token: {"country": "DE"}.',
          },
          quantity: { type: 'integer', minimum: 1 },
          replaces: {
            type: 'string',
            description: 'The plan whose running prepaid period is replaced by a more expensive one.',
          },
          return_url: { type: 'string', description: 'The page that a person returns to after paying.' },
        },
        required: ['plan'],
        additionalProperties: false,
      },
      annotations: { title: 'Buy a plan', destructiveHint: false, openWorldHint: false },
    },
    call: (exchange, args, meta) => buy(shop, exchange, args, meta, clientAddressHeader),
  };
}

async function buy(
  shop: BuyContext,
  exchange: Exchange,
  { plan: planId, ...purchaseInput }: Arguments,
  meta: Readonly<Record<string, unknown>>,
  clientAddressHeader: string | null,
) {
  const { c, requestId } = exchange;
  // A lone surrogate has no UTF-8 bytes that a challenge could be bound to; JSON writes it as an escape.
  if (/\\ud[89a-f]/.test(JSON.stringify(purchaseInput)))
    return toolResult(
      unprocessable(
        shop.texts,
        [{ field: 'body', message: 'Contains text that is not valid Unicode' }],
        requestId,
      ),
    );
  // Over HTTP, the challenge is bound to the request body; here to the canonical form of the arguments.
  const body = Buffer.from(CanonicalJson.canonicalize(purchaseInput as CanonicalJson.JsonObject));
  const credential = PaymentMeta.readCredential(meta);
  const read = await PurchaseRequest.parsePurchase(shop, String(planId ?? ''), purchaseInput, () =>
    PurchaseRequest.findBegunOrder(shop, credential, body),
  );
  if (read.kind === 'unknown_plan') return toolResult(PurchaseRoutes.unknownPlan(shop, requestId));
  if (read.kind === 'fault') return toolResult(unprocessable(shop.texts, read.faults, requestId));
  const { plan } = read;
  const buyer = await caller(shop, c, 'MCP buy');
  if (buyer.kind === 'refused') return toolResult(buyer.reply);
  const account = buyer.kind === 'account' ? buyer.account : null;
  const faults = PurchaseInput.refusedReturn(shop.texts, read.purchaseInput, account);
  if (faults.length > 0) return toolResult(unprocessable(shop.texts, faults, requestId));
  const outcome = await Purchase.purchase(shop, {
    plan,
    ...read.purchaseInput,
    account,
    body,
    credential,
    address: blockOf(address(c, clientAddressHeader)),
  });
  const options = { account, accepted, x402: { kind: 'none' }, isConnected: () => isConnected(c) } as const;
  const reply = await PurchaseRoutes.outcomeReply(shop, plan, outcome, options, requestId);
  if (outcome.kind === 'payment_required') return PaymentMeta.required(exchange, reply, outcome.challenge);
  return PaymentMeta.receipted(toolResult(reply), reply);
}
