import { Writable } from 'node:stream';
import * as Money from '@sluice/kernel/money';
import type { Operation } from '../catalog/operation.ts';
import type { StreamRule } from '../catalog/stream-rule.ts';
import type { Hold } from '../ledger/hold.ts';
import { type Extend, ExtendingDestination } from '../proxy/extending-destination.ts';
import * as Headers from '../proxy/headers.ts';
import { responseBytesMax } from '../proxy/meter.ts';
import { StreamDestination } from '../proxy/stream-destination.ts';
import type { SoldPart, StreamGrowth } from '../proxy/stream-growth.ts';
import { StreamMeter, type StreamResult } from '../proxy/stream-meter.ts';
import type { Destination, Piped, StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
import type { GrowthRefusal } from './growing-hold.ts';
import * as PaidResponse from './paid-response.ts';

/** The response of a call is a stream, metered while it is passed on. Call `settle` or `release`, and `release` after `settle` only when that rejected. */
export type StreamingCall = {
  kind: 'streaming';
  callId: string;
  operation: Operation;
  rule: StreamRule;
  response: StreamedResponse;
  /** The most that the call can cost. */
  held: Money.Money;
  hidesUsage: boolean;
  /** Maximum time in which the caller reads nothing, in milliseconds. */
  stallMs: number;
  /** Returns true when the stream is read on after its caller left: by its rule, or because its account often leaves. */
  isFinished(): boolean;
  /** Decides about a stream that its caller left, and that did not end, after a part of it was passed on. @returns true when that part is charged */
  isPartCharged(): boolean;
  /** Registers that the stream is read on after its caller left. Returns a function to call at its end, or null when the process is ending. */
  readOn(abandon: () => void): (() => void) | null;
  /** The growth of its hold; null when nothing bounds the cost of a part. */
  growing: GrowingStream | null;
  /** Charges for the complete stream, or for the part `sold` of one that ended early. Releases the hold also when it rejects. */
  settle(
    end: Omit<StreamResult, 'withheld'>,
    sold?: SoldPart,
  ): Promise<ServedResponse | CallRefusal | CallerLeft>;
  /** Releases the hold, unless `settle` was called: the stream is not complete, and free. */
  release(): Promise<void>;
};

/** A stream whose hold grows while it is passed on. */
export type GrowingStream = {
  growth: StreamGrowth;
  extend: Extend;
  /** The units that are held at its start. */
  heldUnits: number;
  /** Why the hold could not be extended. */
  refusal(): GrowthRefusal | null;
};

/** A caller's side of a stream. */
export type StreamCaller = Pick<Destination, 'write' | 'destroy' | 'destroyed' | 'writableLength' | 'once'>;

/** The end of a stream: charged and to be sent, or to be cut. */
export type StreamEnd =
  | {
      kind: 'charged';
      paid: ServedResponse;
      withheld: readonly Buffer[];
      usage: string | null;
      /** True when the caller had left before the upstream ended the stream. */
      hasLeft: boolean;
      /** Why the stream ended early; null when it is complete. */
      refusal: GrowthRefusal | null;
    }
  | { kind: 'cut'; reason: string };

const contentTypes: Readonly<Record<StreamRule['format'], RegExp>> = {
  sse: /^text\/event-stream\b/i,
  ndjson: /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|stream\+json)\b/i,
};

/** Returns the rule by which a response is metered as a stream, or null when it is none. */
export function ruleFor(
  { stream }: Pick<Operation, 'stream'>,
  { status, headers }: WholeResponse | StreamedResponse,
): StreamRule | null {
  if (stream === null || status < 200 || status > 299) return null;
  return contentTypes[stream.format].test(Headers.first(headers, 'content-type') ?? '') ? stream : null;
}

/** Returns the header fields of a stream as a flat list. The cost follows in the trailers. */
export function headers({ callId, operation, response, held }: StreamingCall): string[] {
  const list: string[] = [];
  for (let at = 0; at + 1 < response.headers.length; at += 2) {
    const name = response.headers[at] as string;
    // The length is not the upstream's when an event is left out, and trailers need chunks.
    if (name.toLowerCase() !== 'content-length') list.push(name, response.headers[at + 1] as string);
  }
  list.push(
    ...['cache-control', 'private', 'storefront-call', `call_${callId}`],
    ...['storefront-service', operation.service.slug, 'storefront-held-usd', Money.formatExact(held)],
    ...[
      'storefront-origin',
      'upstream',
      'trailer',
      'storefront-cost-usd, storefront-usage, storefront-units, storefront-balance-usd',
    ],
  );
  return list;
}

/** Returns the trailers of a charged stream. */
export function trailers(paid: ServedResponse): Record<string, string> {
  const { cost, measured } = paid;
  const units = PaidResponse.unitsOf(paid);
  const usage = measured?.quantities;
  return {
    'storefront-cost-usd': Money.formatExact(cost.cost),
    ...(units !== undefined && { 'storefront-units': String(units) }),
    ...(usage !== undefined && { 'storefront-usage': PaidResponse.usageOf(usage) }),
    'storefront-balance-usd': Money.formatExact(cost.balance),
  };
}

/**
 * Passes a stream on to its caller. The charge is recorded before the last event, which is returned: the caller of this function sends it and ends
 * the response. A stream that is cut was not charged; the caller's connection has to be destroyed, so that it does not look complete.
 */
