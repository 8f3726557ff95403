import { uuidv7 } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { SocketRule } from '../catalog/socket-rule.ts';
import type { Hold, HoldRequest } from '../ledger/hold.ts';
import { type Sender, SocketMeter } from '../proxy/socket-meter.ts';
import * as CallHold from './call-hold.ts';
import type { PaidCall } from './call-request.ts';
import { GrowingHold, type GrowthRefusal } from './growing-hold.ts';
import type { PaidCallContext } from './paid-call-context.ts';

/** The charge of a connection is booked in parts of at most this many steps, and after this time. A process that dies loses one part. */
const partStepsMax = 10;
const partMsMax = 60_000;

/** Allows the sending of one message. Call it once with the outcome: true when the message was handed to the system. */
export type Grant = (isDelivered: boolean) => void;

/**
 * Sells the messages of one WebSocket. A message may be sent only when the hold covers it. Delivered messages are charged in parts, each of them
 * once; the last part by `end`.
 */
export class SocketSale {
  readonly #shop: PaidCallContext;
  readonly #call: PaidCall;
  readonly #request: HoldRequest;
  readonly #rule: SocketRule;
  readonly #meter: SocketMeter;
  /** The hold of the current part; null when there is none any more. */
  #hold: GrowingHold | null;
  #heldUnits: number;
  /** Units of the current part: of the messages that were granted, and of those that were delivered. */
  #granted = 0;
  #delivered = 0;
  #underWay = 0;
  #whenFlushed: (() => void)[] = [];
  #sinceMs: number;
  #serial: Promise<unknown> = Promise.resolve();
  #running = 0;
  #hasRow = false;
  #ending: Promise<void> | null = null;
  /** Why no more could be held. */
  refusal: GrowthRefusal | null = null;
  /** The charge of all parts. */
  charged = { units: 0, cost: Money.zero };

  constructor(shop: PaidCallContext, call: PaidCall, rule: SocketRule, request: HoldRequest, hold: Hold) {
    this.#shop = shop;
    this.#call = call;
    this.#request = request;
    this.#rule = rule;
    this.#meter = new SocketMeter(rule, call.operation);
    this.#hold = new GrowingHold(shop, call, hold);
    this.#heldUnits = hold.units;
    this.#sinceMs = shop.clock();
  }

