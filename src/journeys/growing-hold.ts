import type { Hold } from '../ledger/hold.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as CallHold from './call-hold.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerEnd } from './identification.ts';

/** Why a hold could not be extended: for lack of credit, or because its caller may not continue. */
export type GrowthRefusal = CallHold.HoldRefusal | { kind: CallerEnd };

/** The hold of a call that grows while its response is passed on. Extensions must not overlap. */
export class GrowingHold {
  readonly #shop: Pick<LedgerContext, 'statements' | 'writer'>;
  readonly #call: PaidCall;
  #hold: Hold;
  #extending: Promise<unknown> = Promise.resolve();
  /** Why the last extension was refused. */
  refusal: GrowthRefusal | null = null;

  constructor(shop: Pick<LedgerContext, 'statements' | 'writer'>, call: PaidCall, hold: Hold) {
    this.#shop = shop;
    this.#call = call;
    this.#hold = hold;
  }

  /** Extends the hold to `units`, or else to `needed`. Resolves with the units held, or null when it holds less than `needed`. */
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
    const end = (await this.#call.ended?.()) ?? null;
    if (end !== null) {
      this.refusal = { kind: end };
      return null;
    }
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
