import * as PostgresUrl from '@sluice/kernel/postgres-url';
import postgres from 'postgres';
import * as Finding from './finding.ts';

const { ok, unproved } = Finding.findingsOf('cards');

/** Looks for a webhook event that was accepted. One with another signature is rejected, so an accepted event proves the signing secret. */
export async function checkWebhookEvents(databaseUrl: string): Promise<Finding.Finding> {
  const none = unproved(
    'whether STRIPE_WEBHOOK_SECRET is right: no signed event has arrived yet',
    'pay once, or send a test event from the Stripe dashboard',
  );
  const { url, options } = PostgresUrl.driver(databaseUrl);
  const sql = postgres(url, {
    ...options,
    max: 1,
    onnotice: () => {},
    connect_timeout: Finding.answerMsMax / 1_000,
  });
  try {
    const [row] = await sql<[{ at: Date | null }]>`SELECT max(received_at) AS at FROM shop.processor_event`;
    return row.at === null ? none : ok(`the last signed event arrived at ${row.at.toISOString()}`);
  } catch {
    return none;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
