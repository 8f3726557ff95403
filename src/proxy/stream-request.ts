import * as JsonEdit from '@sluice/kernel/json-edit';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import type { StreamRule } from '../catalog/stream-rule.ts';
import * as ByteOrderMark from './byte-order-mark.ts';
import * as Headers from './headers.ts';

/** A request to an operation whose responses may be streams. */
export type StreamRequest = {
  /** The body as it is sent to the upstream. */
  body: Buffer;
  /** True when the request asks for a stream in the way that its rule reads. */
  asks: boolean;
  /** True when its caller asked for the usage that the rule asks for anyway. */
  asksUsage: boolean;
};

type Fields = Record<string, unknown>;

/**
 * Sets the fields of the rule in a request that asks for a stream. Each top-level member that contains one is written again at the end of the
 * object, and every other member of its name is removed, so that parsers that differ about repeated names agree. All other bytes stay.
 * A body that is not a JSON object, or is nested too deeply, is not changed and does not count as asking, nor is any body without a rule.
 */
export function prepare(rule: StreamRule | null, rawHeaders: readonly string[], body: Buffer): StreamRequest {
  const unchanged = { body, asks: false, asksUsage: false };
  if (rule === null) return unchanged;
  const request = objectOf(rawHeaders, body);
  if (request === null) return unchanged;
  const asks = rule.when === null || isAsking(JsonPointer.resolve(request, rule.when));
  if (!asks) return unchanged;
  const asksUsage = rule.set.every(({ pointer, value }) => JsonPointer.resolve(request, pointer) === value);
  const edited = withFields(rule, request, body);
  return edited === null ? unchanged : { body: edited, asks, asksUsage };
}

function isAsking(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}

function objectOf(rawHeaders: readonly string[], body: Buffer): Fields | null {
  if (body.length === 0 || Headers.first(rawHeaders, 'content-encoding') !== undefined) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8', ByteOrderMark.lengthOf(body)));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Returns the body with the fields of the rule; null when what is beside them is nested too deeply to be written again. */
function withFields({ set }: StreamRule, request: Fields, body: Buffer): Buffer | null {
  if (set.length === 0) return body;
  const members = new Map<string, unknown>();
  for (const { pointer, value } of set) {
    const [name, ...inner] = pointer;
    if (name === undefined) continue;
    const known = members.has(name) ? members.get(name) : request[name];
    members.set(name, placed(known, inner, value));
  }
  const removals = [...members.keys()].map((name) => ({ pointer: [name], json: null }));
  const edited = JsonEdit.edit(body, ByteOrderMark.lengthOf(body), removals);
  if (edited === null) return body;
  const end = edited.lastIndexOf(0x7d);
  const isEmpty = edited.subarray(0, end).toString('latin1').trimEnd().endsWith('{');
  const added = writtenOf(members);
  if (added === null) return null;
  const text = Buffer.from(`${isEmpty ? '' : ','}${added.join(',')}`);
  return Buffer.concat([edited.subarray(0, end), text, edited.subarray(end)]);
}

function writtenOf(members: ReadonlyMap<string, unknown>): string[] | null {
  try {
    return [...members].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  } catch (fault) {
    if (fault instanceof RangeError) return null;
    throw fault;
  }
}

/** Returns `into` with the value at the place, as a new object. */
function placed(into: unknown, [name, ...inner]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const fields: Fields =
    typeof into === 'object' && into !== null && !Array.isArray(into) ? (into as Fields) : {};
  return { ...fields, [name]: placed(fields[name], inner, value) };
}
