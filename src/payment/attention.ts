import type { Money } from '@sluice/kernel/money';

/** A number of like problems, and the times of the first and the last of them; null when no time is known. */
export type Problem = {
  count: number;
  firstMs: number | null;
  lastMs: number | null;
  /** The sum of the payments, for problems of payments. */
  amount?: Money;
  /** The first time until which the seller can act, for problems that end by themselves. */
  dueMs?: number;
};

/** The problems that the database knows of, by kind. Counts end at `problemsMax`. */
export const problemKinds = [
  'in_doubt',
  'unreconciled',
  'disputes',
  'inquiries',
  'webhook_events',
  'past_due',
  'declined',
  'mail_failed',
  'mail_waiting',
  'events_failed',
  'events_waiting',
  'endpoints_disabled',
  'uncountable',
  'above_hold',
] as const;
export type ProblemKind = (typeof problemKinds)[number];
export const problemsMax = 1_000;

/** The responses of the upstream in a while, and how many of them were server errors. */
export type ErrorShare = Problem & { calls: number };

/** A mail that could not be sent, or was tried several times. Recipient and text of a message that has ended are erased. */
export type FailedMail = {
  id: number;
  state: 'waiting' | 'refused' | 'expired';
  /** Null once the message has ended. */
  recipient: string | null;
  subject: string | null;
  attempts: number;
  createdMs: number;
};

/** Finds what a seller should look at. */
export interface AttentionReport {
  problems(sinceMs: number): Promise<Readonly<Record<ProblemKind, Problem>>>;
  /** The sum in open disputes. An inquiry has taken no money, and does not count. */
  disputed(): Promise<Money>;
  upstreamErrors(sinceMs: number): Promise<ErrorShare>;
  /** The time of the last signed webhook event of the card processor; null before the first. */
  lastWebhookEvent(): Promise<number | null>;
  failedMails(sinceMs: number, max: number): Promise<FailedMail[]>;
}

/** The limits beyond which a figure needs attention. */
export type AttentionLimits = { marginPercentMin: number; errorPercentMax: number };
