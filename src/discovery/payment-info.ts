import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../catalog/catalog.ts';
import * as Included from '../catalog/included.ts';
import * as MeterPriceData from '../catalog/meter-price-data.ts';
import type { Operation } from '../catalog/operation.ts';
import { covers, forSale, type PaidPlan, type Plan } from '../catalog/plan.ts';
import * as PriceWords from '../catalog/price-words.ts';
import type { Service } from '../catalog/service.ts';
import * as SocketRule from '../catalog/socket-rule.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import * as TempoProof from '../payment/tempo-proof.ts';

/**
 * `x-payment-info` of an operation, in a form that the validators of both payment protocols accept: `price` and `protocols` for the one,
 * `offers` for the other. It is informative; the 402 response is authoritative.
 */
export type PaymentInfo = {
  /** `plan`: the call is paid from a plan, never directly. `payment`: the operation accepts a payment or a proof. */
  access: 'plan' | 'payment';
  /** The price of a call. A WebSocket has `socket` instead, because it is charged while it is open. */
  price?:
    | { mode: 'fixed'; currency: 'USD'; amount: string }
    | { mode: 'dynamic'; currency: 'USD'; min: string; max: string };
  protocols: readonly Readonly<Record<string, unknown>>[];
  /** The charge of a WebSocket. */
  socket?: ReturnType<typeof SocketRule.described>;
  /** For operations paid from a plan: the price of a unit under each plan that covers it. Absent for free operations and for meters. */
  rates?: readonly Rate[];
  /** The prices of each meter by price key, of an operation with meters. */
  metering?: MeterPriceData.MeteringData;
  /** Limits and counting of the units of a call. */
  perCallUsage?: readonly Usage[];
  /** Amounts in minor units; null where the payer chooses. */
  offers?: readonly {
    amount: string | null;
    currency: string;
    intent: string;
    method: string;
    description: string;
  }[];
};

type Rate = {
  plan: string;
  kind: Plan['kind'];
  unit: string;
  unitSize: 1;
  priceUsd: string;
  includedUnits: number | null;
  /** Dollars of usage, of a plan that includes no units. */
  includedUsd?: string;
};
type Usage = {
  service: string;
  unit: string;
  min: number;
  max: number;
  /** Pointer to the requested number in the request, with the default. */
  asked: { pointer: string; default: number } | null;
  /** Pointer to the number in the response; null when every success counts the same. */
  counted: { pointer: string } | null;
};

const nothing = Money.format(Money.zero);

/** Returns the payment info of a call that is paid from a plan. */
export function ofCall(catalog: Catalog, operation: Operation): PaymentInfo {
  const { service, units, unitsMax, socket } = operation;
  const ceiling = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  const max = Money.format(Money.times(service.price, ceiling));
  const isFree = PriceWords.isFreeCall(operation);
  const isFixed = units.kind === 'fixed' || isFree;
  const plans = catalog.plans.filter((plan) => covers(plan, service));
  const isMetered = units.kind === 'meters';
  const bought = forSale(plans).map(({ id }) => id);
  return {
    access: 'plan',
    ...(socket === undefined
      ? {
          price: isFixed
            ? { mode: 'fixed', currency: 'USD', amount: isFree ? nothing : max }
            : { mode: 'dynamic', currency: 'USD', min: nothing, max },
        }
      : { socket: SocketRule.described(socket, operation) }),
    protocols: [{ plan: { method: 'POST', path: '/plans/{planId}/purchase', plans: bought } }],
    // The prices of meters are not one number for a unit, and a free operation counts none.
    ...(!isFree && isMetered && MeterPriceData.member(service)),
    ...(!isFree &&
      !isMetered && {
        rates: plans.map((plan) => ({
          plan: plan.id,
          kind: plan.kind,
          unit: service.unit,
          unitSize: 1,
          ...(plan.kind === 'credit'
            ? { priceUsd: Money.format(service.price), includedUnits: null }
            : includedRate(plan.included, service)),
        })),
      }),
    ...(!isMetered &&
      socket === undefined && {
        perCallUsage: [
          {
            service: service.slug,
            unit: service.unit,
            min: units.kind === 'fixed' ? units.units : 0,
            max: units.kind === 'fixed' ? units.units : ceiling,
            asked:
              unitsMax.kind === 'fixed'
                ? null
                : { pointer: text(unitsMax.pointer), default: unitsMax.default },
            counted: units.kind === 'fixed' ? null : { pointer: text(units.pointer) },
          },
        ],
      }),
  };
}

function includedRate(included: Included.Included, { price }: Service) {
  const usd = Included.usd(included);
  return usd === null
    ? { priceUsd: nothing, includedUnits: Included.units(included) }
    : { priceUsd: Money.format(price), includedUnits: null, includedUsd: usd };
}

/** Returns the payment info of plan purchases; null when no plan is on sale. @param takesCoin true when the shop accepts x402 */
export function ofPurchase(plans: readonly PaidPlan[], takesCoin: boolean): PaymentInfo | null {
  const least = plans.map((plan) => (plan.kind === 'credit' ? plan.min : plan.price));
  const most = plans.map((plan) => (plan.kind === 'credit' ? plan.max : plan.price));
  if (plans.length === 0) return null;
  const { method, intent } = StripeCharge;
  const currency = 'usd';
  return {
    access: 'payment',
    price: { mode: 'dynamic', currency: 'USD', min: usd(Math.min(...least)), max: usd(Math.max(...most)) },
    protocols: [{ mpp: { method, intent, currency } }, ...(takesCoin ? [{ x402: {} }] : [])],
    offers: plans.map((plan) => ({
      amount: plan.kind === 'credit' ? null : String(Money.toCents(plan.price)),
      currency,
      intent,
      method,
      description: `${plan.id}: ${plan.name}`,
    })),
  };
}

/** Returns the payment info of the quote: nothing is paid, the caller proves a wallet. */
export function ofProof(): PaymentInfo {
  const { method, intent, currency } = TempoProof;
  return {
    access: 'payment',
    price: { mode: 'fixed', currency: 'USD', amount: nothing },
    protocols: [{ x402: {} }, { mpp: { method, intent, currency } }],
    offers: [{ amount: '0', currency, intent, method, description: 'A signed proof of zero amount' }],
  };
}

function usd(micro: number): string {
  return Money.format(Money.ofMicro(micro));
}

function text(pointer: readonly string[]): string {
  return pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