  /** Covers the next message of a sender, in order. Resolves with null when it must not be sent: then `refusal` has the reason. */
  admit(sender: Sender, data: Buffer, isBinary: boolean): Grant | null | Promise<Grant | null> {
    const units = this.#meter.next(sender, data, isBinary);
    if (this.#ending !== null) return null;
    if (this.#running === 0 && !this.#isPartDue() && this.#granted + units <= this.#heldUnits)
      return this.#grant(units);
    return this.#serially(async () => ((await this.#cover(units)) ? this.#grant(units) : null));
  }

  /** Books a part whose time is over. Call it from time to time. Resolves with false when the connection has to end. */
  async tick(): Promise<boolean> {
    if (this.#ending !== null || this.#running > 0 || !this.#isPartDue()) return true;
    return this.#serially(() => this.#nextPart(0));
  }

  /**
   * Charges the last part, once. Call it when both connections are closed.
   * @param hasLeft true when the caller ended the connection: then messages that it did not wait for are charged unless that happens rarely
   */
  end(hasLeft: boolean): Promise<void> {
    this.#ending ??= this.#serially(() => this.#settleRest(hasLeft));
    return this.#ending;
  }

  #grant(units: number): Grant {
    this.#granted += units;
    this.#underWay += 1;
    return (isDelivered) => {
      if (isDelivered) this.#delivered += units;
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#whenFlushed.splice(0)) resolve();
    };
  }

  #isPartDue(): boolean {
    if (this.#granted === 0) return false;
    return this.#granted >= this.#rule.step * partStepsMax || this.#shop.clock() - this.#sinceMs >= partMsMax;
  }

  async #cover(units: number): Promise<boolean> {
    if (this.#ending !== null) return false;
    if (this.#isPartDue() && !(await this.#nextPart(units))) return false;
    const needed = this.#granted + units;
    if (needed <= this.#heldUnits) return true;
    if (this.#hold === null) return false;
    const { step } = this.#rule;
    const held = await this.#hold.extend(needed, Math.ceil(needed / step) * step);
    if (held !== null) this.#heldUnits = held;
    else {
      this.refusal = this.#hold.refusal;
      // The report is about content that was delivered before it.
      if (this.#rule.by === 'usage') this.#delivered += this.#heldUnits - this.#granted;
      if (this.#rule.by === 'usage') this.#granted = this.#heldUnits;
    }
    return held !== null;
  }

  /** Charges what was delivered, and holds the next step, or at least `units`. */
  async #nextPart(units: number): Promise<boolean> {
    await this.#flushed();
    if (!(await this.#book(this.#delivered))) return false;
    this.#granted = 0;
    this.#delivered = 0;
    this.#heldUnits = 0;
    this.#sinceMs = this.#shop.clock();
    const { ceiling } = this.#call;
    const rest = ceiling === null ? null : Money.ofMicro(Math.max(0, ceiling - this.charged.cost));
    const call = { ...this.#call, ceiling: rest };
    for (const wanted of new Set([Math.max(this.#rule.step, units), Math.max(1, units)])) {
      const taken = await holdUnits(this.#shop, call, this.#request, wanted);
      if (taken.kind === 'held') {
        this.#hold = new GrowingHold(this.#shop, call, taken.hold);
        this.#heldUnits = taken.hold.units;
        return true;
      }
      this.refusal = taken;
    }
    return false;
  }

  async #settleRest(hasLeft: boolean): Promise<void> {
    await this.#flushed();
    if (this.#hold === null) return;
    const unread = this.#granted - this.#delivered;
    const isKept = hasLeft && unread > 0 && this.#shop.unpaid.isCharged(this.#call.account);
    const units = isKept ? this.#granted : this.#delivered;
    if (units > 0 || !this.#hasRow) await this.#book(units);
    else this.#shop.writer.release(await this.#hold.current());
  }

  /** Charges the current part. Resolves with false when it could not be charged; its hold is gone in both cases. */
  async #book(units: number): Promise<boolean> {
    const { operation } = this.#call;
    const holding = this.#hold;
    if (holding === null) return false;
    this.#hold = null;
    const hold = await holding.current();
    const facts = { units, status: 101, service: operation.service.slug, operation: operation.id };
    const settled = await this.#shop.writer.settle(hold, facts);
    if (settled.kind !== 'settled') {
      this.#shop.report('socket_not_charged', { call: hold.callId, operation: operation.id, units });
      this.refusal = { kind: 'ledger_unavailable' };
      return false;
    }
    this.#shop.writer.delivered(settled.seq);
    this.#hasRow = true;
    this.charged = {
      units: this.charged.units + units,
      cost: Money.ofMicro(this.charged.cost + settled.cost),
    };
    return true;
  }

  /** Resolves when no granted message is under way. */
  async #flushed(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#whenFlushed.push(resolve));
  }

  /** Runs one step that changes the hold after the other: a hold that is being replaced must not be used. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const done = this.#serial.then(work).finally(() => {
      this.#running -= 1;
    });
    this.#serial = done.catch(() => {});
    return done;
  }
}

/** Holds units for a part of a connection, within the caller's own ceiling. */
export async function holdUnits(
  shop: PaidCallContext,
  call: PaidCall,
  request: HoldRequest,
  units: number,
): Promise<{ kind: 'held'; hold: Hold } | CallHold.HoldRefusal> {
  const required = Money.times(request.price, units);
  if (call.ceiling !== null && required > call.ceiling)
    return { kind: 'price_ceiling', required, ceiling: call.ceiling };
  const part = { ...request, callId: uuidv7(shop.clock(), request.account), units };
  return CallHold.take(shop, call, part, { units, isClear: true, cause: null });
}
