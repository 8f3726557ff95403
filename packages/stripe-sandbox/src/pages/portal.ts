import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Env } from '../api.ts';
import * as PortalSession from '../objects/portal-session.ts';
import { products } from '../objects/product.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import { formatAmount, type Html, layout, noticePage } from './layout.ts';

type Answer = Response | Promise<Response>;

/** The page on which a customer ends a subscription with its period, and thinks better of it. */
export function portal(app: Hono<Env>, acted: (deed: (ctx: RequestContext) => Answer) => Answer): void {
  app.get('/portal/:session', (c) => acted((ctx) => show(c, ctx)));
  app.post('/portal/:session/:subscription', async (c) => {
    const { leaves } = await c.req.parseBody();
    return acted((ctx) => change(c, ctx, leaves === 'yes'));
  });
}

function show(c: Context<Env>, ctx: RequestContext): Answer {
  const session = sessionOf(c, ctx);
  return session === undefined ? nothingHere(c) : c.html(portalPage(ctx, session));
}

function change(c: Context<Env>, ctx: RequestContext, leaves: boolean): Answer {
  const session = sessionOf(c, ctx);
  const subscription = subscriptionsOf(ctx, session).find(({ id }) => id === c.req.param('subscription'));
  if (session === undefined || subscription === undefined) return nothingHere(c);
  const at = TestClock.at(ctx, subscription.test_clock);
  const wanted = leaves ? Subscription.leaving(at, subscription) : Subscription.staying(subscription);
  if (subscription.cancel_at_period_end !== leaves) Subscription.update(at, subscription.id, wanted);
  return c.redirect(`/c/portal/${session.id}`, 303);
}

function sessionOf(c: Context<Env>, ctx: RequestContext): PortalSession.PortalSession | undefined {
  const session = Store.get(ctx.store, PortalSession.portalSessions, c.req.param('session') ?? '');
  return session === undefined || PortalSession.isOver(session, ctx.now) ? undefined : session;
}

function nothingHere(c: Context<Env>): Answer {
  return c.html(noticePage('Page not found', 'This link is no longer open. Go back to the shop.'), 404);
}

function subscriptionsOf(
  ctx: RequestContext,
  session?: PortalSession.PortalSession,
): Subscription.Subscription[] {
  return Store.all(ctx.store, Subscription.subscriptions).filter(
    (subscription) => subscription.customer === session?.customer && Subscription.isLive(subscription),
  );
}

function portalPage(ctx: RequestContext, session: PortalSession.PortalSession): Html {
  const subscriptions = subscriptionsOf(ctx, session);
  return layout(
    'Your subscriptions',
    html`<main class="panel notice">
      <h1>Your subscriptions</h1>
      ${subscriptions.length === 0 ? html`<p>There is none.</p>` : ''}
      ${subscriptions.map((subscription) => row(ctx, session, subscription))}
      ${session.return_url ? html`<p><a href="${session.return_url}">Back to the shop</a></p>` : ''}
    </main>`,
  );
}

function row(
  { store }: RequestContext,
  session: PortalSession.PortalSession,
  subscription: Subscription.Subscription,
): Html {
  const { id, items, currency, cancel_at_period_end: leaves } = subscription;
  const names = items.data.map(
    ({ price }) => Store.get(store, products, price.product)?.name ?? 'Subscription',
  );
  const amount = items.data.reduce((sum, { price, quantity }) => sum + price.unit_amount * quantity, 0);
  const end = new Date(Subscription.period(subscription).end * 1_000).toISOString().slice(0, 10);
  const price = formatAmount(amount, currency);
  return html`<section class="plan">
    <p><strong>${names.join(', ')}</strong><br />${leaves ? `Ends on ${end}` : `${price}, next on ${end}`}</p>
    <form method="post" action="/c/portal/${session.id}/${id}">
      <button type="submit" class="second" name="leaves" value="${leaves ? 'no' : 'yes'}">
        ${leaves ? 'Keep it' : 'Cancel at its end'}
      </button>
    </form>
  </section>`;
}
