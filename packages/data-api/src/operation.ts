import type { Companies } from './companies/companies.ts';
import type { Contacts } from './enrichment/contacts.ts';
import * as SearchCost from './filters/search-cost.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Key } from './keys/key.ts';
import type { LiveSource } from './live/source.ts';
import type { People } from './people/people.ts';
import * as Read from './schema/read.ts';
import type { Schema } from './schema/schema.ts';
import type { FieldError } from './schema/wording.ts';
import * as LargeSearches from './usage/large-searches.ts';

/** One data-set version, which never changes. All operations read from it. */
export type DataSet = {
  /** Number of the data-set version. Cursors are valid only for the version that they were created for. */
  version: number;
  cursorSecret: string;
  /** True for sample and generated data, which describe no real people. */
  isFictional: boolean;
  jobs: Jobs;
  companies: Companies;
  people: People;
  contacts: Contacts;
  /** Limits of searches with many terms; null for none. */
  largeSearches: LargeSearches.LargeSearches<DataSet> | null;
};

/** The data-set versions that can be read at the moment. */
export type DataSets = {
  /** The live version, used for every request without a cursor. */
  live(): DataSet;
  /** An earlier version, for callers who are still paging through it; null if it has been dropped. */
  byVersion(version: number): DataSet | null;
};

export type Call = {
  requestId: string;
  key: Key;
  nowMs: number;
  data: DataSet;
  /** Source of live profiles; null if there is none. */
  live: LiveSource | null;
  /** The operations that this service offers. */
  apis: readonly string[];
};

/** A checked request. `run` receives the number of records it may use: at least one, unless `recordsMax` is 0. */
export type Prepared =
  | { kind: 'invalid'; faults: readonly FieldError[] }
  /** The operation is not offered without a live source. */
  | { kind: 'no_live_source' }
  | { kind: 'ready'; recordsMax: number; run(granted: number): Promise<Outcome> };
export type Outcome = { body: object; recordsUsed: number };

export type Description = {
  /** The name in the SDKs, `jobs.company`; unique. */
  id: string;
  method: 'GET' | 'POST';
  /** The route, as listed in a key's `allowed_apis`. */
  path: string;
  summary: string;
  about: string;
  /** Price of a call in records, as a sentence for the description. */
  cost: string;
  acceptsForms: boolean;
  /** A request without a body is treated as `{}`. */
  bodyIsOptional?: true;
  /** Usage is reported in response headers only; the body has no `fair_usage`. */
  usageOnlyInHeaders?: true;
  /** The operation is offered only if there is a live profile source. */
  needsLiveSource?: true;
  /** False exempts the operation from the rate limit and from `allowed_apis`. */
  limited: boolean;
  /** Schema of the response body, without `fair_usage`. */
  answer: Schema;
  example: { request?: object; answer: object };
};

export type Operation = Description & {
  request: Schema | null;
  /** Checks the body of a request. It reads no data and uses no records; only `run` does. */
  prepare(body: unknown, call: Call): Prepared;
};

/** Defines an operation whose `prepare` receives the body as its schema types it. */
export function define<T>(
  operation: Description & { request: Schema<T>; prepare(request: T, call: Call): Prepared },
): Operation {
  const prepare = (body: unknown, call: Call): Prepared => {
    const reading = Read.read(operation.request, body);
    if (reading.kind !== 'valid') return reading;
    const cost = SearchCost.of(operation.request, reading.value);
    const prepareWithin = (limited: Call) => operation.prepare(reading.value, limited);
    return withinLimits(cost, call, operation.needsLiveSource === true, prepareWithin);
  };
  return { ...operation, prepare };
}

/** Prepares a call within the limits of its cost: too many terms are refused, large searches run apart from the others. */
function withinLimits(
  cost: SearchCost.SearchCost,
  call: Call,
  needsLiveSource: boolean,
  prepare: (call: Call) => Prepared,
): Prepared {
  const large = call.data.largeSearches;
  if (large === null || !LargeSearches.isLarge(cost)) return prepare(call);
  if (cost.terms > large.termsMax)
    return { kind: 'invalid', faults: [SearchCost.tooManyTerms(cost, large.termsMax)] };
  const prepared = prepare({ ...call, data: large.data });
  if (prepared.kind !== 'ready') return prepared;
  // A search of the live source waits for that source, whose own limit applies, and must not hold a slot of the database meanwhile.
  if (needsLiveSource) return prepared;
  return { ...prepared, run: (granted) => LargeSearches.run(large, cost, () => prepared.run(granted)) };
}
