/**
 * Judges from outside the shop's books whether an account received more value than it paid for. Every amount is in micro-dollars at list
 * price: a unit of a plan is worth the plan's price divided by the units that are sold for it; credit is worth itself.
 */

/** A payment at the processor: the amount received, and how much of it was reversed. */
export type Payment = { id: string; received: number; reversed: number };

/** An account at one moment, at rest or not. */
export type Holdings = {
  /** List price of everything its calls were charged for, without reversed charges. */
  used: number;
  /** List price of everything it may still use. */
  left: number;
};

export type Account = Holdings & {
  payments: readonly Payment[];
  /** List price of everything that it received without a payment: trials, gifts, promotions. */
  given: number;
  /** Payments for which the shop shows a grant. */
  granted: ReadonlySet<string>;
  /** The cost of refunds and disputes of these payments, according to the shop. */
  lossTold: number;
};

/** The amount that rounding may cost either side: whole units at the highest price for each step that rounds. */
export type Rounding = { unitPrice: number; steps: number };

/** Returns every way in which an account at rest (no pending events or calls) has more, or less, than its payments bought. */
export function judge(account: Account, rounding: Rounding): string[] {
  const { used, left, given, lossTold, payments, granted } = account;
  const slack = rounding.unitPrice * rounding.steps;
  const paid = sum(payments, ({ received }) => received);
  const kept = sum(payments, ({ received, reversed }) => received - Math.min(received, reversed));
  const found: string[] = [];
  if (used + left > paid + given + slack)
    found.push(`received ${usd(used + left)} USD for ${usd(paid)} paid and ${usd(given)} given`);
  if (left > kept + given + slack)
    found.push(`has ${usd(left)} USD left of ${usd(kept)} kept payments and ${usd(given)} given`);
  if (used + left > kept + given + lossTold + slack)
    found.push(
      `received ${usd(used + left)} USD for ${usd(kept)} kept, and the shop told a loss of ${usd(lossTold)}`,
    );
  if (lossTold > paid - kept + slack)
    found.push(`the shop told a loss of ${usd(lossTold)} USD and ${usd(paid - kept)} went back`);
  for (const { id, received } of payments)
    if (received > 0 && !granted.has(id)) found.push(`${usd(received)} USD of ${id} bought nothing`);
  return found;
}

/** Returns the errors of a reversal, which may take at most the value of its own money. */
export function judgeReversal(
  before: Holdings,
  after: Holdings,
  amount: number,
  rounding: Rounding,
): string[] {
  const taken = before.left - after.left - (after.used - before.used);
  return taken > amount + rounding.unitPrice * rounding.steps
    ? [`a reversal of ${usd(amount)} USD took ${usd(taken)} USD`]
    : [];
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

function usd(micro: number): string {
  return (micro / 1_000_000).toFixed(6);
}
