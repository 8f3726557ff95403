/** A person with a browser and a card, step by step. */

const details = {
  email: 'buyer@example.com',
  number: '4242 4242 4242 4242',
  expiry: '12 / 40',
  cvc: '123',
  name: 'Ada Lovelace',
};

export const declinedCard = '4000 0000 0000 0002';

/** Opens a payment link. Returns the address of the hosted page. Throws where the link leads elsewhere. */
export async function open(checkoutUrl: string): Promise<string> {
  const answer = await fetch(checkoutUrl, { redirect: 'manual' });
  const location = answer.headers.get('location');
  if (answer.status !== 303 || !location) throw new Error(`the link answers ${answer.status}`);
  return location;
}

/** Sends the form of a hosted page; the answer is not followed. */
export function submit(pageUrl: string, number = details.number): Promise<Response> {
  return fetch(pageUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...details, number }),
  });
}

/** Pays on a hosted page. Returns where the browser is sent then, without going there. */
export async function pay(pageUrl: string): Promise<string> {
  const answer = await submit(pageUrl);
  const location = answer.headers.get('location');
  if (answer.status !== 303 || !location) throw new Error(`the page answers ${answer.status}`);
  return location;
}
