import type { Holdings, Return, Want } from './books.ts';
import * as Burn from './burn.ts';
import type { HoldRequest } from './hold.ts';
import * as Purse from './purse.ts';

/**
 * After how long without calls an account's leases go back, and for how many calls more a lane asks at least when it asks:
 * with less, an account that calls now and then would ask the books for each call, at sixteen times what it costs
 * PostgreSQL otherwise.
 * Nothing is out of reach meanwhile: it is never more than the lane's share, and others recall it.
 */
const idleMs = 5_000;
const headroomCallsMin = 8;
/** How much a lane asks for beyond that: so many fold intervals of what the account spends now, which is as long as idle leases stay. */
const headroomIntervals = 20;

/** A hold that waits for what the books can set aside; `recall`: also for what other lanes hold idle. */
export type Asking = { request: HoldRequest; recall: boolean; resolve(answered: boolean): void };

/** What a lane knows of its accounts: one purse each, for as long as it is used. */
export class Purses {
  readonly #purses = new Map<string, Purse.Purse>();

  /** The account's purse; a new one has to be filled from the books first. */
  use(account: string, nowMs: number): Purse.Purse {
    let purse = this.#purses.get(account);
    if (!purse) {
      purse = Purse.empty(account, nowMs);
      this.#purses.set(account, purse);
    }
    purse.usedMs = nowMs;
    return purse;
  }

  /** The account's purse, if there is one. */
  find(account: string): Purse.Purse | undefined {
    return this.#purses.get(account);
  }

  clear(): void {
    this.#purses.clear();
  }

  /** Takes over what the books answered. A purse that was touched while they were asked may have missed something. */
  fill(
    holdings: readonly Holdings[],
    granted: readonly { account: string; lot: number; amount: number }[],
    touched: ReadonlySet<string>,
    nowMs: number,
  ): void {
    for (const held of holdings) {
      const purse = this.use(held.account, nowMs);
      Purse.refresh(purse, held);
      purse.stale = touched.has(held.account);
    }
    for (const { account, lot: id, amount } of granted) {
      const lot = this.#purses.get(account)?.lots.find((candidate) => candidate.id === id);
      if (lot) lot.free += amount;
    }
  }

  /** What goes back: all of an account that is idle or was recalled. Folding time is also when the pace is taken. */
  returns(nowMs: number): Return[] {
    const returns: Return[] = [];
    for (const purse of this.#purses.values()) {
      const { account, recalled } = purse;
      const idle = nowMs - purse.usedMs >= idleMs;
      purse.paceUnits = purse.settledUnits;
      purse.settledUnits = 0;
      purse.recalled = false;
      if (!idle && !recalled) continue;
      if (idle && Purse.isIdle(purse)) this.#purses.delete(account);
      for (const lot of purse.lots) {
        if (lot.free === 0) continue;
        returns.push({ account, lot: lot.id, amount: lot.free, recalled });
        lot.avail += lot.free;
        lot.free = 0;
      }
    }
    return returns;
  }

  /** What the calls that wait need beyond what is free by now: alike ones together, those that recall one by one. */
  wants(asking: readonly Asking[], nowMs: number): Want[] {
    const alike = Map.groupBy(
      asking,
      ({ request, recall }) =>
        `${request.account} ${request.price} ${request.plans} ${recall && request.callId}`,
    );
    return [...alike.values()].map((group) => {
      const [{ request, recall }] = group as [Asking];
      const { account, plans, price } = request;
      const { lots, paceUnits } = this.use(account, nowMs);
      const units = group.reduce((sum, one) => sum + one.request.units, 0);
      const callUnits = Math.max(...group.map((one) => one.request.units));
      const drawn = Burn.draw(lots, plans, price, units, nowMs);
      const held = lots.reduce(
        (sum, lot) => sum + (lot.asset === 'unit' ? lot.held : price && Math.floor(lot.held / price)),
        0,
      );
      return {
        account,
        plans,
        price,
        units: drawn.kind === 'short' ? drawn.units : 0,
        headroomUnits: recall
          ? 0
          : Math.max(held + headroomIntervals * paceUnits, headroomCallsMin * callUnits),
        recall,
      };
    });
  }
}
