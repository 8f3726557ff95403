import type { JsonPointer } from '@sluice/kernel/json-pointer';
import type { JobRule } from './job-rule.ts';
import type { MeterRule } from './meter-prices.ts';
import type { OnlyOwned, OnlyPriced, Owned, Owns } from './ownership-rule.ts';
import type { Service } from './service.ts';
import type { SocketRule } from './socket-rule.ts';
import type { StreamRule } from './stream-rule.ts';

/** Number of units of a response: read from the response, fixed for every success, or the cost by several meters in micro-dollars. */
export type Units =
  | { kind: 'pointer'; pointer: JsonPointer }
  | { kind: 'fixed'; units: number }
  | { kind: 'meters'; rule: MeterRule };

/** Maximum number of units that a request can cost, known before it is forwarded. */
export type UnitsMax =
  | { kind: 'fixed'; units: number }
  | { kind: 'pointer'; pointer: JsonPointer; default: number; ceiling: number };

/**
 * The treatment of a success whose units cannot be counted: it is withheld and not charged, delivered for free, or delivered at the
 * maximum that its request can cost.
 */
export type Uncountable = 'withhold' | 'free' | 'max';

/** The share of the requested units that a response usually contains, low and high: 0 to 1. */
export type Yield = { low: number; high: number };

/** One method and path of the upstream that the storefront sells. */
export type Operation = {
  /** `POST /v2/jobs/company`, as the catalogue writes it; unique. */
  id: string;
  method: string;
  /** A path, or a template with `{name}` segments, as in OpenAPI. */
  path: string;
  service: Service;
  units: Units;
  unitsMax: UnitsMax;
  uncountable: Uncountable;
  /** Used for estimates only. */
  yield: Yield;
  answeredBy: 'upstream' | 'storefront';
  /** The rule by which streamed responses are metered; null when there are none. */
  stream: StreamRule | null;
  /** It starts a job whose cost is known at its end. */
  job?: JobRule;
  /** It is a WebSocket, whose messages are charged by this rule. */
  socket?: SocketRule;
  /** It creates a resource that belongs to its caller. */
  owns?: Owns;
  /** The path parameters that name resources of the caller. */
  owned?: readonly Owned[];
  /** It lists resources, of which a caller gets their own. */
  onlyOwned?: OnlyOwned;
  /** It lists models or the like, of which a caller sees those with prices. */
  onlyPriced?: OnlyPriced;
};

/** Returns false for methods whose bodies have no defined meaning, so that some servers parse one as the next request (RFC 9110, 9.3.1). */
export function mayHaveBody({ method }: Pick<Operation, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
