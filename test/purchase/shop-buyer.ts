import { decodeJwt } from 'jose';
import * as Assertion from '../../src/identity/assertion.ts';
import * as Customer from '../support/customer.ts';
import * as Payer from '../support/payer.ts';
import * as Agent from './agent.ts';
import type { Dice } from './dice.ts';
import * as Person from './person.ts';
import type { Overview } from './shop-overview.ts';
import type { World } from './shop-world.ts';

/** The catalogue's prices, in micro-dollars: of a unit of each plan, and of a micro-dollar of credit. */
export const unitPrice: Readonly<Record<string, number>> = {
  credit: 1_000,
  mini: 125_000,
  small: 100_000,
  large: 40_000,
};
export const dearestUnit = 125_000;
const callUnitsMax = 50;
const slowCard = '4000 0000 0000 7080';

export type Offered = Agent.Offer & { plan: string; amount: string };
/** The terms that the card's holder agreed to, in micro-dollars. */
export type Consent = { amount: number; monthlyMax: number };

/** One buyer, who knows their requests, the payments by card and what they received; none of it is read from the shop's database. */
export class ShopBuyer {
  readonly offers: Offered[] = [];
  /** Ids of the hosted pages that the buyer paid on. */
  readonly sessions = new Set<string>();
  readonly nonces = new Set<string>();
  readonly consents: Consent[] = [];
  account: string | null = null;
  /** List price of the units that calls delivered, without those of trials. */
  used = 0;
  trialUsed = 0;
  /** Number of the buyer's accounts that were joined to this one. */
  joined = 0;
  steps = 0;
  wasSlow = false;
  #token: string | null = null;
  #assertion: string | null = null;
  #isBeginning = false;
  readonly #world: World;
  readonly #dice: Dice;
  readonly #jar: Person.Jar = new Map();
  /** Requests that repeat a payment or return from a paid page, for a buyer who has no tokens yet. */
  readonly #waysIn: (() => Promise<unknown>)[] = [];

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  async register(): Promise<void> {
    const { status, body, text } = await this.#send(0, 'POST', '/agent/auth', { type: 'anonymous' });
    if (status !== 201) throw new Error(`not registered: ${status} ${text}`);
    this.#adopt(body);
  }

  /** Requests only one order without an account, because each would create an account of its own. */
  async #askOnce(at: number, plan: string, text: string): Promise<Customer.Answer | null> {
    if (!this.hasToken && this.#isBeginning) return null;
    this.#isBeginning = true;
    const answer = await this.#authorized(at, 'POST', `/plans/${plan}/purchase`, text);
    if (answer.status !== 402) this.#isBeginning = false;
    return answer.status === 402 ? answer : null;
  }

  /** Requests a purchase. Returns null when the shop makes no offer. */
  async ask(at: number, plan: string, body: object): Promise<Offered | null> {
    const text = JSON.stringify(body);
    const answer = await this.#askOnce(at, plan, text);
    if (!answer?.body.checkout_url) return null;
    const offered = { ...Agent.readOffer(answer, text), plan, amount: answer.body.purchase.amount_usd };
    this.offers.push(offered);
    return offered;
  }

  /** Pays an offer with a card token. */
  async pay(at: number, offer: Offered, card: string): Promise<void> {
    const token = await this.#world.network.mint(card);
    const field = offer.challenge.header ?? 'Authorization';
    const credential = Agent.credential(offer.challenge, { spt: token });
    // A request with a bearer token carries the credential in the separate field that the challenge names.
    const send = async () => {
      const path = `/plans/${offer.plan}/purchase`;
      const answer = await this.#authorized(at, 'POST', path, offer.body, { [field]: credential });
      if (answer.status === 200) this.#adopt(answer.body);
    };
    this.#waysIn.push(send);
    await send();
  }

