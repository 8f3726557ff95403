import type { Clock } from '@sluice/kernel/clock';
import { ofMicro } from '@sluice/kernel/money';
import * as AccountLeases from './account-leases.ts';
import type { CreditReturnedSignal } from './credit-returned-signal.ts';
import * as DrawDown from './draw-down.ts';
import { budgetPlan, type Hold, type HoldRequest, type HoldResult } from './hold.ts';
import type { LeaseTable } from './lease-table.ts';
import { type CreditRefusal, refusalOf } from './refusal.ts';

/** Maximum time that a hold waits for idle leases of other writers before it is refused. */
const recallWaitMs = 500;

/** The writer that leases credit for holds. */
export type LeaseSource = {
  /** Returns false while nothing can be held. */
  isReady(): boolean;
  epoch(): number;
  /** Requests leases with the next batch. Resolves with false if no answer can be expected. */
  request(request: HoldRequest, recall: boolean): Promise<boolean>;
  /** Returns the idle leases of an account with the next batch. */
  giveBack(account: string): void;
};

/** Holds credit for calls in memory, against the leases of this writer. */
export class Holds {
  readonly #source: LeaseSource;
  readonly #leaseTable: LeaseTable;
  readonly #creditReturned: CreditReturnedSignal;
  readonly #clock: Clock;

  constructor(
    source: LeaseSource,
    leaseTable: LeaseTable,
    creditReturned: CreditReturnedSignal,
    clock: Clock,
  ) {
    this.#source = source;
    this.#leaseTable = leaseTable;
    this.#creditReturned = creditReturned;
    this.#clock = clock;
  }

  /** Holds the worst case of a call, in its key's budget too. Needs no database if the writer has leased enough. */
  place(request: HoldRequest): Promise<HoldResult> {
    return this.#placeWithBudget(request, null);
  }

  /** Implements LedgerWriter.extend. */
  async extend(hold: Hold, units: number): Promise<HoldResult> {
    if (units <= hold.units) return { kind: 'held', hold };
    const { callId, account, plans, price, moneyOnly, key = null, span = null } = hold;
    const rest = { callId, account, plans, price, key, span, units: units - hold.units };
    const lacking = moneyOnly === true ? { ...rest, moneyOnly } : rest;
    const more = await this.#placeWithBudget(lacking, hold);
    if (more.kind !== 'held') return more;
    if (more.hold.epoch === hold.epoch) return { kind: 'held', hold: joined(hold, more.hold) };
    this.release(more.hold);
    return { kind: 'unavailable' };
  }

  /** Releases a hold: the call was not forwarded, or cost nothing and leaves no row. */
  release(hold: Hold): void {
    if (hold.epoch !== this.#source.epoch()) return;
    for (const { lot, amount } of hold.draws) {
      lot.held -= amount;
      lot.free += amount;
    }
    if (hold.cap) this.release(hold.cap);
  }

  /** @param own the hold that the call already has, in its account and in its key's budget */
  async #placeWithBudget(request: HoldRequest, own: Hold | null): Promise<HoldResult> {
    const { key, price } = request;
    if (!key?.capped || price === 0) return this.#placeInAccount(request, own);
    const budgetRequest = { ...request, account: key.id, plans: [budgetPlan] };
    const cap = await this.#placeInAccount(budgetRequest, own?.cap ?? null);
    if (cap.kind === 'exhausted')
      return {
        kind: 'budget_exhausted',
        required: cap.required,
        affordableUnits: cap.affordableUnits,
      };
    if (cap.kind === 'no_plan') {
      const required = ofMicro((request.units + (own?.units ?? 0)) * price);
      return { kind: 'budget_exhausted', required, affordableUnits: 0 };
    }
    if (cap.kind !== 'held') return cap;
    const held = await this.#placeInAccount(request, own);
    if (held.kind === 'held' && held.hold.epoch === cap.hold.epoch)
      return { kind: 'held', hold: { ...held.hold, cap: cap.hold } };
    this.release(cap.hold);
    if (held.kind !== 'held') return held;
    this.release(held.hold);
    return { kind: 'unavailable' };
  }

