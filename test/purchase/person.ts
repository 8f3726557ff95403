import * as Customer from '../support/customer.ts';

/** A person with a browser and a card, step by step. */

const details = {
  email: 'buyer@example.com',
  number: '4242 4242 4242 4242',
  expiry: '12 / 40',
  cvc: '123',
  name: 'Ada Lovelace',
};

export const declinedCard = '4000 0000 0000 0002';

/** The cookies of one browser. */
export type Jar = Map<string, string>;
const ownJar: Jar = new Map();

/** Opens a URL of the shop in a browser, by default the person's own. Redirects are not followed. */
export async function visit(url: string, jar: Jar = ownJar): Promise<Customer.Answer> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url, { redirect: 'manual', ...(cookie && { headers: { cookie } }) });
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    jar.set(name, value);
  }
  return Customer.read(answer);
}

/** Opens a payment link. Returns the address of the hosted page. Throws `NoCardPage` when the link leads elsewhere. */
export async function open(checkoutUrl: string, jar: Jar = ownJar): Promise<string> {
  const answer = await visit(checkoutUrl, jar);
  const location = answer.headers.get('location');
  if (answer.status !== 303 || !location) throw new NoCardPage(answer);
  return location;
}

/** A payment link that leads to no hosted page. */
export class NoCardPage extends Error {
  readonly text: string;
  constructor({ status, text }: Customer.Answer) {
    super(`the link answers ${status}`);
    this.text = text;
  }
}

/** Presses the button of an agreement to auto top-up that leads to its card page. Returns the address of that page. */
export const openConsent = (consentUrl: string) => takeOver(`${consentUrl}/card`, ownJar);

/** Presses "Pay in this browser" on the page of a link that another browser opened. Returns the address of the hosted page. */
export async function takeOver(checkoutUrl: string, jar: Jar): Promise<string> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, origin: new URL(checkoutUrl).origin };
  const answer = await fetch(checkoutUrl, { method: 'POST', redirect: 'manual', headers });
  const onward = /^0; url=(.+)$/.exec(answer.headers.get('refresh') ?? '')?.[1];
  if (!onward) throw new NoCardPage(await Customer.read(answer));
  return onward;
}

/** Submits the form of a hosted page, with `more` fields when it asks for them. Redirects are not followed. */
export function submit(
  pageUrl: string,
  number = details.number,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(pageUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...details, number, ...more }),
  });
}

/** Pays on a hosted page. Returns the address that the browser is redirected to. */
export async function pay(
  pageUrl: string,
  number?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await submit(pageUrl, number, more);
  const location = answer.headers.get('location');
  if (answer.status !== 303 || !location) throw new Error(`the page answers ${answer.status}`);
  return location;
}
