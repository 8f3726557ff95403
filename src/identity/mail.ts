/** One message in plain text. */
export type Mail = { to: string; subject: string; text: string };

/**
 * The outcome of one attempt. `refused`: the mailbox does not exist. `rejected`: the mail server refuses the shop's mail for all recipients,
 * and the operator must act. `away`: the mail server is unavailable.
 */
export type Posted = 'sent' | 'refused' | 'rejected' | 'away';

/** Sends mail to a mail server; an adapter implements it. Never rejects, and resolves within a time limit. */
export interface Mailer {
  /** @param id becomes the Message-ID, so that a retry has the same one */
  send(mail: Mail, id: string): Promise<Posted>;
}

/** Mail that must arrive. */
export interface MailQueue {
  /**
   * Queues a message durably: it is sent after this resolves, and retried until it is sent or expires. One message per
   * idempotency key; a repetition does nothing. Rejects while the database is unavailable.
   * @param expiresMs time after which the message is useless; three days from now by default
   */
  enqueue(mail: Mail, idempotencyKey: string, expiresMs?: number): Promise<void>;
  /** Takes as long as `enqueue` and sends nothing, so that the duration of a response does not reveal whether a mail is sent. */
  pretend(idempotencyKey: string): Promise<void>;
}

/** A message that is due. `attempt` counts from 1. */
export type DueMail = Mail & { id: number; key: string; attempt: number };

/** The worker's view of the queue; an adapter implements it. */
export interface Outbox extends MailQueue {
  /** Leases the next due message: no other process gets it until the lease ends. Returns null when none is due. */
  take(): Promise<DueMail | null>;
  /** Completes a message and erases its text. */
  end(due: DueMail, outcome: 'sent' | 'refused' | 'expired'): Promise<void>;
  /** Tries a message again after `waitMs`. */
  retry(due: DueMail, waitMs: number): Promise<void>;
  /** Erases expired messages. Returns their number. */
  expire(): Promise<number>;
}

const firstRetryMs = 5_000;
const retryMsMax = 60 * 60_000;
export const attemptsMax = 100;

/** Returns the delay after a failed attempt: exponential, up to an hour. */
export function retryMs(attempt: number): number {
  return Math.min(firstRetryMs * 2 ** (attempt - 1), retryMsMax);
}
