import { Hono } from 'hono';
import * as AccountKey from '../../identity/account-key.ts';
import * as Claim from '../../identity/claim.ts';
import * as Account from '../../journeys/account.ts';
import * as AccountKeys from '../../journeys/account-keys.ts';
import * as Claiming from '../../journeys/claiming.ts';
import * as PlanChange from '../../journeys/plan-change.ts';
import * as Receipts from '../../journeys/receipts.ts';
import * as RefundRequests from '../../journeys/refund-requests.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as TopUps from '../../journeys/top-up.ts';
import * as Money from '../../kernel/money.ts';
import type { Call as MadeCall } from '../../ledger/usage.ts';
import * as RefundRequest from '../../payment/refund-request.ts';
import * as TopUp from '../../payment/top-up.ts';
import { address, type Call, type Env } from '../edge.ts';
import * as Page from '../pages/account.ts';
import * as Frame from '../pages/frame.ts';
import * as SignInPage from '../pages/sign-in.ts';
import * as Visitor from '../visitor.ts';

const dayMs = 86_400_000;
const spanMs = 30 * dayMs;
const shownCallsMax = 25;
const pageCalls = 500;
const csvCallsMax = 50_000;

type Notice = Page.Facts['notice'];
type Deed = (c: Call, visitor: Visitor.Visitor, form: URLSearchParams) => Promise<Notice>;

