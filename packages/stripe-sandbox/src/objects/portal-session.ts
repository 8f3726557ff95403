import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A customer's visit to the page on which they end their subscriptions, read their invoices and change their details. */
export type PortalSession = Stored<Stripe.BillingPortal.Session>;

export const portalSessions = Store.table<PortalSession>('portal_sessions');

/** A link that is not followed in time leads nowhere any more. */
const lifeSeconds = 3_600;

export function create(
  ctx: RequestContext,
  draft: { configuration?: string | undefined; customer: string; return_url?: string | undefined },
): PortalSession {
  const sessionId = id('bps');
  const session = Store.put(ctx.store, portalSessions, {
    id: sessionId,
    object: 'billing_portal.session',
    configuration: draft.configuration ?? 'bpc_sandbox',
    created: ctx.now,
    customer: draft.customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: draft.return_url ?? null,
    url: `${ctx.publicUrl}/c/portal/${sessionId}`,
  });
  Event.record(ctx, 'billing_portal.session.created', session);
  return session;
}

export function isOver({ created }: PortalSession, now: number): boolean {
  return created + lifeSeconds <= now;
}
