import * as AddressBlock from '../../identity/address-block.ts';
import * as Purchase from '../../journeys/purchase.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as CanonicalJson from '../../payment/canonical-json.ts';
import { address, caller } from '../edge.ts';
import { unprocessable } from '../reply.ts';
import * as PurchaseRoutes from '../routes/purchase.ts';
import type { Arguments } from './arguments.ts';
import * as PaymentMeta from './payment-meta.ts';
import { type Exchange, type Tool, told } from './tool.ts';

/** Of the ways to pay, those whose credential travels in `_meta`. */
const accepted = 'stripe/charge';

/** Buys a plan: the purchase of HTTP, paid as the `Payment` scheme has it over MCP. */
export function of({ catalog }: Shop, clientAddressHeader: string | null): Tool {
  const plans = catalog.plans.filter((plan) => plan.kind !== 'trial');
  const prices = plans.map((plan) =>
    plan.kind === 'credit'
      ? `${plan.id}: ${Money.format(plan.min)} to ${Money.format(plan.max)} USD of credit`
      : `${plan.id}: ${Money.format(plan.price)} USD a ${plan.every}, ${plan.included} units`,
  );
  return {
    isSold: false,
    listed: {
      name: 'shop_purchase',
      title: 'Buy a plan',
      description: `Buys credit or a period of a plan, for the account of the bearer; without a bearer it opens an account. Plans: ${prices.join('; ')}. The first answer charges nothing: it has a payment challenge (method stripe; the error -32042) and a checkout_url where a person pays by card; \`shop_account\` shows when that has happened.`,
      inputSchema: {
        type: 'object',
        properties: {
          plan: { type: 'string', enum: plans.map(({ id }) => id) },
          amount_usd: { type: 'string', description: 'Of credit, such as "5.00"; the least where left out.' },
          quantity: { type: 'integer', minimum: 1 },
          replaces: {
            type: 'string',
            description: 'The plan whose prepaid period a larger one takes the place of.',
          },
          return_url: { type: 'string', description: 'Where the card page sends a person afterwards.' },
        },
        required: ['plan'],
        additionalProperties: false,
      },
      annotations: { title: 'Buy a plan', destructiveHint: false, openWorldHint: false },
    },
    call: (exchange, args, meta) => buy(exchange, args, meta, clientAddressHeader),
  };
}

async function buy(
  exchange: Exchange,
  { plan: planId, ...wish }: Arguments,
  meta: Readonly<Record<string, unknown>>,
  clientAddressHeader: string | null,
) {
  const { shop, c, requestId } = exchange;
  // A lone half of a character has no bytes that a challenge could be bound to; JSON writes it as its code alone.
  if (/\\ud[89a-f]/.test(JSON.stringify(wish)))
    return told(unprocessable([{ field: 'body', message: 'Has text that is no Unicode' }], requestId));
  // What over HTTP is the body that a challenge is bound to.
  const body = Buffer.from(CanonicalJson.canonicalize(wish as CanonicalJson.JsonObject));
  const credential = PaymentMeta.read(meta);
  const asked = await Purchase.asked(shop, String(planId ?? ''), wish, () =>
    Purchase.begun(shop, credential, body),
  );
  if (asked.kind === 'unknown_plan') return told(PurchaseRoutes.unknownPlan(shop, requestId));
  if (asked.kind === 'fault') return told(unprocessable(asked.faults, requestId));
  const { plan } = asked;
  const buyer = await caller(shop, c);
  if (buyer.kind === 'refused') return told(buyer.reply);
  const answer = await Purchase.run(shop, {
    plan,
    ...asked.wish,
    account: buyer.kind === 'account' ? buyer.account : null,
    body,
    credential,
    address: AddressBlock.of(address(c, clientAddressHeader)),
  });
  if (answer.kind === 'not_sold') return told(PurchaseRoutes.unknownPlan(shop, requestId));
  if (answer.kind === 'cannot_replace')
    return told(unprocessable([{ field: 'replaces', message: answer.reason }], requestId));
  const terms = { hasBearer: buyer.kind === 'account', accepted, coin: { kind: 'none' } } as const;
  const reply = await PurchaseRoutes.reply(shop, plan, terms, answer, requestId);
  if (answer.kind === 'payment_required') return PaymentMeta.required(exchange, reply, answer.challenge);
  return PaymentMeta.receipted(told(reply), reply);
}
