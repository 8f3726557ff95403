import { Hono } from 'hono';
import * as Description from '../../catalog/description.ts';
import type * as Match from '../../catalog/match.ts';
import type { Operation } from '../../catalog/operation.ts';
import * as AddressBlock from '../../identity/address-block.ts';
import * as Account from '../../journeys/account.ts';
import * as Purchase from '../../journeys/purchase.ts';
import * as Registering from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Wish from '../../payment/wish.ts';
import { address, type Call, type Env } from '../edge.ts';
import * as Frame from '../pages/frame.ts';
import * as Page from '../pages/shop.ts';
import * as TrialCall from '../trial-call.ts';
import * as Visitor from '../visitor.ts';

/** Asked for in the try where the request says how many. */
const fewUnits = 3;

type Edge = { matcher: Match.Matcher; clientAddressHeader: string | null };
/** The visitor's account, or the one that was opened for him; `headers` make the browser remember it. */
type Known =
  | { kind: 'known'; visitor: Visitor.Visitor; headers: Readonly<Record<string, string>> }
  | { kind: 'refused' };

/** The shop for people. `/` is theirs where HTML is preferred; programs get the start document there. */
export function routes(shop: Shop, { matcher, clientAddressHeader }: Edge): Hono<Env> {
  const app = new Hono<Env>();
  const { catalog, publicUrl, description } = shop;
  const sold = catalog.operations.filter(({ answeredBy }) => answeredBy === 'upstream');

  app.get('/', async (c, next) => {
    if (!prefersHtml(c.req.header('accept') ?? '')) {
      await next();
      // Whoever keeps it is not to show it to a browser.
      c.header('vary', 'accept');
      return;
    }
    const operation = sold.find(({ id }) => id === c.req.query('operation')) ?? sold[0];
    return operation === undefined ? next() : front(await Visitor.of(shop, c), blank(operation));
  });

  app.post('/shop/start', async (c) => {
    const opened = await known(c);
    if (opened.kind === 'refused') return tooMany();
    return new Response(null, { status: 303, headers: { ...opened.headers, location: '/' } });
  });

  app.post('/shop/try', async (c) => {
    const form = await Visitor.fields(c);
    const operation = sold.find(({ id }) => id === form.get('operation'));
    if (operation === undefined) return told(404, 'There is no such operation.');
    const asked = { ...blank(operation), path: form.get('path') ?? '', body: form.get('body') ?? '' };
    const opened = await known(c);
    if (opened.kind === 'refused') return tooMany();
    const { token } = opened.visitor.access;
    const trial = await TrialCall.make(shop, matcher, c, { ...asked, token });
    return front(opened.visitor, { ...asked, trial }, opened.headers);
  });

  app.post('/shop/buy', async (c) => {
    const form = await Visitor.fields(c);
    const plan = Purchase.find(catalog.plans, form.get('plan') ?? '');
    if (plan === null) return told(404, 'There is no such plan.');
    const visitor = await Visitor.of(shop, c);
    const wish = {
      ...(plan.kind === 'credit' && { amount_usd: form.get('amount_usd')?.trim() }),
      ...(visitor && { return_url: `${publicUrl}/` }),
    };
    const wished = Wish.parse(wish, plan);
    if (!wished.ok)
      return told(422, `${wished.faults.map(({ field, message }) => `${field}: ${message}`).join('. ')}.`);
    const answer = await Purchase.run(shop, {
      plan,
      ...wished.wish,
      account: visitor?.account ?? null,
      body: Buffer.from(JSON.stringify(wish)),
      credential: { kind: 'none' },
      address: AddressBlock.of(address(c, clientAddressHeader)),
    });
    if (answer.kind !== 'payment_required') return told(409, 'This cannot be bought now.');
    const more = { refresh: `0; url=${answer.checkoutUrl}` };
    return respond(200, 'To the card page', Page.onward(answer.checkoutUrl), more);
  });

  app.post('/shop/leave', async (c) => {
    const assertion = Visitor.assertionOf(c);
    if (assertion !== null)
      await Registering.revoke(shop, new URLSearchParams({ token: assertion }).toString());
    const headers = { location: '/', 'set-cookie': Visitor.forgotten(shop) };
    return new Response(null, { status: 303, headers });
  });
  return app;

  async function known(c: Call): Promise<Known> {
    const visitor = await Visitor.of(shop, c);
    if (visitor) return { kind: 'known', visitor, headers: {} };
    const registered = await Registering.register(shop, address(c, clientAddressHeader));
    if (registered.kind === 'refused') return { kind: 'refused' };
    const { account, access, assertion } = registered;
    const headers = { 'set-cookie': Visitor.remembered(shop, assertion.token) };
    return { kind: 'known', visitor: { account, access }, headers };
  }

  async function front(
    visitor: Visitor.Visitor | null,
    tried: Page.Tried,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const overview = visitor && (await Account.overview(shop, visitor.account));
    const standing = visitor &&
      overview && {
        account: visitor.account,
        balance: String(overview.balance_usd),
        included: Number(overview.included_remaining),
        token: visitor.access.token,
      };
    const main = Page.front({ catalog, description, publicUrl, standing, tried });
    return respond(200, catalog.storefront.name, main, headers);
  }

  /** What the form shows first: the body that the upstream's description shows, for so few results that a trial goes far. */
  function blank(operation: Operation): Page.Tried {
    const { method, path, unitsMax } = operation;
    const example = description.get(Description.key(method, path))?.example;
    const [limit, ...deeper] = unitsMax.kind === 'pointer' ? unitsMax.pointer : [];
    const few = limit !== undefined && deeper.length === 0 && { [limit]: fewUnits };
    const body = method === 'GET' ? '' : JSON.stringify({ ...Object(example), ...few }, null, 2);
    return { operation, path, body, trial: null };
  }

  function told(status: number, message: string): Response {
    return respond(status, 'That did not work', Page.refused(message));
  }

  function tooMany(): Response {
    return told(429, 'Too many accounts were opened from here, or today. Try again later.');
  }

  function respond(
    status: number,
    title: string,
    main: Frame.Html,
    more: Readonly<Record<string, string>> = {},
  ): Response {
    return Frame.respond(status, catalog.storefront, { title, main, more });
  }
}

/** Browsers name HTML before all else; programs take anything, or JSON (RFC 9110, section 12.5.1). */
function prefersHtml(accept: string): boolean {
  const types = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const html = types.indexOf('text/html');
  const json = types.indexOf('application/json');
  return html >= 0 && (json < 0 || html < json);
}
