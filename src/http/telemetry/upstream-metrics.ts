import { Counter, Gauge, type Registry } from 'prom-client';
import type { UpstreamWaits } from '../../proxy/upstream-waits.ts';

/** Registers the waits of calls for a connection at the upstream. */
export function registerUpstreamMetrics(
  register: Registry,
  waits: Pick<UpstreamWaits, 'waiting' | 'ended' | 'endedMs'>,
): void {
  const registers = [register];
  new Gauge({
    name: 'sluice_upstream_waiting',
    help: 'Calls that wait for a connection at the upstream.',
    registers,
    collect() {
      this.set(waits.waiting);
    },
  });
  new Counter({
    name: 'sluice_upstream_waits_total',
    help: 'Calls that have waited for a connection at the upstream, or were refused after a wait.',
    registers,
    collect() {
      this.reset();
      this.inc(waits.ended);
    },
  });
  new Counter({
    name: 'sluice_upstream_wait_seconds_total',
    help: 'Sum of these waits.',
    registers,
    collect() {
      this.reset();
      this.inc(waits.endedMs / 1_000);
    },
  });
}