/** The account of whoever looks at the pages: the same journeys as under `/account`, for people. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  const { catalog } = shop;

  app.get('/shop/account', async (c) => {
    const visitor = await Visitor.of(shop, c);
    return visitor ? page(c, visitor, null) : door(200, null);
  });

  const deed = (path: string, act: Deed) =>
    app.post(`/shop/account/${path}`, async (c) => {
      const visitor = await Visitor.of(shop, c);
      if (visitor === null) return door(401, 'Your browser has no account here any more.');
      const notice = shop.desk.frozen.has(visitor.account)
        ? bad('This shop has frozen your account: it may be looked at. Write to the contact of the shop.')
        : await act(c, visitor, await Visitor.fields(c));
      return page(c, visitor, notice, path === 'claim' && notice?.isBad === false);
    });

  deed('keys', async (_, { account }, form) => {
    const days = form.get('days')?.trim() || null;
    const budget_usd = form.get('budget_usd')?.trim() || null;
    const endMs = days === null ? null : shop.clock() + Number(days) * dayMs;
    const isDays = endMs === null || (/^\d{1,4}$/.test(days ?? '') && Number(days) > 0);
    if (!isDays) return bad('Days: a whole number from 1 to 9999.');
    const expires_at = endMs === null ? null : new Date(endMs).toISOString();
    const wish = AccountKey.parse({ name: form.get('name'), budget_usd, expires_at }, [], shop.clock());
    if (wish.kind === 'faults') return faulty(wish.faults);
    const made = await AccountKeys.make(shop, account, wish.terms);
    if (made === null) return bad(`An account has at most ${AccountKey.keysMax} keys: end one first.`);
    return { text: 'Your key. It is shown this once: keep it.', secret: made.key ?? null, isBad: false };
  });

  deed('keys/end', async (_, { account }, form) =>
    (await AccountKeys.revoke(shop, account, form.get('key') ?? ''))
      ? good('The key has ended, everywhere.')
      : bad('This account has no such key.'),
  );

  for (const [path, cancels] of [
    ['cancel', true],
    ['resume', false],
  ] as const) {
    deed(path, async (_, { account }, form) => {
      const changed = await PlanChange.cancel(shop, account, form.get('plan') ?? '', cancels);
      if (changed.kind !== 'done') return bad('This account has no such plan that renews.');
      return good(cancels ? 'It ends with its period; what is paid stays.' : 'It goes on.');
    });
  }

  deed('top-up', async (_, { account }, form) => {
    const plan = TopUps.planOf(shop);
    if (plan === null) return bad('This shop sells no credit that could be topped up.');
    const wish = TopUp.parse(Object.fromEntries(form), plan);
    if (wish.kind === 'fault') return faulty(wish.faults);
    const changed = await TopUps.change(shop, account, plan, wish.kind === 'on' ? wish.terms : null);
    return changed.kind === 'done'
      ? good('Agreed.')
      : bad('No card of this account is on file: pay once on the card page, and come back.');
  });

  deed('top-up/end', async (_, { account }) => {
    await shop.topUps.end(account);
    return good('No card is charged by itself any more.');
  });

  deed('refund', async (_, { account }, form) => {
    const amount_usd = form.get('amount_usd')?.trim();
    const asking = RefundRequest.parse({ reason: form.get('reason'), ...(amount_usd && { amount_usd }) });
    if (asking.kind === 'fault') return faulty(asking.faults);
    const asked = await RefundRequests.ask(shop, account, form.get('purchase') ?? '', asking);
    switch (asked.kind) {
      case 'asked':
        return asked.isNew
          ? good('The seller is told, and answers here.')
          : bad('You have asked for this one.');
      case 'too_much':
        return bad(`Of this purchase ${Money.format(asked.left)} USD can go back.`);
      case 'not_paid':
      case 'unknown_purchase':
        return bad('This account has paid no such purchase.');
    }
  });

  deed('claim', async (c, _, form) => {
    const asked = Claim.parseOpening({ claim_token: Visitor.assertionOf(c) ?? '', email: form.get('email') });
    if (shop.claiming === null) return bad('This shop sends no mail.');
    if (asked.kind === 'fault') return faulty(asked.faults);
    const opened = await Claiming.open(shop, shop.claiming, asked, address(c, clientAddressHeader));
    return opened.kind === 'opened' ? good('A code is on its way.') : bad(refusals[opened.kind]);
  });

  deed('claim/complete', async (c, visitor, form) => {
    const asked = Claim.parseCompletion({ claim_token: Visitor.assertionOf(c) ?? '', otp: form.get('otp') });
    if (shop.claiming === null) return bad('This shop sends no mail.');
    if (asked.kind === 'fault') return faulty(asked.faults);
    const done = await Claiming.complete(shop, shop.claiming, asked);
    if (done.kind !== 'claimed') return bad(refusals[done.kind]);
    visitor.account = done.account;
    return good(done.joined ? 'This account is a part of the one that you had.' : 'The account is yours.');
  });

  app.get('/shop/account/calls.csv', async (c) => {
    const visitor = await Visitor.of(shop, c);
    if (visitor === null) return door(401, 'Your browser has no account here any more.');
    const toMs = shop.clock() + 1;
    const lines = ['call,at,service,operation,status,units,included_units,cost_usd,key,given_back'];
    let before: string | null = null;
    while (lines.length <= csvCallsMax) {
      const found: MadeCall[] = await shop.usage.calls(
        visitor.account,
        toMs - spanMs,
        toMs,
        before,
        pageCalls,
      );
      lines.push(...found.map(line));
      before = found.at(-1)?.callId ?? null;
      if (found.length < pageCalls) break;
    }
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="calls.csv"',
      'cache-control': 'no-store',
    };
    return new Response(`${lines.join('\r\n')}\r\n`, { headers });
  });
  return app;

  async function page(
    c: Call,
    { account }: Visitor.Visitor,
    notice: Notice,
    awaitsCode = false,
  ): Promise<Response> {
    c.get('entry').account = account;
    const toMs = shop.clock() + 1;
    const fromMs = toMs - spanMs;
    const [overview, person, topUp, daily, byService, calls, keys, paid, asked] = await Promise.all([
      Account.overview(shop, account),
      shop.accounts.find(account),
      shop.topUps.of(account),
      shop.usage.daily(account, fromMs, toMs),
      shop.usage.sums(account, fromMs, toMs, 'service'),
      shop.usage.calls(account, fromMs, toMs, null, shownCallsMax),
      AccountKeys.list(shop, account),
      Receipts.list(shop, account, null),
      shop.refundRequests.of(account),
    ]);
    const { plans, grants, claimed, balance_usd, held_usd, included_remaining, subscriptions } = overview;
    const facts = {
      ...{ account, topUp, calls, keys, notice, awaitsCode, claimed: claimed === true },
      ...{ balance: String(balance_usd), held: String(held_usd), included: Number(included_remaining) },
      email: person?.email ?? null,
      plans: plans as Page.Facts['plans'],
      grants: grants as Page.Facts['grants'],
      subscriptions: subscriptions as Page.Facts['subscriptions'],
      used: { days: everyDay(fromMs, toMs), daily, byService },
      receipts: paid.receipts,
      refundRequests: asked.map(RefundRequests.shown),
      canClaim: shop.claiming !== null,
    };
    const main = Page.account(facts, catalog);
    return Frame.respond(notice?.isBad ? 422 : 200, catalog.storefront, { title: 'Your account', main });
  }

  function door(status: number, notice: string | null): Response {
    const main = SignInPage.door(shop.claiming !== null, notice);
    return Frame.respond(status, catalog.storefront, { title: 'Your account', main });
  }
}

const refusals = {
  bad_token: 'Your browser has no account here any more.',
  claimed: 'A person has taken this account over already.',
  taken: 'A person has taken this account over already.',
  limited: 'Enough codes were sent for now. Try again later.',
  away: 'The mail could not be sent; nothing has changed. Try again.',
  wrong: 'This is not the code of the last mail.',
  none: 'No code is waiting: it is too old, or was tried too often. Ask for another.',
  frozen: 'This shop has frozen the account.',
};

/** The days of a span, the oldest first. */
function everyDay(fromMs: number, toMs: number): string[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / dayMs) }, (_, at) =>
    new Date(toMs - at * dayMs).toISOString().slice(0, 10),
  ).reverse();
}

function good(text: string): Notice {
  return { text, secret: null, isBad: false };
}

function bad(text: string): Notice {
  return { text, secret: null, isBad: true };
}

function faulty(faults: readonly { field: string; message: string }[]): Notice {
  return bad(`${faults.map(({ field, message }) => `${field}: ${message}`).join('. ')}.`);
}

function line({
  callId,
  atMs,
  service,
  operation,
  status,
  units,
  included,
  cost,
  key,
  isReturned,
}: MadeCall): string {
  const at = new Date(atMs).toISOString();
  const cells = [
    `call_${callId}`,
    at,
    service,
    operation,
    status,
    units,
    included,
    Money.formatExact(cost),
    key ?? '',
    isReturned,
  ];
  return cells
    .map((cell) => (/[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell))
    .join(',');
}
