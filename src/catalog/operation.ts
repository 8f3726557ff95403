import type { JsonPointer } from '../kernel/json-pointer.ts';
import type { Service } from './service.ts';

/** How many units an answer carries: read from the answer, or the same for every success. */
export type Units = { kind: 'pointer'; pointer: JsonPointer } | { kind: 'fixed'; units: number };

/** The most units one request can cost, known before it is forwarded. */
export type UnitsMax =
  | { kind: 'fixed'; units: number }
  | { kind: 'pointer'; pointer: JsonPointer; default: number; ceiling: number };

/** Which share of the units that are asked for mostly come back, on a bad and on a good day: 0 to 1. */
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
  /** For estimates alone. */
  yield: Yield;
  answeredBy: 'upstream' | 'storefront';
};
