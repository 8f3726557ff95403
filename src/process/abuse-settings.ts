import type { Retention } from '../adapters/postgres/retention.ts';
import type { CardLimits } from '../payment/card-attempt.ts';
import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';

const wholeMax = 1_000_000;

/** Limits against card testing (docs/payments.md#card-testing), and how long personal data is kept (docs/privacy.md). */
export const abuseSettings = {
  CARD_DECLINES_MAX: {
    schema: Schema.wholeNumber(1, 1_000),
    default: '5',
    about:
      'Declined payments of one card or account after which further attempts have to wait; an address has four times as many. After twice as many they are stopped ([payments.md](payments.md#card-testing)).',
  },
  CARD_DECLINE_WAIT_SECONDS: {
    schema: Schema.wholeNumber(1, 86_400),
    default: '60',
    about: 'First of these waits in seconds. It doubles with each further decline, up to 16 times.',
  },
  CARD_DECLINE_STOP_HOURS: {
    schema: Schema.wholeNumber(1, 24 * 30),
    default: '24',
    about:
      'Time for which declines count, and for which payments are stopped after too many of them, in hours.',
  },
  CARD_PAGES_PER_HOUR: {
    schema: Schema.wholeNumber(1, wholeMax),
    default: '30',
    about: 'Hosted card pages that one account may open in an hour; an address may open four times as many.',
  },
  CARD_CHARGES_KEEP_DAYS: {
    schema: Schema.wholeNumber(1, 36_500),
    default: '180',
    about:
      'Days for which the risk assessment of a declined charge is kept. The assessment of a paid order is kept with the order.',
  },
  WEBHOOK_EVENTS_KEEP_DAYS: {
    schema: Schema.wholeNumber(31, 36_500),
    default: '400',
    about:
      'Days for which ids and types of processed webhook events are kept. Stripe can send an event again for 30 days, and a known one does nothing.',
  },
  TRIAL_PROOFS_KEEP_DAYS: {
    schema: Schema.wholeNumber(1, 36_500),
    default: '730',
    about:
      'Days for which a mailbox, card or wallet that had a trial gets no other one (`once_per` in [catalog.md](catalog.md#one-trial-per-person)). Only keyed digests are stored.',
  },
  ACCOUNT_EVENTS_KEEP_DAYS: {
    schema: Schema.wholeNumber(1, 36_500),
    default: '400',
    about: 'Days for which the activity of an account is kept ([teams.md](teams.md#activity)).',
  },
  EVENTS_KEEP_DAYS: {
    schema: Schema.wholeNumber(7, 36_500),
    default: '400',
    about:
      'Days for which the seller’s events and their deliveries are kept. They can be delivered again and exported for that time ([events.md](events.md)).',
  },
} satisfies Record<string, Setting>;

type Read = (name: keyof typeof abuseSettings) => number;

/** Reads the limits against card testing. */
export function readCardLimits(read: Read): CardLimits {
  return {
    declinesMax: read('CARD_DECLINES_MAX'),
    waitSeconds: read('CARD_DECLINE_WAIT_SECONDS'),
    stopSeconds: read('CARD_DECLINE_STOP_HOURS') * 3_600,
    pagesPerHour: read('CARD_PAGES_PER_HOUR'),
  };
}

/** Reads how long data is kept. */
export function readRetention(read: Read): Retention {
  return {
    cardAttemptsHours: read('CARD_DECLINE_STOP_HOURS'),
    cardChargesHours: read('CARD_CHARGES_KEEP_DAYS') * 24,
    webhookEventsHours: read('WEBHOOK_EVENTS_KEEP_DAYS') * 24,
    trialProofsHours: read('TRIAL_PROOFS_KEEP_DAYS') * 24,
    accountEventsHours: read('ACCOUNT_EVENTS_KEEP_DAYS') * 24,
    sellerEventsHours: read('EVENTS_KEEP_DAYS') * 24,
  };
}
