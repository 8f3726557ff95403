import * as Customer from './customer.ts';
import * as Program from './program.ts';

/** A real mail server that shows what it is sent. */
export type Mailbox = {
  /** What a storefront is told to send its mail there. */
  env: { SMTP_URL: string; MAIL_FROM: string };
  /** What came for an address, the oldest first. */
  mailsTo(email: string): Promise<{ subject: string; text: string }[]>;
  stop(): Promise<unknown>;
};

export async function open(): Promise<Mailbox> {
  const [page, smtp] = [await Program.freePort(), await Program.freePort()];
  const program = await Program.start('mailbox/main.ts', {
    MAILBOX_PORT: String(page),
    MAILBOX_SMTP_PORT: String(smtp),
  });
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${smtp}`, MAIL_FROM: 'Shop <shop@shop.example>' },
    async mailsTo(email) {
      const url = `http://127.0.0.1:${page}/mails?to=${encodeURIComponent(email)}`;
      return (await Customer.send({ method: 'GET', url })).body.mails;
    },
    stop: () => program.stop(),
  };
}