  async #placeInAccount(request: HoldRequest, own: Hold | null): Promise<HoldResult> {
    const sinceMs = this.#clock();
    const deadlineMs = sinceMs + recallWaitMs;
    if (!this.#source.isReady()) return { kind: 'unavailable' };
    const known = this.#leaseTable.use(request.account, sinceMs);
    const first = known.stale ? null : this.#attempt(known, request, sinceMs);
    if (first?.kind === 'held') return first;
    let recall = false;
    while ((await this.#source.request(request, recall)) && this.#source.isReady()) {
      const nowMs = this.#clock();
      const accountLeases = this.#leaseTable.use(request.account, nowMs);
      if (accountLeases.stale) continue;
      const attempt = this.#attempt(accountLeases, request, nowMs);
      if (attempt.kind !== 'short') return attempt;
      const { pausedUntilMs } = accountLeases;
      if (pausedUntilMs !== null)
        return {
          kind: 'trial_paused',
          retryAfterSeconds: Math.max(1, Math.ceil((pausedUntilMs - nowMs) / 1_000)),
        };
      const refusal = refusalOf(accountLeases, request, nowMs, own);
      if (refusal.kind === 'exhausted' || nowMs >= deadlineMs) return this.#refuse(accountLeases, refusal);
      // If the ledger has enough, another call took it first, and another request may succeed.
      const isShort = refusal.available < refusal.required;
      if (isShort && !isLeasedElsewhere(accountLeases)) return refusal;
      if (isShort && recall) await this.#creditReturned.wait(request.account);
      recall = isShort;
    }
    return { kind: 'unavailable' };
  }

  /** Refuses a call. A writer that waited for others in vain returns its idle leases: else each might keep a part that is enough for no call. */
  #refuse(accountLeases: AccountLeases.AccountLeases, refusal: CreditRefusal): CreditRefusal {
    if (refusal.kind === 'in_flight' && isLeasedElsewhere(accountLeases))
      this.#source.giveBack(accountLeases.account);
    return refusal;
  }

  #attempt(
    accountLeases: AccountLeases.AccountLeases,
    request: HoldRequest,
    nowMs: number,
  ): { kind: 'held'; hold: Hold } | { kind: 'no_plan' } | { kind: 'short' } {
    const { plans, units } = request;
    if (!AccountLeases.opens(accountLeases, plans)) return { kind: 'no_plan' };
    const drawn = DrawDown.draw(accountLeases.lots, request, units, nowMs);
    if (drawn.kind === 'short') return { kind: 'short' };
    for (const { lot, amount } of drawn.draws) {
      lot.free -= amount;
      lot.held += amount;
    }
    return { kind: 'held', hold: { ...request, epoch: this.#source.epoch(), draws: drawn.draws } };
  }
}

function isLeasedElsewhere({ lots }: AccountLeases.AccountLeases): boolean {
  return lots.some((lot) => lot.others > 0);
}

/** Joins two holds of one call. Lots of units stay before those of money, because a charge is split in this order. */
function joined(hold: Hold, more: Hold): Hold {
  const amounts = new Map<DrawDown.Draw['lot'], number>();
  for (const { lot, amount } of [...hold.draws, ...more.draws])
    amounts.set(lot, (amounts.get(lot) ?? 0) + amount);
  const draws = [...amounts].map(([lot, amount]) => ({ lot, amount }));
  return {
    ...hold,
    units: hold.units + more.units,
    draws: [
      ...draws.filter(({ lot }) => lot.asset === 'unit'),
      ...draws.filter(({ lot }) => lot.asset === 'usd'),
    ],
    ...(hold.cap && more.cap && { cap: joined(hold.cap, more.cap) }),
  };
}
