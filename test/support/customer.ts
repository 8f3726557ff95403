import { id } from '@sluice/kernel/id';
import type postgres from 'postgres';

/** A request as data, in the form that the shop's own responses use. A `body` that is not a string is sent as JSON. */
export type Request = {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
};

/** A response read to its end; `body` is its JSON value, or its text when it is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body.
export type Answer = { status: number; headers: Headers; body: any; text: string };

export async function send({ method, url, headers, body }: Request): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return read(
    await fetch(url, { method, redirect: 'manual', ...(headers && { headers }), body: text ?? null }),
  );
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
    text,
  };
}

/** A customer with an account at a shop. */
export type Customer = { account: string; token: string; assertion: string };

const json = { 'content-type': 'application/json' };

export async function register(shopUrl: string): Promise<Customer> {
  const request = {
    method: 'POST',
    url: `${shopUrl}/agent/auth`,
    headers: json,
    body: { type: 'anonymous' },
  };
  const { status, body, text } = await send(request);
  if (status !== 201) throw new Error(`not registered: ${status} ${text}`);
  return { account: body.account, token: body.access_token, assertion: body.identity_assertion };
}

/** Calls with the customer's token; a body is sent as JSON. */
export function call(
  { token }: Pick<Customer, 'token'>,
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const given = { authorization: `Bearer ${token}`, ...(body !== undefined && json), ...headers };
  return send({ method, url, headers: given, body });
}

/** Adds credit to an account with the database function that paid purchases use. */
export async function credit(sql: postgres.Sql, { account }: Customer, microUsd: number): Promise<void> {
  const order = id('pur', account);
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES (${order}, ${account}, 'credit', ${microUsd}, now() + interval '1 hour')`;
  await sql`SELECT shop.grant_purchase(${order}, ${id('pi')}, ${account})`;
}

const card = {
  email: 'buyer@example.com',
  number: '4242 4242 4242 4242',
  expiry: '12 / 40',
  cvc: '123',
  name: 'Ada Lovelace',
};

/** Pays as a person does: opens the link, submits the form of the hosted page, and follows the redirect to the page after it. */
export async function pay(checkoutUrl: string): Promise<Answer> {
  const opened = await fetch(checkoutUrl, { redirect: 'manual' });
  const cookie = opened.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const page = await fetch(opened.headers.get('location') ?? '');
  const form = /<form method="post" action="([^"]+)"/.exec(await page.text())?.[1];
  if (!form) throw new Error(`no form at ${page.url}`);
  const body = new URLSearchParams(card);
  const paid = await fetch(new URL(form, page.url), { method: 'POST', body, redirect: 'manual' });
  return send({ method: 'GET', url: paid.headers.get('location') ?? '', headers: { cookie } });
}
