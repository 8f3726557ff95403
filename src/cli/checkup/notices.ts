import postgres from 'postgres';
import * as Finding from './finding.ts';

const { ok, unproved } = Finding.of('cards');

/** Whether the signing secret is right shows in what was taken: a notice with another signature is refused. */
export async function look(databaseUrl: string): Promise<Finding.Finding> {
  const none = unproved(
    'whether STRIPE_WEBHOOK_SECRET is right: no signed notice has come yet',
    'pay once, or send a test notice from the dashboard',
  );
  const sql = postgres(databaseUrl, {
    max: 1,
    onnotice: () => {},
    connect_timeout: Finding.answerMsMax / 1_000,
  });
  try {
    const [row] = await sql<[{ at: Date | null }]>`SELECT max(received_at) AS at FROM shop.processor_event`;
    return row.at === null ? none : ok(`the last signed notice came at ${row.at.toISOString()}`);
  } catch {
    return none;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
