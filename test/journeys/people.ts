import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import type * as Mailbox from '../support/mailbox.ts';
import type * as Shop from '../support/shop.ts';

/** A person who is signed in to an account. `first`: the tokens that registered the account, where they are known. */
export type Person = {
  email: string;
  account: string;
  member: string;
  browser: Browser.Browser;
  first: { token: string; assertion: string };
};

/** An application that a person connected. */
export type App = { clientId: string; access: string; refresh: string };

let sequence = 0;

/** Persons of a running shop, with their mailboxes and browsers. */
export class People {
  readonly jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  readonly #shop: Shop.Shop;
  readonly #mailbox: Mailbox.Mailbox;
  readonly #addressHeader: string;

  constructor(shop: Shop.Shop, mailbox: Mailbox.Mailbox, addressHeader: string) {
    this.#shop = shop;
    this.#mailbox = mailbox;
    this.#addressHeader = addressHeader;
  }

  address(): string {
    sequence += 1;
    return `person${sequence}@team.example`;
  }

  /** A browser at an address of its own. */
  visitor(base = this.#shop.url): Browser.Browser {
    sequence += 1;
    return new Browser.Browser(base, { [this.#addressHeader]: this.#networkAddress() });
  }

  /** The same browser at an address of its own, because requests of one address are limited. */
  moved(browser: Browser.Browser): Browser.Browser {
    return browser.withAddress(this.#networkAddress());
  }

  #networkAddress(): string {
    sequence += 1;
    return `100.${64 + (sequence % 60)}.${Math.floor(sequence / 60) % 250}.${sequence % 250}`;
  }

  async send(token: string, method: string, path: string, body?: object, base = this.#shop.url) {
    return Customer.send({
      ...{ method, url: base + path },
      headers: {
        authorization: `Bearer ${token}`,
        [this.#addressHeader]: this.#networkAddress(),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  get(token: string, path: string, base = this.#shop.url) {
    return this.send(token, 'GET', path, undefined, base);
  }

  /** Sends a request as the person in a session of their own. */
  async call({ browser }: Person, method: string, path: string, body?: object, base = this.#shop.url) {
    return this.send(await this.bearer({ browser }), method, path, body, base);
  }

  token(fields: Record<string, string>) {
    return Customer.send({
      ...{ method: 'POST', url: `${this.#shop.url}/oauth2/token` },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        [this.#addressHeader]: this.#networkAddress(),
      },
      body: new URLSearchParams(fields).toString(),
    });
  }

  exchange({ browser }: Pick<Person, 'browser'>) {
    const [assertion = ''] = [...browser.cookies].flatMap(([name, value]) =>
      name.endsWith('sluice_visitor') ? [value] : [],
    );
    return this.token({ grant_type: this.jwtBearer, assertion });
  }

  /** An access token of the session of a person's browser. */
  async bearer(person: Pick<Person, 'browser'>): Promise<string> {
    const exchanged = await this.exchange(person);
    expect(exchanged.status, exchanged.text).toBe(200);
    return exchanged.body.access_token;
  }

  async claim(customer: Customer.Customer, email: string) {
    const token = { claim_token: customer.assertion };
    const headers = { 'content-type': 'application/json', [this.#addressHeader]: this.#networkAddress() };
    const post = (path: string, body: object) =>
      Customer.send({ method: 'POST', url: this.#shop.url + path, headers, body: JSON.stringify(body) });
    const asked = await post('/agent/auth/claim', { ...token, email });
    expect(asked.status, asked.text).toBe(200);
    const otp = /^ {4}(\d{3} \d{3})$/m.exec(await this.#lastMail(email))?.[1];
    const done = await post('/agent/auth/claim/complete', { ...token, otp });
    expect(done.status, done.text).toBe(200);
    return done;
  }

  /** A new person with an account of their own, signed in by mail. */
  async owner(): Promise<Person> {
    const email = this.address();
    const customer = await Customer.register(this.#shop.url);
    await this.claim(customer, email);
    const browser = this.visitor();
    await browser.open('/shop/account/link', { email });
    const entered = await this.openLink(browser, email);
    expect(entered.status, entered.html).toBe(303);
    const first = { token: customer.token, assertion: customer.assertion };
    return this.#person({ email, account: customer.account, browser, first });
  }

  /** A new person with an account of their own, who has joined the account of `owner`. */
  async join(owner: Person, role: string): Promise<Person> {
    const person = await this.owner();
    const body = { email: person.email, role };
    const invited = await this.call(owner, 'POST', '/account/team/invitations', body);
    expect(invited.status, invited.text).toBe(202);
    const token = await this.invitation(person.email);
    const joined = await person.browser.open('/shop/invitation/accept', { token });
    expect(joined.status, joined.html).toBe(303);
    return this.#person({ ...person, account: owner.account });
  }

  /** Gives another person of the account a role, as `owner`. */
  async setRole(owner: Person, { member }: Person, role: string): Promise<void> {
    const done = await this.call(owner, 'PATCH', `/account/team/members/${member}`, { role });
    expect(done.status, done.text).toBe(200);
  }

  async #person(one: Omit<Person, 'member'>): Promise<Person> {
    const [row] = await this.#shop
      .sql`SELECT id FROM shop.member WHERE account_id = ${one.account} AND email = ${one.email}`;
    return { ...one, member: row?.id };
  }

  /** The token of the last invitation to an address. */
  async invitation(email: string): Promise<string> {
    return /\/shop\/invitation\?token=(\S+)/.exec(await this.#lastMail(email))?.[1] ?? '';
  }

  /** Presses the button of the last sign-in link that was sent to an address. */
  async openLink(browser: Browser.Browser, email: string) {
    const token = /\/shop\/account\/link\?token=(\S+)/.exec(await this.#lastMail(email))?.[1] ?? '';
    return browser.open('/shop/account/link/open', { token });
  }

  async #lastMail(email: string): Promise<string> {
    return (await this.#mailbox.mailsTo(email)).at(-1)?.text ?? '';
  }

  /** Connects an application through OAuth. */
  async connect({ browser }: Person): Promise<App> {
    const redirect_uri = 'https://agent.example/callback';
    const registered = await Customer.send({
      ...{ method: 'POST', url: `${this.#shop.url}/oauth2/register` },
      headers: { 'content-type': 'application/json', [this.#addressHeader]: this.#networkAddress() },
      body: JSON.stringify({ client_name: 'Agent', redirect_uris: [redirect_uri] }),
    });
    const clientId = registered.body.client_id;
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = { response_type: 'code', client_id: clientId, redirect_uri, code_challenge };
    const request = new URLSearchParams({ ...query, code_challenge_method: 'S256' }).toString();
    const allowed = await browser.open('/shop/authorize', { request, action: 'allow' });
    expect(allowed.status, allowed.html).toBe(303);
    const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const granted = await this.token({
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier },
      ...{ client_id: clientId, redirect_uri },
    });
    expect(granted.status, granted.text).toBe(200);
    return { clientId, access: granted.body.access_token, refresh: granted.body.refresh_token };
  }

  refresh({ clientId, refresh }: App) {
    return this.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId });
  }
}
