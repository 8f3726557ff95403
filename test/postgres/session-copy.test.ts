import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { createMigrated } from '../support/database.ts';

const migration = readFileSync('migrations/0016_member_session.sql', 'utf8');

test('an upgrade lists the sessions that go on: those of persons who are in the account, begun and not ended, each once', async () => {
  const database = await createMigrated();
  const sql = openConnection(database.url, 1);
  const signedIn = (account: string, who: string, session: string, days: number) =>
    sql`INSERT INTO shop.account_event (account_id, who, act, subject, detail, at) VALUES (${account}, ${who}, 'signed_in', ${who},
      jsonb_build_object('session', ${session}::text, 'device', ${`${session} on ${account}`}::text), now() - ${days}::integer * interval '1 day')`;
  try {
    await sql`INSERT INTO shop.account (id, origin) VALUES ('acc_1', 'anonymous'), ('acc_2', 'anonymous')`;
    await sql`INSERT INTO shop.member (id, account_id, email, role, joined_at) VALUES
      ('mem_ada', 'acc_1', 'ada@x.example', 'owner', now() - interval '200 days'), ('mem_other', 'acc_2', 'ada@x.example', 'viewer', now() - interval '200 days'),
      ('mem_again', 'acc_1', 'again@x.example', 'viewer', now() - interval '1 day')`;
    await signedIn('acc_1', 'ada@x.example', 'ses_open', 8);
    await signedIn('acc_1', 'ada@x.example', 'ses_moved', 7);
    await signedIn('acc_2', 'ada@x.example', 'ses_moved', 6);
    await signedIn('acc_1', 'ada@x.example', 'ses_ended', 5);
    await signedIn('acc_1', 'ada@x.example', 'ses_expired', 91);
    await signedIn('acc_1', 'stranger@x.example', 'ses_left', 4);
    // From before the person was removed and invited again.
    await signedIn('acc_1', 'again@x.example', 'ses_former', 3);
    await sql`INSERT INTO shop.revocation (id, expires_at) VALUES ('ses_ended', now() + interval '80 days')`;
    const copy = migration.split('--> statement-breakpoint').find((one) => one.includes('INSERT INTO')) ?? '';
    await sql.unsafe(copy);
    const rows = await sql`SELECT id, member_id, device FROM shop.member_session ORDER BY id`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'ses_moved', member_id: 'mem_other', device: 'ses_moved on acc_2' },
      { id: 'ses_open', member_id: 'mem_ada', device: 'ses_open on acc_1' },
    ]);
  } finally {
    await sql.end();
    await database.drop();
  }
});
