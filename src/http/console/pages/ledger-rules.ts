import * as Money from '@sluice/kernel/money';
import type { LedgerFault } from '../../../ledger/verification.ts';
import { money } from './figures.ts';

/** A broken rule for the seller. `details` are figures of the ledger, `effect` what it may mean for a buyer; null when there is none to name. */
type ExplainedFault = { what: string; effect: string | null; details: string };

const sum = (digits: string) => money(Money.ofMicro(Number(digits)));
/** A number that is not part of an id, a date or another number. */
const bare = /(?<![\w.-])\d{1,15}(?![\w.-])/g;

/** The rules whose faults a seller can judge. `hasSums`: all numbers in the details are sums. */
const explained: Readonly<
  Record<string, { what: string; effect: string; hasSums?: boolean; sentence?: RegExp }>
> = {
  'a payment has its order': {
    what: 'A payment of $1 ($2) has no completed purchase.',
    effect: 'The buyer may have paid without getting credit.',
    hasSums: true,
    sentence: /^(.+) by (.+)$/,
  },
  'an order has its payment': {
    what: 'A purchase differs from the record of its payment.',
    effect: 'The buyer may have credit that was not paid.',
    hasSums: true,
  },
  'a granted order has its one lot': {
    what: 'A paid purchase has no credit, or credit that differs from it.',
    effect: 'The buyer may have less or more than they paid for.',
  },
  'a paid lot has its order': {
    what: 'Credit was added as paid, without a completed purchase.',
    effect: 'The buyer may have credit that was not paid.',
  },
  'what was reversed is taken back or owed': {
    what: 'A refunded or disputed purchase still has its credit.',
    effect: 'The buyer may use credit that was returned.',
  },
  'no more tax goes back than was paid': {
    what: 'More tax was refunded than was paid.',
    effect: 'You may have refunded too much.',
    hasSums: true,
  },
  'an account receives no more than it paid for': {
    what: 'An account received more than it paid for.',
    effect: 'The buyer may have used your API without paying.',
  },
};

export function explain({ rule, detail }: LedgerFault): ExplainedFault {
  const known = explained[rule];
  const details = known?.hasSums
    ? detail.replace(bare, sum)
    : detail.replace(/\b(\d{1,15}) micro-dollars/g, (_, digits: string) => sum(digits));
  if (known === undefined) return { what: `A rule of the ledger is broken: ${rule}.`, effect: null, details };
  const { what, effect, sentence } = known;
  if (sentence === undefined) return { what, effect, details };
  return sentence.test(details)
    ? { what: details.replace(sentence, what), effect, details: '' }
    : { what: what.replace(/ of \$1 \(\$2\)/, ''), effect, details };
}

/** Returns true when details contain a number other than a sum in USD or a part of an id or a date. */
export function hasBareNumbers(details: string): boolean {
  return /(?<![\w.]|[\w.]-)\d{1,15}(?![\w.-])/.test(details.replace(/[\d,]+\.\d+ USD/g, ''));
}