  /** Requests the tokens of an account that a payment created, as a buyer does who did not receive the response. */
  async findWayIn(): Promise<void> {
    for (const way of this.#waysIn) if (!this.hasToken) await way();
  }

  /** Buys with a stablecoin payment, sent twice when `isRepeated`. */
  async payByCoin(at: number, plan: string, body: object, isRepeated: boolean): Promise<void> {
    const text = JSON.stringify(body);
    const required = (await this.#askOnce(at, plan, text))?.headers.get('payment-required');
    if (!required) return;
    const { accepts, resource } = JSON.parse(Buffer.from(required, 'base64').toString());
    const payment = await Payer.pay2(Payer.payer(), accepts[0], { nowMs: this.#world.nowMs() }, resource);
    this.nonces.add(payment.payload.authorization.nonce);
    const headers = { 'payment-signature': Payer.base64(payment) };
    const send = async (where: number) => {
      const answer = await this.#authorized(where, 'POST', `/plans/${plan}/purchase`, text, headers);
      if (answer.status === 200) this.#adopt(answer.body);
    };
    this.#waysIn.push(() => send(at));
    await send(at);
    if (isRepeated) await send(1 - at);
  }

  /** Opens the payment link of an offer. Returns the hosted page, or null when the link leads to none. */
  async openPage(offer: Offered): Promise<string | null> {
    const answer = await Person.visit(offer.checkoutUrl, this.#jar);
    return answer.status === 303 ? answer.headers.get('location') : null;
  }

  /** Pays on a hosted page, and returns to the shop when `comesBack`. */
  async payPage(page: string, how: 'card' | 'slow' | 'declined', comesBack: boolean): Promise<void> {
    const number = { card: undefined, slow: slowCard, declined: Person.declinedCard }[how];
    const answer = await Person.submit(page, number);
    await answer.body?.cancel();
    if (answer.status !== 303) return;
    const session = new URL(page).pathname.split('/').at(-1) ?? '';
    if (how === 'slow' && !this.sessions.has(session)) this.wasSlow = true;
    this.sessions.add(session);
    const back = () => this.#comeBack(answer.headers.get('location') ?? '');
    this.#waysIn.push(back);
    if (comesBack || !this.hasToken) await back();
  }

  async #comeBack(url: string): Promise<void> {
    const { text } = await Person.visit(url, this.#jar);
    const shown = (id: string) =>
      new RegExp(`<pre class="secret one-line" id="${id}"[^>]*>([^<]+)<`).exec(text)?.[1];
    const [access, assertion] = [shown('token'), shown('assertion')];
    if (access && assertion)
      this.#adopt({
        account: String(decodeJwt(access).sub),
        access_token: access,
        identity_assertion: assertion,
      });
  }

  /** Uses units, in calls of the maximum size. */
  async use(at: number, units: number): Promise<void> {
    for (let left = units; left > 0 && this.#token !== null; left -= callUnitsMax) {
      const answer = await this.#authorized(at, 'GET', `/v1/search?max=${Math.min(callUnitsMax, left)}`);
      if (answer.status !== 200) return;
      await this.#count(answer);
    }
  }

  decide(at: number, plan: string, deed: string, target?: string): Promise<Customer.Answer | null> {
    if (this.#token === null) return Promise.resolve(null);
    return this.#authorized(at, 'POST', `/account/plans/${plan}/${deed}`, JSON.stringify({ plan: target }));
  }

  /** Requests automatic top-ups; the card's holder agrees when `isAgreed`. */
  async topUp(at: number, amountUsd: number, isAgreed: boolean): Promise<void> {
    if (this.#token === null) return;
    const wish = {
      below_usd: (amountUsd / 2).toFixed(2),
      amount_usd: amountUsd.toFixed(2),
      monthly_max_usd: (amountUsd * 3).toFixed(2),
    };
    const asked = await this.#authorized(at, 'PUT', '/account/auto-top-up', JSON.stringify(wish));
    if (asked.status !== 409 || !isAgreed) return;
    const location = await Person.openConsent(asked.body.consent_url).catch((fault: unknown) => {
      // Terms that were already agreed to lead to their own page instead of a card page.
      if (fault instanceof Person.NoCardPage) return null;
      throw fault;
    });
    if (location === null) return;
    const answer = await Person.submit(location);
    await answer.body?.cancel();
    if (answer.status !== 303) return;
    this.sessions.add(new URL(location).pathname.split('/').at(-1) ?? '');
    this.consents.push({ amount: amountUsd * 1e6, monthlyMax: amountUsd * 3e6 });
    await Person.visit(answer.headers.get('location') ?? '', new Map());
  }

  /** Joins another account of the same person to this one. */
  async join(): Promise<void> {
    if (this.account === null) return;
    const other = new ShopBuyer(this.#world, this.#dice);
    await other.register();
    await this.#world.sql`SELECT shop.join_accounts(${other.account}, ${this.account})`;
    this.joined += 1;
  }

  async overview(): Promise<Overview | null> {
    if (this.#token === null) return null;
    const answer = await this.#authorized(1, 'GET', '/account');
    if (answer.status !== 200) throw new Error(`the account answers ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Returns how many receipts the shop shows for each payment. */
  async receipts(): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    let cursor: string | null = null;
    do {
      const path: string = `/account/receipts${cursor === null ? '' : `?cursor=${cursor}`}`;
      const answer: Customer.Answer = await this.#authorized(0, 'GET', path);
      for (const { payment } of answer.body.receipts) found.set(payment, (found.get(payment) ?? 0) + 1);
      cursor = answer.body.cursor ?? null;
    } while (cursor !== null);
    return found;
  }

  get hasToken(): boolean {
    return this.#token !== null;
  }

  async #count(answer: Customer.Answer): Promise<void> {
    const plan = answer.headers.get('storefront-plan') ?? '';
    const count: number = JSON.parse(answer.text).count;
    if (plan === 'trial') this.trialUsed += count;
    else if (plan in unitPrice) this.used += count * (unitPrice[plan] ?? 0);
    else {
      // The call drew on several plans: the response names them, and the database has the amount from each.
      const call = (answer.headers.get('storefront-call') ?? '').replace('call_', '');
      const rows = await this.#world.sql<{ plan_id: string; asset: string; amount: number }[]>`
        SELECT k.plan_id, k.asset, u.amount FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
          WHERE u.call_id = ${call}`;
      for (const row of rows) {
        if (row.plan_id === 'trial') this.trialUsed += row.amount;
        else this.used += row.asset === 'usd' ? row.amount : row.amount * (unitPrice[row.plan_id] ?? 0);
      }
    }
  }

  #adopt(body: { account?: string; access_token?: string; identity_assertion?: string }): void {
    if (!body.access_token || !body.account) return;
    this.account = body.account;
    this.#token = body.access_token;
    this.#assertion = body.identity_assertion ?? null;
  }

  /** Sends a request as the account, if there is one yet. An expired token is replaced. */
  async #authorized(
    at: number,
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Customer.Answer> {
    const bearer = () =>
      this.#token === null || 'Authorization' in headers ? {} : { authorization: `Bearer ${this.#token}` };
    const send = () => this.#send(at, method, path, body, { ...bearer(), ...headers });
    const answer = await send();
    if (answer.status !== 401 || this.#assertion === null) return answer;
    const form = new URLSearchParams({ grant_type: Assertion.grantType, assertion: this.#assertion });
    const renewed = await fetch(`${this.#url(at)}/oauth2/token`, {
      method: 'POST',
      headers: { 'x-forwarded-for': this.#address() },
      body: form,
    }).then(Customer.read);
    if (renewed.status !== 200) return answer;
    this.#token = renewed.body.access_token;
    return send();
  }

  #send(
    at: number,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Customer.Answer> {
    return Customer.send({
      method,
      url: this.#url(at) + path,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'x-forwarded-for': this.#address(),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  }

  #url(at: number): string {
    return (this.#world.processes[at] ?? this.#world.processes[0]).url;
  }

  /** Returns a new address for each request, because other tests cover the limits per address. */
  #address(): string {
    const part = () => 1 + this.#dice.int(200);
    return `${20 + this.#dice.int(80)}.${part()}.${part()}.${part()}`;
  }
}
