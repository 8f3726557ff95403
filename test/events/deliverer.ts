/** A process that delivers events until it is killed. Its waits are short, and it never gives an event up. */
import { openEventSender } from '../../src/adapters/event-sender.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openSellerEvents } from '../../src/adapters/postgres/events.ts';
import { EventDelivery } from '../../src/journeys/event-delivery.ts';
import { secrets } from './secrets.ts';

const leaseMs = 3_000;
const requestMs = 1_000;

/** Delivers the events of a database. Returns a function that stops it. */
export function startDeliverer(
  url: string,
  change: (events: ReturnType<typeof openSellerEvents>) => ReturnType<typeof openSellerEvents> = (events) =>
    events,
): () => Promise<void> {
  const sql = openConnection(url, 3);
  const sender = openEventSender({ local: true, private: false }, requestMs);
  const context = {
    events: change(openSellerEvents(sql, secrets, leaseMs)),
    sender,
    includesEmail: false,
    clock: Date.now,
    report: () => {},
  };
  const delivery = new EventDelivery(context, () => 20 + Math.random() * 50);
  const timer = setInterval(() => void delivery.run().catch(() => undefined), 30);
  return async () => {
    clearInterval(timer);
    await delivery.drain(requestMs * 2);
    await sender.close();
    await sql.end({ timeout: 1 });
  };
}

const [, , url] = process.argv;
if (import.meta.main && url !== undefined) {
  process.on('disconnect', () => process.exit(0));
  process.on('unhandledRejection', () => undefined);
  startDeliverer(url);
  process.send?.('started');
}
