import * as JsonPointer from '@sluice/kernel/json-pointer';
import type { Operation } from '../catalog/operation.ts';
import type { SocketRule } from '../catalog/socket-rule.ts';
import * as WorstCase from './worst-case.ts';

/** The sender of a message. */
export type Sender = 'upstream' | 'caller';

/** Counts the units of the messages of one WebSocket, in their order. */
export class SocketMeter {
  readonly #rule: SocketRule;
  readonly #operation: Pick<Operation, 'units' | 'unitsMax'>;
  /** Messages or bytes so far; by usage, the units. */
  #count = 0;

  constructor(rule: SocketRule, operation: Pick<Operation, 'units' | 'unitsMax'>) {
    this.#rule = rule;
    this.#operation = operation;
  }

  /** Returns the units that the next message adds to the cost: never less than zero. */
  next(sender: Sender, data: Buffer, isBinary: boolean): number {
    const { by, per, of } = this.#rule;
    if (of !== 'both' && of !== sender) return 0;
    const { units, unitsMax } = this.#operation;
    if (by === 'usage') {
      const reported = isBinary || units.kind !== 'pointer' ? null : reportedAt(data, units.pointer);
      return reported === null ? 0 : this.#added(reported, WorstCase.ceiling(unitsMax));
    }
    const before = Math.ceil(this.#count / per);
    this.#count += by === 'bytes' ? data.length : 1;
    return (Math.ceil(this.#count / per) - before) * (units.kind === 'fixed' ? units.units : 0);
  }

  /** The units that a report adds, at most `most`. A total adds what it exceeds the units so far by: a lower one returns nothing. */
  #added(reported: number, most: number): number {
    const before = this.#rule.merge === 'sum' ? 0 : this.#count;
    const added = Math.min(Math.max(0, reported - before), most);
    this.#count += added;
    return added;
  }
}

/** Returns the number, or the length of the list, in a message; null when it has none. */
function reportedAt(data: Buffer, pointer: JsonPointer.JsonPointer): number | null {
  let message: unknown;
  try {
    message = JSON.parse(data.toString());
  } catch {
    return null;
  }
  const value = JsonPointer.resolve(message, pointer);
  const number = Array.isArray(value) ? value.length : value;
  return typeof number === 'number' && number >= 0 ? Math.ceil(number) : null;
}
