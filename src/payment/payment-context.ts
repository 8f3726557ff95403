import type { Clock } from '@sluice/kernel/clock';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { TextsContext } from '../text/texts-context.ts';
import type { CardAttempts, CardLimits } from './card-attempt.ts';
import type { Secrets } from './challenge.ts';
import type { FraudSignals } from './fraud-signal.ts';
import type { Orders, WebhookEvents } from './order.ts';
import type { Processor } from './processor.ts';
import type { Subscriptions } from './subscription.ts';
import type { Consents } from './top-up-consent.ts';
import type { AcceptedTokens } from './x402/accepted-token.ts';

/** The record of payments, and the parties that move the money. */
export type PaymentContext = {
  readonly clock: Clock;
  readonly orders: Orders;
  readonly subscriptions: Subscriptions;
  readonly consents: Consents;
  readonly webhookEvents: WebhookEvents;
  readonly fraudSignals: FraudSignals;
  readonly cardAttempts: CardAttempts;
  readonly cardLimits: CardLimits;
  readonly processor: Processor;
  /** The settings for payments in dollar tokens; null when they are off. */
  readonly acceptedTokens: AcceptedTokens | null;
  /** Reports an event to the operator, by a stable name. */
  readonly report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
  /** Notices that the credit of an account has changed. */
  readonly writer: { touch(account: string): void };
};

/** The additional dependencies of selling. */
export type CheckoutContext = PaymentContext &
  Pick<CatalogContext, 'publicUrl' | 'catalog' | 'isTaxed' | 'rails'> &
  TextsContext & {
    /** Signs payment challenges; the same in all processes. */
    readonly challengeSecrets: Secrets;
    /** The shop's profile in the card processor's network; empty when it has none. */
    readonly networkId: string;
  };
