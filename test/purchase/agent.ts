import * as CanonicalJson from '../../src/payment/canonical-json.ts';
import type { Challenge } from '../../src/payment/challenge.ts';
import * as Customer from '../support/customer.ts';

/** A program that buys at a shop by the `Payment` scheme. */
export type Agent = {
  /** The storefront that it calls. */
  url: string;
  /** The address that it calls from, as reported by a trusted proxy. */
  address: string;
  /** Its bearer token, once it has an account. */
  token: string | null;
};

/** The header with the caller's address, in the shops of these tests. */
const addressHeader = 'x-forwarded-for';
export const shopEnv = { CLIENT_ADDRESS_HEADER: addressHeader };

let agents = 0;

/** Creates an agent with an address of its own, because declined cards count against the address. */
export function at(url: string): Agent {
  agents += 1;
  return { url, address: `203.0.113.${agents}`, token: null };
}

/** Creates an agent that has registered. */
export async function registered(url: string): Promise<Agent & { token: string; account: string }> {
  return { ...at(url), ...(await Customer.register(url)) };
}

export type Offer = {
  /** The body of the request, which is sent again with the payment. */
  body: string | undefined;
  answer: Customer.Answer;
  challenge: Challenge;
  order: string;
  checkoutUrl: string;
};

/** Sends a purchase without a payment. A body that is not a string is sent as JSON, `undefined` as no body. */
export function ask(agent: Agent, body: unknown = {}, plan = 'credit'): Promise<Customer.Answer> {
  return send(agent, plan, text(body), {});
}

/** Returns the priced 402 for a purchase. Throws for any other response. */
export async function offer(agent: Agent, body: unknown = {}, plan = 'credit'): Promise<Offer> {
  const answer = await ask(agent, body, plan);
  if (answer.status !== 402) throw new Error(`no offer: ${answer.status} ${answer.text}`);
  return readOffer(answer, text(body));
}

export function readOffer(answer: Customer.Answer, body: string | undefined): Offer {
  const challenge = readChallenge(answer.headers.get('www-authenticate') ?? '');
  return { body, answer, challenge, order: answer.body.purchase.id, checkoutUrl: answer.body.checkout_url };
}

/** The parameters of a `Payment` challenge (RFC 9110, section 11.6.1), as a client reads them. */
function readChallenge(header: string): Challenge {
  const parameters = [...header.matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(
    parameters.map(([, name, value = '']) => [name, value.replace(/\\(.)/g, '$1')]),
  ) as Challenge;
}

/** Returns a hand-made credential for `challenge`. */
export function credential(challenge: Challenge, payload: CanonicalJson.JsonObject): string {
  return `Payment ${CanonicalJson.encode({ challenge, payload })}`;
}

/** Pays an offer with a shared payment token: repeats the request with the credential in the field that the challenge names. */
export function pay(
  agent: Agent,
  { body, challenge }: Pick<Offer, 'body' | 'challenge'>,
  spt: string,
  plan = 'credit',
): Promise<Customer.Answer> {
  const field = challenge.header ?? 'Authorization';
  return send(agent, plan, body, { [field]: credential(challenge, { spt }) });
}

function send(
  { url, address, token }: Agent,
  plan: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Customer.Answer> {
  return Customer.send({
    method: 'POST',
    url: `${url}/plans/${plan}/purchase`,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      [addressHeader]: address,
      ...headers,
    },
    body,
  });
}

function text(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}
