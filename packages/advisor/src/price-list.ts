import type { JsonPointer } from '@sluice/kernel/json-pointer';
import type { Money } from '@sluice/kernel/money';

/** A complete request as data: `body` is sent as JSON. */
export type ShopRequest = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, string>>;
};

/** A priced service: one or more operations with the same price per unit. */
export type Service = { slug: string; name: string; description: string; price: Money };

/** A request whose cost by meters is estimated; `body` is sent as JSON, null where there is none. */
export type MeteredRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** The cost of one request by meters: what it states itself, the most that it can cost, and the prices that apply, in words. */
export type MeteredEstimate = { low: Money; high: Money; prices: string };

/** One method and path that can be called. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  service: Service;
  /** The number of units a response costs: fixed for every success, or counted in the response. Several meters have prices of their own. */
  units:
    | { kind: 'fixed'; units: number }
    | { kind: 'pointer' }
    | { kind: 'meters'; estimate(request: MeteredRequest): MeteredEstimate };
  /** The most units of one request: the same for all, or as a field of it asks for. */
  unitsMax:
    | { kind: 'fixed'; units: number }
    | { kind: 'pointer'; pointer: JsonPointer; default: number; ceiling: number };
  /** Which share of the units that are asked for mostly come back, on a bad and on a good day: 0 to 1. */
  yield: { low: number; high: number };
};

/** Included units, or with the asset `usd` micro-dollars. */
type Included = { included: number; asset?: 'usd' };

type Terms = { id: string; covers: '*' | ReadonlySet<string> };

/** A plan that gives access to services: free units, prepaid money, or an allowance for a period. `purchase` buys it once. */
export type Plan = Terms &
  (
    | ({ kind: 'trial' } & Included)
    | { kind: 'credit'; min: Money; max: Money; purchase: ShopRequest }
    | ({
        kind: 'subscription';
        price: Money;
        every: 'month' | 'year';
        purchase: ShopRequest;
      } & Included)
  );

/** A goal in a caller's words, and the operations that answer it, by id and in their order. None answers what is `outside` of the offer or too `vague`. */
export type Sample = { ask: string; calls: readonly string[]; kind: 'asked' | 'outside' | 'vague' };

/** The operations and plans of a shop. Together with the API description this is all that the advisor knows. */
export type PriceList = {
  /** The shop's name. */
  name: string;
  operations: readonly Operation[];
  plans: readonly Plan[];
  /** Examples of goals; the descriptions of the operations suffice without them. */
  samples?: readonly Sample[];
  /** Word forms by concept and language, beyond those that the advisor knows. */
  concepts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The request that opens an account, with the free units of the trial. */
  register: ShopRequest;
};

/** Returns true when `plan` gives access to `service`. */
export function covers(plan: Plan, service: Service): boolean {
  return plan.covers === '*' || plan.covers.has(service.slug);
}
