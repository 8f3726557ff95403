import type { Money } from '@sluice/kernel/money';
import type { Order } from './order.ts';
import type { Standing } from './reversal.ts';

/** An order with its buyer, and the amount that was refunded or lost to disputes so far. */
export type FoundOrder = Standing & { order: Order; email: string | null; reversed: Money };

const orderStates = ['granted', 'declined', 'claimed', 'refunded', 'disputed', 'inquiry'] as const;
export type OrderState = (typeof orderStates)[number];
const orderRails = ['card', 'mpp', 'x402', 'invoice', 'top_up'] as const;
export type OrderRail = (typeof orderRails)[number];

/** The search of the seller. Absent members do not restrict the result. */
export type OrderFilter = {
  /**
   * An id of the shop or of the processor that belongs to the order; the start of its id or of that of its account; the address of the payer of a
   * plan; otherwise the start of the buyer's e-mail address.
   */
  text?: string;
  state?: OrderState;
  rail?: OrderRail;
  plan?: string;
  /** The first and the last day (UTC) on which the order was created, such as `2026-11-22`. */
  from?: string;
  to?: string;
};

const textCharsMax = 200;

/** Reads a filter from the fields of a form. Fields with unknown values are ignored. */
export function readFilter(said: (name: string) => string | undefined): OrderFilter {
  const text = said('q')?.trim().slice(0, textCharsMax);
  const state = orderStates.find((one) => one === said('state'));
  const rail = orderRails.find((one) => one === said('rail'));
  const plan = said('plan')?.trim();
  const [from, to] = [dayOf(said('from')), dayOf(said('to'))];
  return {
    ...(text && { text }),
    ...(state && { state }),
    ...(rail && { rail }),
    ...(plan && { plan }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

/** Returns a day (`2026-11-22`), or undefined when it is none. */
export function dayOf(said: string | undefined): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(said?.trim() ?? '')?.[0];
  return day !== undefined && !Number.isNaN(Date.parse(day)) ? day : undefined;
}

/** Searches orders with a payment attempt. */
export interface OrderSearch {
  /** Returns at most `max` orders, the newest first, that follow the order `after`. */
  find(filter: OrderFilter, after: string | null, max: number): Promise<FoundOrder[]>;
}
