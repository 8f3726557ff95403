import type * as JsonPointer from '@sluice/kernel/json-pointer';
import * as JsonScan from '@sluice/kernel/json-scan';
import type { Units } from '../catalog/operation.ts';
import * as ByteOrderMark from './byte-order-mark.ts';
import * as ContentCoding from './content-coding.ts';
import type { StreamedResponse, WholeResponse } from './upstream-response.ts';

/** The reason why a success has no count. It is for the operator: the catalogue, the upstream or a caller who manipulates either is at fault. */
export type UncountableReason =
  /** The body is too long to be held, or is a stream of events. */
  | 'not_whole'
  | 'not_json'
  /** The JSON has no value at the pointer. */
  | 'missing'
  /** The value is negative, a fraction, a text, an object, or larger than any safe integer. */
  | 'not_a_count'
  /** The value is more than the operation can return according to its `units_max`. */
  | 'above_units_max'
  /** A stream was charged its whole hold, because its usage was above it and no more credit could be held. */
  | 'above_hold'
  /** The content coding is unknown or broken, or the decoded body is too long. */
  | 'undecodable'
  /** The catalogue has other meters than when the job was started. */
  | 'meters_changed'
  | 'no_memory';

export type Count = { kind: 'counted'; units: number } | { kind: 'uncountable'; reason: UncountableReason };

/** Longer responses are not held to be counted. Also limits the length of a decoded body. 32 MiB. */
export const responseBytesMax = 32 * 1024 * 1024;

/** Returns true when the body of a response with this status determines its count. */
export function isCounted(units: Units, status: number): boolean {
  return units.kind !== 'fixed' && status >= 200 && status <= 299;
}

/**
 * Counts the units of a response. Only a status from 200 to 299 has any, and a response without a body has none.
 * Returns a promise only when a content coding has to be decoded first. Never throws or rejects.
 */
export function count(
  units: Exclude<Units, { kind: 'meters' }>,
  response: WholeResponse | StreamedResponse,
): Count | Promise<Count> {
  if (response.status < 200 || response.status > 299) return nothing;
  if (units.kind === 'fixed') return { kind: 'counted', units: units.units };
  if (response.kind === 'stream') return uncountable('not_whole');
  if (response.body.length === 0) return nothing;
  const codings = ContentCoding.parse(response.headers);
  if (codings === 'unknown') return uncountable('undecodable');
  if (codings.length === 0) return countOf(response.body, units.pointer);
  return ContentCoding.decode(response.body, codings, responseBytesMax).then((body) =>
    body === null ? uncountable('undecodable') : countOf(body, units.pointer),
  );
}

function countOf(body: Buffer, pointer: JsonPointer.JsonPointer): Count {
  const found = find(body, pointer);
  if (found === 'no_memory') return uncountable(found);
  return found === null ? uncountable('not_json') : measure(found);
}

/** Catches every error, because an exception here would leave the call's hold in place. */
function find(body: Buffer, pointer: JsonPointer.JsonPointer): JsonScan.Found | null | 'no_memory' {
  try {
    return JsonScan.find(body, ByteOrderMark.lengthOf(body), pointer);
  } catch (fault) {
    if (fault instanceof RangeError) return 'no_memory';
    throw fault;
  }
}

const nothing: Count = { kind: 'counted', units: 0 };

function uncountable(reason: UncountableReason): Count {
  return { kind: 'uncountable', reason };
}

/** Counts a number as itself, an array as its length, true as one; false and null as zero. */
function measure(found: JsonScan.Found): Count {
  switch (found.kind) {
    case 'number':
      return Number.isSafeInteger(found.value) && found.value >= 0
        ? { kind: 'counted', units: found.value }
        : uncountable('not_a_count');
    case 'array':
      return { kind: 'counted', units: found.length };
    case 'true':
      return { kind: 'counted', units: 1 };
    case 'false':
    case 'null':
      return nothing;
    case 'nothing':
      return uncountable('missing');
    case 'string':
    case 'object':
      return uncountable('not_a_count');
  }
}
