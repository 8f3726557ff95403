import * as AccountLeases from './account-leases.ts';
import * as DrawDown from './draw-down.ts';
import type { HoldRequest } from './hold.ts';
import type { Holdings, LeaseRequest, LeaseReturn } from './ledger-store.ts';

/**
 * Leases of an account return after this time without calls, and a request for leases covers at least this many further calls. With less, an
 * account with occasional calls would need a request for each call, which costs PostgreSQL sixteen times as much. Leased credit is not
 * unavailable to others: a lease is at most the writer's share, and other writers can recall it.
 */
const idleMs = 5_000;
const headroomCallsMin = 8;
/** A request also covers the account's current pace over this many checkpoint intervals, which is as long as idle leases stay. */
const headroomIntervals = 20;

/** A hold that waits for leases. `recall`: idle leases of other writers are recalled for it. */
export type PendingLease = { request: HoldRequest; recall: boolean; resolve(answered: boolean): void };

/** A writer's copies of the accounts that it serves. */
export class LeaseTable {
  readonly #accounts = new Map<string, AccountLeases.AccountLeases>();

  /** Returns the copy of an account. A new copy is stale: it has to be read from the ledger first. */
  use(account: string, nowMs: number): AccountLeases.AccountLeases {
    let accountLeases = this.#accounts.get(account);
    if (!accountLeases) {
      accountLeases = AccountLeases.empty(account, nowMs);
      this.#accounts.set(account, accountLeases);
    }
    accountLeases.usedMs = nowMs;
    return accountLeases;
  }

  /** Returns the copy of an account, if there is one. */
  find(account: string): AccountLeases.AccountLeases | undefined {
    return this.#accounts.get(account);
  }

  clear(): void {
    this.#accounts.clear();
  }

  /** The idle leases of all accounts return with the next checkpoint. Returns the accounts. */
  recallAll(): string[] {
    for (const accountLeases of this.#accounts.values()) accountLeases.recalled = true;
    return [...this.#accounts.keys()];
  }

  /** Returns the plans that the account may call on; null if they were not read yet. */
  plansOf(account: string): readonly string[] | null {
    const accountLeases = this.#accounts.get(account);
    return accountLeases === undefined || (accountLeases.stale && accountLeases.plans.length === 0)
      ? null
      : accountLeases.plans;
  }

  /** Returns the amounts held by running calls of an account, in each asset. */
  held(account: string): { usd: number; unit: number } {
    const held = { usd: 0, unit: 0 };
    for (const lot of this.#accounts.get(account)?.lots ?? []) held[lot.asset] += lot.held;
    return held;
  }

  /**
   * Updates the copies from the result of a batch. A copy that was touched meanwhile stays stale, because it may lack something. Returns the
   * accounts whose copies could not be updated, with the error. They stay stale too.
   */
  fill(
    holdings: readonly Holdings[],
    granted: readonly { account: string; lot: number; amount: number }[],
    touched: ReadonlySet<string>,
    nowMs: number,
  ): Map<string, unknown> {
    const faults = new Map<string, unknown>();
    for (const held of holdings) {
      const accountLeases = this.use(held.account, nowMs);
      try {
        AccountLeases.refresh(accountLeases, held);
        AccountLeases.expectSafe(accountLeases);
        accountLeases.stale = touched.has(held.account);
      } catch (error) {
        accountLeases.stale = true;
        faults.set(held.account, error);
      }
    }
    for (const { account, lot: id, amount } of granted) {
      const lot = this.#accounts.get(account)?.lots.find((candidate) => candidate.id === id);
      if (lot) lot.free += amount;
    }
    return faults;
  }

  /** Marks accounts whose trial cannot be used before `untilMs`. */
  pause(accounts: readonly string[], untilMs: number): void {
    for (const account of accounts) {
      const accountLeases = this.#accounts.get(account);
      if (accountLeases === undefined) continue;
      accountLeases.pausedUntilMs = untilMs;
      for (const lot of accountLeases.lots) lot.paused = lot.kind === 'trial';
    }
  }

  /** Returns the free leases of accounts that are idle or were recalled, and measures the pace. Called once per checkpoint. */
  returns(nowMs: number): LeaseReturn[] {
    const returns: LeaseReturn[] = [];
    for (const accountLeases of this.#accounts.values()) {
      const { account, recalled } = accountLeases;
      const idle = nowMs - accountLeases.usedMs >= idleMs;
      accountLeases.paceUnits = accountLeases.settledUnits;
      accountLeases.settledUnits = 0;
      accountLeases.recalled = false;
      if (!idle && !recalled) continue;
      if (idle && AccountLeases.isIdle(accountLeases)) this.#accounts.delete(account);
      for (const lot of accountLeases.lots) {
        if (lot.free === 0) continue;
        returns.push({ account, lot: lot.id, amount: lot.free, recalled });
        lot.avail += lot.free;
        lot.free = 0;
      }
    }
    return returns;
  }

  /** Returns the lease requests of waiting calls beyond what is free by now. Equal calls share one, except those that recall. */
  wants(asking: readonly PendingLease[], nowMs: number): LeaseRequest[] {
    const alike = Map.groupBy(
      asking,
      ({ request, recall }) =>
        `${request.account} ${request.price} ${request.plans} ${request.moneyOnly === true} ${recall && request.callId}`,
    );
    return [...alike.values()].map((group) => {
      const [{ request, recall }] = group as [PendingLease];
      const { account, plans, price, moneyOnly } = request;
      const { lots, paceUnits } = this.use(account, nowMs);
      const units = group.reduce((sum, one) => sum + one.request.units, 0);
      const callUnits = Math.max(...group.map((one) => one.request.units));
      const drawn = DrawDown.draw(lots, request, units, nowMs);
      const held = lots.reduce(
        (sum, lot) => sum + (lot.asset === 'unit' ? lot.held : price && Math.floor(lot.held / price)),
        0,
      );
      return {
        account,
        plans,
        price,
        ...(moneyOnly === true && { moneyOnly }),
        units: drawn.kind === 'short' ? drawn.units : 0,
        headroomUnits: recall
          ? 0
          : Math.min(
              Math.max(held + headroomIntervals * paceUnits, headroomCallsMin * callUnits),
              // The store multiplies it by the price.
              Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, price)),
            ),
        recall,
      };
    });
  }
}
