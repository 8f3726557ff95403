import { statfs } from 'node:fs/promises';
import * as Money from '@sluice/kernel/money';
import {
  conditionOf,
  type LedgerWriterState,
  type ModelUsage,
  marginPercent,
} from '../ledger/usage-report.ts';
import type { Problem, ProblemKind } from '../payment/attention.ts';
import { problemsMax } from '../payment/attention.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import * as BooksCheck from './books-check.ts';
import { inTime } from './in-time.ts';
import type { SellerContext } from './seller-context.ts';

const dayMs = 86_400_000;
/** Failed mail, declined payments and uncountable responses of this time are listed. */
export const recentMs = 7 * dayMs;
const errorsOfMs = dayMs;
/** Less free space than this on the disk of the process needs attention. */
const diskFreeBytesMin = 1_073_741_824;
const diskFreeShareMin = 0.05;

/** One kind of task on the front page. */
export type Task = Problem & {
  kind:
    | ProblemKind
    | 'refund_requests'
    | 'flagged'
    | 'upstream_errors'
    | 'slowed'
    | 'low_margins'
    | 'books'
    | 'silent'
    | 'holds_credit'
    | 'low_disk'
    | 'hidden_addresses';
  /** A figure for the text: a share in percent, or the bytes that are left. */
  figure?: number;
};

export type AttentionContext = Pick<
  PaymentContext,
  'clock' | 'fraudSignals' | 'cardAttempts' | 'cardLimits'
> &
  Pick<SellerContext, 'audit' | 'console' | 'refundRequests' | 'attentionLimits'>;

/**
 * Returns what needs the seller's attention, the most urgent first.
 * @param models the usage of the last days, or null when it could not be read in time
 */
export async function tasks(
  shop: AttentionContext,
  models: readonly ModelUsage[] | null,
  writers: readonly LedgerWriterState[],
  isAddressUnknown: boolean,
): Promise<Task[]> {
  const { attention } = shop.console;
  const nowMs = shop.clock();
  const [requests, flagged, slowed, problems, errors, disk, books] = await Promise.all([
    shop.refundRequests.list('open', null, problemsMax),
    shop.fraudSignals.open(problemsMax),
    shop.cardAttempts.slowed(shop.cardLimits),
    attention.problems(nowMs - recentMs),
    upstreamErrors(shop, nowMs),
    lowDisk(),
    BooksCheck.last(shop),
  ]);
  const of = (kind: ProblemKind): Task => ({ kind, ...problems[kind] });
  const found: (Task | null)[] = [
    { kind: 'refund_requests', ...span(requests.map(({ askedMs }) => askedMs)), ...sum(requests) },
    of('disputes'),
    of('inquiries'),
    of('in_doubt'),
    of('unreconciled'),
    { kind: 'books', ...span(books === null ? [] : [books.atMs]), count: books?.violations ?? 0 },
    { kind: 'flagged', ...span(flagged.map(({ createdMs }) => createdMs)), ...sum(flagged) },
    { kind: 'slowed', ...span([]), count: slowed },
    of('webhook_events'),
    of('past_due'),
    errors,
    of('uncountable'),
    of('above_hold'),
    { kind: 'low_margins', ...span([]), count: lowMargins(shop, models).length },
    of('mail_failed'),
    of('mail_waiting'),
    of('endpoints_disabled'),
    of('events_failed'),
    of('events_waiting'),
    of('declined'),
    inCondition(writers, 'silent', nowMs),
    inCondition(writers, 'holds_credit', nowMs),
    disk,
    { kind: 'hidden_addresses', ...span([]), count: isAddressUnknown ? 1 : 0 },
  ];
  return found.filter((task) => task !== null).filter(({ count }) => count > 0);
}

/** Returns the services and models whose margin is known and below the limit. */
export function lowMargins<U extends ModelUsage>(
  { attentionLimits }: Pick<SellerContext, 'attentionLimits'>,
  models: readonly U[] | null,
): U[] {
  return (models ?? []).filter(({ margin }) => {
    const percent = marginPercent(margin);
    return percent !== null && percent < attentionLimits.marginPercentMin;
  });
}

async function upstreamErrors(
  shop: Pick<SellerContext, 'console' | 'attentionLimits'>,
  nowMs: number,
): Promise<Task | null> {
  // The statement reads every call of the day; when it takes too long, the figure is left out.
  const share = await inTime(shop.console.attention.upstreamErrors(nowMs - errorsOfMs));
  if (share === null || share.calls === 0) return null;
  const percent = (100 * share.count) / share.calls;
  if (percent <= shop.attentionLimits.errorPercentMax) return null;
  return { kind: 'upstream_errors', ...share, figure: Math.round(percent * 10) / 10 };
}

/** The database on another machine is not seen: its own alerts cover it. */
async function lowDisk(): Promise<Task | null> {
  const disk = await statfs(process.cwd()).catch(() => null);
  if (disk === null || disk.blocks === 0) return null;
  const free = disk.bavail * disk.bsize;
  const isLow = free < diskFreeBytesMin || disk.bavail / disk.blocks < diskFreeShareMin;
  return isLow ? { kind: 'low_disk', ...span([]), count: 1, figure: free } : null;
}

function inCondition(
  writers: readonly LedgerWriterState[],
  kind: 'silent' | 'holds_credit',
  nowMs: number,
): Task {
  const found = writers.filter((one) => conditionOf(one) === kind);
  return { kind, ...span(found.map(({ silentMs }) => nowMs - silentMs)) };
}

function span(timesMs: readonly number[]): Problem {
  if (timesMs.length === 0) return { count: 0, firstMs: null, lastMs: null };
  return { count: timesMs.length, firstMs: Math.min(...timesMs), lastMs: Math.max(...timesMs) };
}

function sum(all: readonly { amount: Money.Money }[]): { amount: Money.Money } {
  return { amount: Money.ofMicro(all.reduce((total, { amount }) => total + amount, 0)) };
}
