import { z } from 'zod';

const id = (about: string) => z.string().min(1).describe(about);
const micro = (about: string) => z.int().nonnegative().describe(`${about}, in micro-dollars`);
const at = z.iso.datetime();
const periodStart = at.describe('The start of the paid period');
const periodEnd = at.describe('The end of the paid period');
const currency = z.literal('usd');
const tax = micro('Tax on top of the amount');
const order = id('The order');
const plan = id('The plan');
const account = id('The account');

const refund = z.object({
  refund: id('The refund'),
  order,
  amount: micro('The refunded amount without tax'),
  tax: micro('The tax that was refunded with it'),
  currency,
  status: z.string().describe("The processor's status"),
});

const dispute = z.object({
  dispute: id('The dispute'),
  order,
  amount: micro('The disputed amount without tax'),
  tax: micro('The tax in the dispute'),
  currency,
  status: z
    .string()
    .describe("The processor's status; an ended dispute is `won`, `lost` or `warning_closed`"),
  reason: z.string().nullable().describe("The card holder's reason, as the processor names it"),
});

const credit = z.object({
  kind: z.enum(['credit', 'trial', 'allowance']),
  asset: z.enum(['usd', 'unit']).describe('`usd`: the amounts are micro-dollars. `unit`: units of a plan'),
  remaining: z.int().nonnegative().describe('The rest'),
  basis: z.int().nonnegative().describe('The amount after the last grant'),
});

/** The member `data` of each type of event. The descriptions are those of the OpenAPI document. */
export const eventData = {
  'account.registered': z
    .object({ origin: z.string().describe('`anonymous`, `purchase`, ...') })
    .describe('An account was opened.'),
  'account.joined': z
    .object({ joined: account })
    .describe('Another account was joined to this one, with its orders and credit.'),
  'account.erased': z.object({ accounts: z.array(account).min(1) }).describe('The account was erased.'),
  'order.granted': z
    .object({
      ...{ order, plan, amount: micro('The price without tax'), tax, currency },
      rail: z.enum(['card', 'x402', 'invoice', 'top_up']),
      payment: z.string().nullable().describe('The payment at the processor'),
      units: z.int().nonnegative().nullable().describe('Included units of a period'),
      subscription: z.string().nullable().describe('The subscription; null for a single purchase'),
      ...{ period_start: periodStart.nullable(), period_end: periodEnd.nullable() },
    })
    .describe('A purchase or renewal was paid and granted.'),
  'order.refunded': refund.describe('Money was refunded, in part or in full.'),
  'order.refund_failed': refund.describe('A refund failed afterwards: the money stayed with the seller.'),
  'dispute.opened': dispute.describe('A card holder disputes a payment.'),
  'dispute.closed': dispute.describe('A dispute has ended.'),
  'subscription.started': z
    .object({
      ...{ subscription: id('The subscription'), plan },
      renews: z.boolean().describe('Whether it is charged again at the end of the period'),
      ...{ period_start: periodStart, period_end: periodEnd },
    })
    .describe('A plan began; a prepaid period is a subscription of its own.'),
  'subscription.ended': z
    .object({
      subscription: id('The subscription'),
      plan,
      status: z.string().describe("The processor's status, or `expired`"),
      ended_at: at.describe('The time when it ended'),
    })
    .describe('A subscription has ended, was replaced, or its prepaid period is over.'),
  'credit.low': credit.describe('Less than a tenth is left of what the account had after its last grant.'),
  'credit.exhausted': credit.describe(
    'Nothing is left, it expired, or little is left and a call was refused for lack of it.',
  ),
  'event.test': z.object({ endpoint: id('The endpoint') }).describe('A test that the seller has sent.'),
} as const;

export type EventType = keyof typeof eventData;
/** The types of events that a seller's program can receive (docs/events.md). */
export const eventTypes = Object.keys(eventData) as EventType[];

/** The message of a type of event, as it is delivered. Members may be added. */
export function messageSchema(type: EventType) {
  return z.looseObject({
    id: z
      .string()
      .regex(/^evt_[0-9a-f]{32}$/)
      .describe('The id, also in the header `webhook-id`. It stays the same when the message is sent again'),
    type: z.literal(type),
    timestamp: at.describe('The time of the change'),
    ...(type !== 'event.test' && { account }),
    email: z
      .string()
      .nullable()
      .optional()
      .describe(
        'With EVENTS_INCLUDE_EMAIL only: the address that the account has proved, when the message was sent',
      ),
    data: z.looseObject(eventData[type].shape),
  });
}
