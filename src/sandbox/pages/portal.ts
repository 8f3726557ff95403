import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Act } from '../act.ts';
import type { Env } from '../api.ts';
import * as PortalSession from '../objects/portal-session.ts';
import { products } from '../objects/product.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import * as Store from '../store.ts';
import { formatAmount, type Html, layout, noticePage } from './layout.ts';

type Answer = Response | Promise<Response>;

/** The page on which a customer ends a subscription with its period, and thinks better of it. */
export function portal(app: Hono<Env>, acted: (deed: (act: Act) => Answer) => Answer): void {
  app.get('/portal/:session', (c) => acted((act) => show(c, act)));
  app.post('/portal/:session/:subscription', async (c) => {
    const { leaves } = await c.req.parseBody();
    return acted((act) => change(c, act, leaves === 'yes'));
  });
}

function show(c: Context<Env>, act: Act): Answer {
  const session = sessionOf(c, act);
  return session === undefined ? nothingHere(c) : c.html(portalPage(act, session));
}

function change(c: Context<Env>, act: Act, leaves: boolean): Answer {
  const session = sessionOf(c, act);
  const subscription = subscriptionsOf(act, session).find(({ id }) => id === c.req.param('subscription'));
  if (session === undefined || subscription === undefined) return nothingHere(c);
  const at = TestClock.at(act, subscription.test_clock);
  const wanted = leaves ? Subscription.leaving(at, subscription) : Subscription.staying(subscription);
  if (subscription.cancel_at_period_end !== leaves) Subscription.update(at, subscription.id, wanted);
  return c.redirect(`/c/portal/${session.id}`, 303);
}

function sessionOf(c: Context<Env>, act: Act): PortalSession.PortalSession | undefined {
  const session = Store.get(act.store, PortalSession.portalSessions, c.req.param('session') ?? '');
  return session === undefined || PortalSession.isOver(session, act.now) ? undefined : session;
}

function nothingHere(c: Context<Env>): Answer {
  return c.html(noticePage('Page not found', 'This link is no longer open. Go back to the shop.'), 404);
}

function subscriptionsOf(act: Act, session?: PortalSession.PortalSession): Subscription.Subscription[] {
  return Store.all(act.store, Subscription.subscriptions).filter(
    (subscription) => subscription.customer === session?.customer && Subscription.isLive(subscription),
  );
}

function portalPage(act: Act, session: PortalSession.PortalSession): Html {
  const subscriptions = subscriptionsOf(act, session);
  return layout(
    'Your subscriptions',
    html`<main class="panel notice">
      <h1>Your subscriptions</h1>
      ${subscriptions.length === 0 ? html`<p>There is none.</p>` : ''}
      ${subscriptions.map((subscription) => row(act, session, subscription))}
      ${session.return_url ? html`<p><a href="${session.return_url}">Back to the shop</a></p>` : ''}
    </main>`,
  );
}

function row(
  { store }: Act,
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
