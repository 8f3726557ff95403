import { openEventSender } from '../adapters/event-sender.ts';
import * as Notify from '../adapters/postgres/notify.ts';
import { EventDelivery } from '../journeys/event-delivery.ts';
import type { EventRules } from './event-settings.ts';
import * as PeriodicJob from './periodic-job.ts';
import type { Resources } from './resources.ts';

const everyMs = 1_000;
const drainMsMax = 5_000;

/**
 * Encrypts stored secrets by the first key, and delivers the seller's events every second and as soon as one is announced. `stop` waits a few seconds for requests under way.
 */
export async function start(
  { log, listener, kept }: Resources,
  rules: EventRules,
): Promise<PeriodicJob.PeriodicJob> {
  const sender = openEventSender(rules.allows);
  const delivery = new EventDelivery({
    events: kept.console.events,
    sender,
    includesEmail: rules.includesEmail,
    clock: kept.clock,
    report: kept.report,
  });
  const { unreadable } = await kept.console.events.reseal();
  for (const one of unreadable) kept.report('event_secret_unreadable', one);
  const job = PeriodicJob.start(log, 'events', everyMs, () => delivery.run());
  await Notify.listenToEvents(listener, job.tick);
  return {
    ...job,
    async stop() {
      await job.stop();
      await delivery.drain(drainMsMax);
      await sender.close();
    },
  };
}
