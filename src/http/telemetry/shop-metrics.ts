import type { Clock } from '@sluice/kernel/clock';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type ReadShopTotals, rails, type ShopTotals } from '../../payment/shop-totals.ts';

/** The totals are read from the database at most this often. */
const freshMs = 60_000;

type Family = {
  kind: typeof Counter | typeof Gauge;
  name: string;
  help: string;
  label: string;
  /** Returns the samples by the value of the label. */
  samples(found: ShopTotals): Record<string, number>;
};

const families: readonly Family[] = [
  {
    kind: Gauge,
    name: 'sluice_shop_accounts',
    help: 'Accounts of the shop: anonymous ones, and those that a person has claimed.',
    label: 'kind',
    samples: ({ accounts }) => accounts,
  },
  {
    kind: Counter,
    name: 'sluice_shop_purchases_total',
    help: 'Granted purchases and renewals of the shop.',
    label: 'rail',
    samples: (found) => byRail(found, ({ orders }) => orders),
  },
  {
    kind: Counter,
    name: 'sluice_shop_revenue_micro_usd_total',
    help: 'Payments of the shop in micro-dollars, without tax, before refunds.',
    label: 'rail',
    samples: (found) => byRail(found, ({ gross }) => gross),
  },
  {
    kind: Gauge,
    name: 'sluice_shop_returned_micro_usd',
    help: 'Refunds and disputes of the shop in micro-dollars, without tax. A dispute that is won is subtracted again.',
    label: 'kind',
    samples: ({ returned }) => returned,
  },
  {
    kind: Gauge,
    name: 'sluice_shop_unspent_micro_usd',
    help: 'Dollars that customers can still spend, in micro-dollars: paid for, and given by trials and grants.',
    label: 'source',
    samples: ({ unspent }) => ({ paid: unspent.paid.usd, given: unspent.given.usd }),
  },
  {
    kind: Gauge,
    name: 'sluice_shop_unspent_units',
    help: 'Units that customers can still use: paid for, and given by trials and grants.',
    label: 'source',
    samples: ({ unspent }) => ({ paid: unspent.paid.units, given: unspent.given.units }),
  },
];

/**
 * Registers accounts, purchases, revenue and unspent balances of the whole shop: the same in every process, so use `max`, not `sum`.
 * While the database does not answer, the last values are exported.
 */
export function registerShopMetrics(register: Registry, read: ReadShopTotals, clock: Clock): void {
  const totals = remembered(read, clock, freshMs);
  for (const { kind: Kind, name, help, label, samples } of families)
    new Kind({
      name,
      help,
      labelNames: [label],
      registers: [register],
      async collect() {
        const found = await totals();
        if (found === null) return;
        this.reset();
        for (const [value, amount] of Object.entries(samples(found))) this.inc({ [label]: value }, amount);
      },
    });
}

/** Returns the last result, at most `freshMs` old unless the database does not answer; null before the first. */
export function remembered<T>(
  read: () => Promise<T>,
  clock: Clock,
  freshMs: number,
): () => Promise<T | null> {
  let last: T | null = null;
  let reading: Promise<void> | null = null;
  let readMs = Number.NEGATIVE_INFINITY;
  const reread = async () => {
    try {
      last = await read();
    } catch {
      // A later scrape tries again.
    } finally {
      reading = null;
    }
  };
  return async () => {
    if (reading === null && clock() - readMs >= freshMs) {
      readMs = clock();
      reading = reread();
    }
    await reading;
    return last;
  };
}

function byRail({ purchases }: ShopTotals, of: (one: ShopTotals['purchases'][number]) => number) {
  const found = new Map<string, number>(purchases.map((one) => [one.rail, of(one)]));
  return Object.fromEntries(rails.map((rail) => [rail, found.get(rail) ?? 0]));
}