export async function relay(call: StreamingCall, caller: StreamCaller): Promise<StreamEnd> {
  const { rule, response, stallMs, growing } = call;
  const meter = new StreamMeter(rule, call.hidesUsage);
  const destination = new StreamDestination(caller, meter, stallMs, () => caller.destroy());
  const gate =
    growing &&
    new ExtendingDestination(destination, growing.growth, rule.format, growing.heldUnits, growing.extend);
  let late: NodeJS.Timeout | null = null;
  let hasLeft = false;
  let received: SoldPart | undefined;
  let settled: (() => void) | null = null;
  const leave = () => {
    if (hasLeft || destination.closed) return;
    hasLeft = true;
    received = growing?.growth.sold();
    if (call.isFinished()) settled = call.readOn(() => destination.abandon());
    if (settled === null) return destination.abandon();
    destination.leave();
    late = setTimeout(() => destination.abandon(), rule.finishMs);
  };
  caller.once('close', leave);
  if (caller.destroyed) leave();
  try {
    const piped = await pipe(response, destination, gate);
    if (late !== null) clearTimeout(late);
    if (piped !== 'ended' && piped !== 'refused') {
      // A caller who did not read for as long as the upstream may pause has left, even if its connection is open.
      const wasLeft = hasLeft || (piped === 'abandoned' && !isOverfull(meter, gate));
      const isPartCharged = wasLeft && destination.hasPassed && call.isPartCharged();
      // A stream that broke off is free, as if its caller had stayed.
      if (isPartCharged && piped === 'abandoned') {
        caller.destroy();
        return await chargeLeft(call, meter.end(), received ?? growing?.growth.sold());
      }
      await call.release();
      return { kind: 'cut', reason: wasLeft ? 'caller_left' : piped };
    }
    return await charge(call, meter.end(), hasLeft, piped === 'refused' ? growing : null);
  } finally {
    if (late !== null) clearTimeout(late);
    (settled as (() => void) | null)?.();
  }
}

/** Charges a stream, or, with `refused`, the part of it that was passed on before its hold could not be extended. */
async function charge(
  call: StreamingCall,
  end: StreamResult,
  hasLeft: boolean,
  refused: GrowingStream | null,
): Promise<StreamEnd> {
  const paid = await call.settle(end, refused?.growth.sold());
  if (paid.kind !== 'served') return { kind: 'cut', reason: paid.kind };
  // The withheld events were not counted as a part that was sold.
  const withheld = refused === null ? end.withheld : [];
  const refusal = refused?.refusal() ?? null;
  return { kind: 'charged', paid, withheld, usage: end.usage, hasLeft, refusal };
}

/** Charges a stream that its caller left: for the events that it received, or, where nothing bounds their cost, by the usage so far. */
async function chargeLeft(
  call: StreamingCall,
  end: StreamResult,
  received: SoldPart | undefined,
): Promise<StreamEnd> {
  const paid = await call.settle(end, received);
  if (paid.kind !== 'served') return { kind: 'cut', reason: paid.kind };
  return { kind: 'charged', paid, withheld: [], usage: end.usage, hasLeft: true, refusal: null };
}

/** Returns true when a part of a stream is too long to be kept. */
function isOverfull(meter: StreamMeter, gate: ExtendingDestination | null): boolean {
  return meter.isOverfull || gate?.isOverfull === true;
}

/** Passes a stream on. Resolves with `refused` when its hold could not be extended: then only a part of it was passed on. */
async function pipe(
  response: StreamedResponse,
  destination: StreamDestination,
  gate: ExtendingDestination | null,
): Promise<Piped | 'refused'> {
  if (gate === null) return response.pipeTo(destination);
  const piped = await response.pipeTo(gate);
  if (piped === 'ended') await gate.finished;
  if (gate.isRefused) return 'refused';
  return piped === 'ended' && destination.destroyed ? 'abandoned' : piped;
}

/** Reads a stream to its end. Returns it as a whole response with its usage, or null when it broke off or is too long. */
export async function collect(
  rule: StreamRule,
  hidesUsage: boolean,
  response: WholeResponse | StreamedResponse,
): Promise<{ response: WholeResponse; end: StreamResult } | null> {
  const meter = new StreamMeter(rule, hidesUsage);
  const pieces: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: Buffer) => {
    for (const piece of meter.push(chunk)) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
    }
  };
  if (response.kind === 'whole') keep(response.body);
  else {
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        keep(chunk);
        if (bytes > responseBytesMax || meter.isOverfull) this.destroy();
        done();
      },
    });
    if ((await response.pipeTo(sink)) !== 'ended') return null;
  }
  const end = meter.end();
  const body = Buffer.concat([...pieces, ...end.withheld]);
  if (body.length > responseBytesMax) return null;
  const { status } = response;
  return { response: { kind: 'whole', status, headers: framed(response.headers, body.length), body }, end };
}

function framed(fields: readonly string[], length: number): string[] {
  const list: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    if ((fields[at] as string).toLowerCase() !== 'content-length')
      list.push(fields[at] as string, fields[at + 1] as string);
  return [...list, 'content-length', String(length)];
}

/** Returns the operation as its streams are charged: a stream was delivered already, so it cannot be withheld. */
export function operationFor(
  operation: Operation,
  rule: StreamRule,
  wasAsked: boolean,
  hasFailed: boolean,
): Operation {
  const isHeld = !hasFailed && (rule.missingUsage === 'held' || !wasAsked);
  return { ...operation, uncountable: isHeld ? 'max' : 'free' };
}

/** Returns the worth of a hold. */
export function worth({ price, units }: Pick<Hold, 'price' | 'units'>): Money.Money {
  return Money.times(price, units);
}
