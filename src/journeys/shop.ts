import type { Tracer } from '@sluice/kernel/tracing';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { DiscoveryContext } from '../discovery/discovery-context.ts';
import type { IdentityContext, MailContext, RegistrationContext } from '../identity/identity-context.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import type { AccountMails } from '../payment/account-mail.ts';
import type { BillingRecord } from '../payment/billing-details.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import type { TopUps } from '../payment/top-up.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type { TextsContext } from '../text/texts-context.ts';
import type { QuoteContext } from './quote.ts';
import type { SellerContext } from './seller-context.ts';

/**
 * All dependencies of the journeys. Only the composition knows this type: `src/process` assembles it, and `src/http/app.ts` hands it to the
 * routes. Every other function takes the context of its concern, or a few of its members (docs/architecture.md).
 */
export type Shop = CatalogContext &
  DiscoveryContext &
  IdentityContext &
  RegistrationContext &
  MailContext &
  LedgerContext &
  ProxyContext &
  CheckoutContext &
  TextsContext &
  QuoteContext &
  SellerContext & {
    readonly topUps: TopUps;
    readonly billingDetails: BillingRecord;
    readonly accountMails: AccountMails;
    /** Sends traces to a collector; null when there is none. */
    readonly tracer: Tracer | null;
  };
