import type { Catalog } from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import { covers, type PaidPlan, type Plan } from '../catalog/plan.ts';
import * as Money from '../kernel/money.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import * as TempoProof from '../payment/tempo-proof.ts';

/**
 * `x-payment-info` of one operation, in a shape that the validators of both payment protocols take: `price` and
 * `protocols` for the one, `offers` for the other. What it says is advice; the 402 itself is what counts.
 */
export type PaymentInfo = {
  /** `plan`: the call is paid from a plan, never by itself. `payment`: the operation takes a payment or a proof. */
  access: 'plan' | 'payment';
  price:
    | { mode: 'fixed'; currency: 'USD'; amount: string }
    | { mode: 'dynamic'; currency: 'USD'; min: string; max: string };
  protocols: readonly Readonly<Record<string, unknown>>[];
  /** Of an operation that is paid from a plan: what a unit takes from each plan that covers it. */
  rates?: readonly Rate[];
  /** How the units of one call are bounded and counted. */
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
};
type Usage = {
  service: string;
  unit: string;
  min: number;
  max: number;
  /** Where the request says how many, and how many it is where the request does not. */
  asked: { pointer: string; default: number } | null;
  /** Where the answer says how many; null where every success counts the same. */
  counted: { pointer: string } | null;
};

const nothing = Money.format(Money.zero);

/** Of a call that is paid from a plan. */
export function ofCall(catalog: Catalog, operation: Operation): PaymentInfo {
  const { service, units, unitsMax } = operation;
  const ceiling = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  const max = Money.format(Money.times(service.price, ceiling));
  const isFixed = units.kind === 'fixed' || max === nothing;
  const plans = catalog.plans.filter((plan) => covers(plan, service));
  const bought = plans.filter((plan) => plan.kind !== 'trial').map(({ id }) => id);
  return {
    access: 'plan',
    price: isFixed
      ? { mode: 'fixed', currency: 'USD', amount: max }
      : { mode: 'dynamic', currency: 'USD', min: nothing, max },
    protocols: [{ plan: { method: 'POST', path: '/plans/{planId}/purchase', plans: bought } }],
    rates: plans.map((plan) => ({
      plan: plan.id,
      kind: plan.kind,
      unit: service.unit,
      unitSize: 1,
      priceUsd: plan.kind === 'credit' ? Money.format(service.price) : nothing,
      includedUnits: plan.kind === 'credit' ? null : plan.included,
    })),
    perCallUsage: [
      {
        service: service.slug,
        unit: service.unit,
        min: units.kind === 'fixed' ? units.units : 0,
        max: units.kind === 'fixed' ? units.units : ceiling,
        asked:
          unitsMax.kind === 'fixed' ? null : { pointer: text(unitsMax.pointer), default: unitsMax.default },
        counted: units.kind === 'fixed' ? null : { pointer: text(units.pointer) },
      },
    ],
  };
}

/** Of the purchase of any plan; null where none is for sale. @param takesCoin whether the shop takes x402 */
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

/** Of the quote: nothing is paid, a wallet is proved. */
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
