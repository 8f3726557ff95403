import type postgres from 'postgres';
import * as Customer from './customer.ts';
import * as Program from './program.ts';

/** The databases of shops by the URL of their mail server, so that queued mail can be awaited before mail is read. */
const queues = new Map<string, postgres.Sql[]>();

/** Makes `mailsTo` wait for the mail that this shop has queued. */
export function watch(smtpUrl: string, sql: postgres.Sql): void {
  queues.set(smtpUrl, [...(queues.get(smtpUrl) ?? []), sql]);
}

async function queued(smtpUrl: string, email: string): Promise<void> {
  for (const sql of queues.get(smtpUrl) ?? [])
    while ((await sql`SELECT 1 FROM shop.mail WHERE recipient = ${email} AND state = 'waiting'`).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A real mail server that exposes the mail it receives. */
export type Mailbox = {
  /** The settings that make a storefront send its mail there. */
  env: { SMTP_URL: string; MAIL_FROM: string };
  /** Returns the mail to an address, the oldest first. */
  mailsTo(email: string): Promise<{ subject: string; text: string }[]>;
  stop(): Promise<unknown>;
};

export async function open(): Promise<Mailbox> {
  const [page, smtp] = [await Program.freePort(), await Program.freePort()];
  const program = await Program.start('packages/dev-mailbox/src/main.ts', {
    MAILBOX_PORT: String(page),
    MAILBOX_SMTP_PORT: String(smtp),
  });
  const smtpUrl = `smtp://127.0.0.1:${smtp}`;
  return {
    env: { SMTP_URL: smtpUrl, MAIL_FROM: 'Shop <shop@shop.example>' },
    async mailsTo(email) {
      await queued(smtpUrl, email);
      const url = `http://127.0.0.1:${page}/mails?to=${encodeURIComponent(email)}`;
      return (await Customer.send({ method: 'GET', url })).body.mails;
    },
    stop: () => program.stop(),
  };
}
