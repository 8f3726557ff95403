import type { Companies } from './companies/companies.ts';
import type { Contacts } from './enrichment/contacts.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Key } from './keys/key.ts';
import type { People } from './people/people.ts';
import * as Read from './schema/read.ts';
import type { Schema } from './schema/schema.ts';
import type { Fault } from './schema/wording.ts';

/** What operations read: one generation of the data, which never changes. */
export type DataSet = {
  /** The number of this load of the data. Cursors of another one do not open. */
  generation: number;
  cursorSecret: string;
  jobs: Jobs;
  companies: Companies;
  people: People;
  contacts: Contacts;
};

/** The generations that can be read at the moment. */
export type DataSets = {
  /** The one that a request without a cursor is answered from. */
  live(): DataSet;
  /** Another one, so that who began in it can go on; null where it is gone. */
  of(generation: number): DataSet | null;
};

export type Call = { key: Key; nowMs: number; data: DataSet; apis: readonly string[] };

/** A checked request. `run` is given the records it may use, at least one unless `recordsMax` is 0. */
export type Prepared =
  | { kind: 'invalid'; faults: readonly Fault[] }
  | { kind: 'ready'; recordsMax: number; run(granted: number): Promise<Outcome> };
export type Outcome = { body: object; recordsUsed: number };

export type Description = {
  /** The name in the SDKs, `jobs.company`; unique. */
  id: string;
  method: 'GET' | 'POST';
  path: string;
  /** The path without its version, as a key's `allowed_apis` names it. */
  api: string;
  summary: string;
  about: string;
  /** Records that a call costs, in words. */
  cost: string;
  acceptsForms: boolean;
  /** A request without a body is one with an empty object. */
  bodyIsOptional?: true;
  /** What was used is told by the headers alone: the answer has no `fair_usage`. */
  usageOnlyInHeaders?: true;
  /** Without a limit a call cannot be refused for its rate or by `allowed_apis`. */
  limited: boolean;
  /** The answer without its `fair_usage`. */
  answer: Schema;
  example: { request?: object; answer: object };
};

export type Operation = Description & {
  request: Schema | null;
  /** Checks the body of a request. Decides only; nothing is read or used before `run`. */
  prepare(body: unknown, call: Call): Prepared;
};

/** An operation whose `prepare` takes the body as its schema types it. */
export function define<T>(
  operation: Description & { request: Schema<T>; prepare(request: T, call: Call): Prepared },
): Operation {
  const prepare = (body: unknown, call: Call): Prepared => {
    const reading = Read.read(operation.request, body);
    return reading.kind === 'valid' ? operation.prepare(reading.value, call) : reading;
  };
  return { ...operation, prepare };
}
