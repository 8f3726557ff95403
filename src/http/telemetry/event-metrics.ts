import type { Clock } from '@sluice/kernel/clock';
import { Gauge, type Registry } from 'prom-client';
import type { EventTotals } from '../../payment/event.ts';
import { remembered } from './shop-metrics.ts';

const freshMs = 10_000;

const families: readonly { name: string; help: string; of: (found: EventTotals, nowMs: number) => number }[] =
  [
    {
      name: 'sluice_seller_events_waiting',
      help: 'Deliveries of the seller’s events that wait for an endpoint.',
      of: ({ waiting }) => waiting,
    },
    {
      name: 'sluice_seller_events_failed',
      help: 'Deliveries of the seller’s events that were given up and are kept.',
      of: ({ failed }) => failed,
    },
    {
      name: 'sluice_seller_events_oldest_seconds',
      help: 'Age of the oldest event that an enabled endpoint has not received; 0 if there is none.',
      of: ({ oldestMs }, nowMs) => (oldestMs === null ? 0 : Math.max(0, nowMs - oldestMs) / 1_000),
    },
    {
      name: 'sluice_seller_event_endpoints_disabled',
      help: 'Endpoints of the seller’s events that are disabled.',
      of: ({ disabled }) => disabled,
    },
  ];

/** Registers what waits in the outbox of the whole shop: the same in every process, so use `max`, not `sum`. */
export function registerEventMetrics(
  register: Registry,
  read: () => Promise<EventTotals>,
  clock: Clock,
): void {
  const totals = remembered(read, clock, freshMs);
  for (const { name, help, of } of families)
    new Gauge({
      name,
      help,
      registers: [register],
      async collect() {
        const found = await totals();
        if (found !== null) this.set(of(found, clock()));
      },
    });
}
