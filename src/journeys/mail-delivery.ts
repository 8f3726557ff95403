import type { MailContext } from '../identity/identity-context.ts';
import * as Mail from '../identity/mail.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';

/** Maximum number of messages that one process sends concurrently, so that a slow mail server does not delay all others. */
const underWayMax = 8;

type DeliveryContext = Pick<MailContext, 'outbox' | 'mailer'> & Pick<ProxyContext, 'report'>;

/** Sends queued mail. Create one instance per process. */
export class MailDelivery {
  readonly #underWay = new Set<Promise<void>>();

  /** Starts sending the messages that are due, without waiting for the mail server. Rejects while the database is unavailable. */
  async run(context: DeliveryContext): Promise<void> {
    const { outbox, mailer, report } = context;
    const expired = await outbox.expire();
    if (expired > 0) report('mail_expired', { messages: expired });
    if (mailer === null) return;
    while (this.#underWay.size < underWayMax) {
      const due = await outbox.take();
      if (due === null) return;
      const sending: Promise<void> = send(context, mailer, due)
        .catch((fault: unknown) => report('mail_failed', { fault: String(fault) }))
        .finally(() => this.#underWay.delete(sending));
      this.#underWay.add(sending);
    }
  }

  /** Waits at most `ms` for messages that are being sent. The next process sends the others. */
  async drain(ms: number): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([Promise.all(this.#underWay), late]);
  }
}

async function send(
  { outbox }: Pick<DeliveryContext, 'outbox'>,
  mailer: Mail.Mailer,
  due: Mail.DueMail,
): Promise<void> {
  const posted = await mailer.send({ to: due.to, subject: due.subject, text: due.text }, due.key);
  if (posted === 'sent' || posted === 'refused') await outbox.end(due, posted);
  else if (due.attempt >= Mail.attemptsMax) await outbox.end(due, 'expired');
  else await outbox.retry(due, Mail.retryMs(due.attempt));
}
