import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';

/** The dependencies of a paid call: what is sold, the credit that pays for it, and the upstream. */
export type PaidCallContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'clock' | 'tokenVerifier'> &
  Omit<LedgerContext, 'usage' | 'storedResults'> &
  Omit<ProxyContext, 'held' | 'runningCalls'>;
