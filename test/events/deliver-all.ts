import { openEventSender } from '../../src/adapters/event-sender.ts';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { EventDelivery } from '../../src/journeys/event-delivery.ts';
import type { SellerEvents } from '../../src/payment/event.ts';
import * as EventEndpoint from '../../src/payment/event-endpoint.ts';

/** Delivers events to this machine until nothing is due. Further attempts follow at once. @param reports receives what is reported */
export async function deliverAll(
  sql: Connection.Connection,
  events: SellerEvents,
  reports: string[] = [],
  includesEmail = false,
): Promise<void> {
  const sender = openEventSender({ local: true, private: false });
  const report = (event: string) => void reports.push(event);
  const context = { events, sender, includesEmail, clock: Date.now, report };
  const delivery = new EventDelivery(context, (tries) => EventEndpoint.retryMs(tries, 0.5) && 0);
  const due =
    () => sql`SELECT FROM shop.event_lane l JOIN shop.event_endpoint p ON p.id = l.endpoint_id AND p.state = 'on'
    UNION ALL SELECT FROM shop.event WHERE position IS NULL`;
  do await delivery.run();
  while ((await due()).length > 0);
  await delivery.drain(1_000);
  await sender.close();
}
