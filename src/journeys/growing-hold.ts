import type { Hold } from '../ledger/hold.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as CallHold from './call-hold.ts';
import type { PaidCall } from './call-request.ts';

/** The hold of a call that grows while its response is passed on. Extensions must not overlap. */
export class GrowingHold {
  readonly #shop: Pick<LedgerContext, 'statements' | 'writer'>;
  readonly #call: PaidCall;
  #hold: Hold;
  #extending: Promise<unknown> = Promise.resolve();
  /** Why the last extension was refused. */
  refusal: CallHold.HoldRefusal | null = null;

  constructor(shop: Pick<LedgerContext, 'statements' | 'writer'>, call: PaidCall, hold: Hold) {
    this.#shop = shop;
    this.#call = call;
    this.#hold = hold;
  }

  /** Extends the hold to `units`, or else to `needed`. Resolves with the units held, or null when credit does not suffice for `needed`. */
  extend(needed: number, units: number): Promise<number | null> {
    const extended = this.#extend(needed, units);
    this.#extending = extended.catch(() => {});
    return extended;
  }

  /** Returns the hold once no extension is under way: a hold that is being replaced must be neither settled nor released. */
  async current(): Promise<Hold> {
    await this.#extending;
    return this.#hold;
  }

  async #extend(needed: number, units: number): Promise<number | null> {
    for (const wanted of units > needed ? [units, needed] : [needed]) {
      const covered = await CallHold.cover(this.#shop, this.#call, this.#hold, wanted);
      if (covered.kind === 'held') {
        this.#hold = covered.hold;
        return covered.hold.units;
      }
      this.refusal = covered;
      if (covered.kind === 'ledger_unavailable') return null;
    }
    return null;
  }
}
