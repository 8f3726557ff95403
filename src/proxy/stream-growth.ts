import * as JsonPointer from '@sluice/kernel/json-pointer';
import type { ExtendRule } from '../catalog/extend-rule.ts';
import * as MeterCost from '../catalog/meter-cost.ts';
import * as MeterPrices from '../catalog/meter-prices.ts';
import type { Operation } from '../catalog/operation.ts';
import type { StreamRule } from '../catalog/stream-rule.ts';
import type { StreamEvent } from './event-splitter.ts';
import type { PricedRequest } from './priced-request.ts';
import { endsStream } from './stream-meter.ts';
import { contentOf, StreamUsage } from './stream-usage.ts';
import type { WorstCase } from './worst-case.ts';

/** The charge for the events that were passed on, when the stream ends for lack of credit. */
export type SoldPart = {
  units: number;
  /** The quantity of each meter; absent without meters. */
  quantities?: Readonly<Record<string, number>>;
};

/** The quantities that the events so far are worth at most. */
type Progress = { grown: number; reported: object | null };

/**
 * Bounds the cost of a stream by the events so far, so that its hold can grow with it: an event is passed on only when the hold covers `next`.
 * Call `next` with each event in order, and `accept` when it is passed on.
 */
export class StreamGrowth {
  readonly #stream: StreamRule;
  readonly #rule: ExtendRule;
  readonly #operation: Pick<Operation, 'units'>;
  readonly #worst: WorstCase;
  readonly #usage: StreamUsage;
  #next: Progress = { grown: 0, reported: null };
  #passed: Progress | null = null;
  #isEnding = false;

  constructor(stream: StreamRule, rule: ExtendRule, operation: Pick<Operation, 'units'>, worst: WorstCase) {
    this.#stream = stream;
    this.#rule = rule;
    this.#operation = operation;
    this.#worst = worst;
    this.#usage = new StreamUsage(stream);
  }

  /** Returns the units to hold before any event arrives: the first step. */
  static first(rule: ExtendRule, worst: WorstCase): number {
    return costOf(rule, worst, rule.step);
  }

  /** Takes the next event. Returns the units that have to be held before it is passed on. */
  next({ bytes, isUnread }: Pick<StreamEvent, 'bytes' | 'isUnread'>): number {
    const content = isUnread ? null : contentOf(this.#stream.format, bytes);
    if (content !== null) this.#usage.read(content);
    this.#isEnding ||= content !== null && endsStream(this.#stream, content);
    const whole = this.#usage.whole();
    const reported = whole === null ? null : (JSON.parse(whole) as object);
    let { grown } = this.#next;
    // The end of a stream is withheld until the charge; only the usage in it has to be covered.
    // An event without data, such as a comment, is no part of the result either.
    if (!this.#isEnding && content?.data !== '') grown += this.#unitsOf(bytes.length);
    this.#next = { grown: Math.max(grown, this.#reportedUnits(reported)), reported };
    return costOf(this.#rule, this.#worst, this.#next.grown);
  }

  /** The event of `next` is passed on. */
  accept(): void {
    this.#passed = this.#next;
  }

  /** Returns the units that would be held for `steps` steps more than the events so far need. */
  ahead(): number {
    const { step } = this.#rule;
    return costOf(this.#rule, this.#worst, Math.ceil(this.#next.grown / step) * step);
  }

  /** Returns what the events that were passed on are charged for: nothing without events, and never more than was held for them. */
  sold(): SoldPart {
    const passed = this.#passed;
    const { priced } = this.#worst;
    if (passed === null) return priced === undefined ? { units: 0 } : { units: 0, quantities: {} };
    if (priced === undefined) return { units: costOf(this.#rule, this.#worst, passed.grown) };
    const { meters } = priced.rule.metering;
    const maxima = grownMaxima(this.#rule, priced, passed.grown).map((most, at) => {
      const meter = meters[at] as MeterPrices.Meter;
      const reported = meter.name === this.#rule.meter ? null : reportedQuantity(meter, passed.reported);
      return reported === null ? most : Math.min(most, reported);
    });
    const quantities = meters.flatMap(({ name, outer }, at) =>
      outer < 0 ? [[name, maxima[at] ?? 0] as const] : [],
    );
    return { units: worstOf(priced, maxima), quantities: Object.fromEntries(quantities) };
  }

  #unitsOf(bytes: number): number {
    const { by, units } = this.#rule;
    return by === 'usage' ? 0 : by === 'events' ? units : units * bytes;
  }

  #reportedUnits(reported: object | null): number {
    const { priced } = this.#worst;
    if (reported === null) return 0;
    if (priced !== undefined) {
      const meter = priced.rule.metering.meters.find(({ name }) => name === this.#rule.meter);
      return (meter && reportedQuantity(meter, reported)) ?? 0;
    }
    const { units } = this.#operation;
    return units.kind === 'pointer' ? (quantityAt(reported, units.pointer) ?? 0) : 0;
  }
}

/** Returns the cost when the growing quantity is at most `grown`: never more than the worst case. */
function costOf(rule: ExtendRule, worst: WorstCase, grown: number): number {
  const { priced } = worst;
  if (priced === undefined) return Math.min(worst.units, grown);
  return Math.min(worst.units, worstOf(priced, grownMaxima(rule, priced, grown)));
}

/** Returns the largest quantities of all meters when the growing one is at most `grown`. Its parts cannot exceed it. */
function grownMaxima(rule: ExtendRule, { max, rule: { metering } }: PricedRequest, grown: number): number[] {
  const { meters } = metering;
  const isGrowing = (at: number): boolean => {
    const meter = meters[at];
    return meter !== undefined && (meter.name === rule.meter || isGrowing(meter.outer));
  };
  return max.map((most, at) => (isGrowing(at) ? Math.min(most, grown) : most));
}

function worstOf({ table, rule, worst }: PricedRequest, maxima: readonly number[]): number {
  const { meters } = rule.metering;
  const exact = meters.map((meter, at) => MeterPrices.exactMax(meter, maxima[at] ?? 0));
  return MeterCost.worstCost(meters, table.rates, exact) ?? worst;
}

function reportedQuantity({ count }: MeterPrices.Meter, reported: object | null): number | null {
  return count.kind === 'pointer' && reported !== null ? quantityAt(reported, count.pointer) : null;
}

function quantityAt(reported: object, pointer: JsonPointer.JsonPointer): number | null {
  const value = JsonPointer.resolve(reported, pointer);
  const number = Array.isArray(value) ? value.length : value;
  return typeof number === 'number' && number >= 0 ? Math.ceil(number) : null;
}
