import { nearest } from '../kernel/nearest.ts';
import * as AddressBlock from './address-block.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** For one address block (`AddressBlock.of`): so many in any window of that length. */
export const windows = [
  { ms: 10 * minuteMs, registrationsMax: 5 },
  { ms: dayMs, registrationsMax: 20 },
] as const;
/** Over all addresses and processes, for each day in UTC. */
export const dailyMax = 10_000;
/** Address blocks remembered; the one that registered longest ago goes first. */
const blocksMax = 50_000;

const types = ['anonymous'] as const;
const fields = ['type'] as const;
const faultsMax = 20;
const echoCharsMax = 64;

/** What POST /agent/auth asks for. */
export type Registration = { kind: 'anonymous' };
export type Fault = { field: string; message: string };

/** Reads the body of a registration; a fault names its field as seed 2.7 does (`body` for a field that should not be there). */
export function parse(body: unknown): Registration | { kind: 'fault'; faults: readonly Fault[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { kind: 'fault', faults: [{ field: 'body', message: 'must be an object: {"type":"anonymous"}' }] };
  }
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  const unknown = [...members.keys()].filter((name) => !fields.some((field) => field === name));
  const faults = unknown.slice(0, faultsMax - 1).map((name) => ({
    field: 'body',
    message: `unknown field "${name.slice(0, echoCharsMax)}"; ${hint(name, fields, 'allowed fields')}`,
  }));
  const type = members.get('type');
  if (type === undefined) {
    faults.push({ field: 'type', message: `is required; allowed values: ${types.join(', ')}` });
  } else if (typeof type !== 'string') {
    faults.push({ field: 'type', message: `must be a string; allowed values: ${types.join(', ')}` });
  } else if (type !== 'anonymous') {
    const given = type.slice(0, echoCharsMax);
    faults.push({ field: 'type', message: `cannot be "${given}"; ${hint(type, types, 'allowed values')}` });
  }
  return faults.length === 0 ? { kind: 'anonymous' } : { kind: 'fault', faults };
}

function hint(given: string, allowed: readonly string[], name: string): string {
  const near = nearest(given, allowed);
  return near === null ? `${name}: ${allowed.join(', ')}` : `did you mean "${near}"?`;
}

/** Whether a caller may register now. */
export type Admission =
  | { kind: 'allowed' }
  | { kind: 'refused'; reason: 'address' | 'day'; retryAfterSeconds: number };

/**
 * Decides on one more registration. `recent` holds the times of those from the same address block, oldest first;
 * `today` counts those of this UTC day over all, from the database.
 */
export function decide(recent: readonly number[], today: number, nowMs: number): Admission {
  let waitMs = 0;
  for (const { ms, registrationsMax } of windows) {
    const blocking = recent.at(-registrationsMax);
    if (blocking !== undefined) waitMs = Math.max(waitMs, blocking + ms - nowMs);
  }
  if (waitMs > 0) return { kind: 'refused', reason: 'address', retryAfterSeconds: Math.ceil(waitMs / 1000) };
  if (today >= dailyMax) {
    return {
      kind: 'refused',
      reason: 'day',
      retryAfterSeconds: Math.ceil((dayMs - (nowMs % dayMs)) / 1000),
    };
  }
  return { kind: 'allowed' };
}

/** Who registered when: the latest times for each address block, in memory and bounded. */
export type Log = { readonly blocks: Map<string, readonly number[]>; readonly blocksMax: number };

export function openLog(max: number = blocksMax): Log {
  return { blocks: new Map(), blocksMax: max };
}

/** Decides for `address` and, where it is allowed, writes the registration down. A refusal leaves no trace and cannot be prolonged. */
export function admit(log: Log, address: string, today: number, nowMs: number): Admission {
  // Our own machine is its operator, or a proxy that does not say for whom it asks: a limit would lock everybody out at once.
  if (AddressBlock.isLoopback(address)) return decide([], today, nowMs);
  const block = AddressBlock.of(address);
  const recent = log.blocks.get(block) ?? [];
  const admission = decide(recent, today, nowMs);
  if (admission.kind === 'refused') return admission;
  const longest = Math.max(...windows.map((window) => window.registrationsMax));
  log.blocks.delete(block);
  log.blocks.set(block, [...recent, nowMs].slice(-longest));
  for (const oldest of log.blocks.keys()) {
    if (log.blocks.size <= log.blocksMax) break;
    log.blocks.delete(oldest);
  }
  return admission;
}
