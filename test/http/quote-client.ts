import type { Challenge } from '../../src/payment/challenge.ts';
import * as Customer from '../support/customer.ts';
import * as Payer from '../support/payer.ts';
import { addressHeader, path } from '../support/quote-shop.ts';

export const question = '{"goal":"leads in Utrecht"}';

/** Sends a question, with the proof in `headers` if any. */
export function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body: string = question,
): Promise<Customer.Answer> {
  const given = { 'content-type': 'application/json', ...headers };
  return Customer.send({ method: 'POST', url: url + path, headers: given, body });
}

/** Returns the header of a trusted proxy for a client's address. */
export function from(address: string): Record<string, string> {
  return { [addressHeader]: address };
}

/** Returns the offers in a 402, as the clients of each scheme read them. */
export function offers({ headers }: Customer.Answer): {
  accepts: Payer.Requirement[];
  resource: { url: string };
  challenge: Challenge;
} {
  const required = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString());
  const parameters = [...(headers.get('www-authenticate') ?? '').matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/g)];
  const challenge = Object.fromEntries(parameters.map(([, name, value]) => [name, value])) as Challenge;
  return { accepts: required.accepts, resource: required.resource, challenge };
}

/** Builds the headers of a valid proof, by scheme and version. */
export const proofs = {
  async 'x402 version 2'(url: string, wallet: Payer.Payer, nowMs: number, body?: string) {
    const { accepts, resource } = offers(await ask(url, {}, body));
    const [accepted] = accepts;
    if (!accepted) throw new Error('nothing is accepted');
    return { 'payment-signature': Payer.base64(await Payer.pay2(wallet, accepted, { nowMs }, resource)) };
  },
  async 'x402 version 1'(url: string, wallet: Payer.Payer, nowMs: number, body?: string) {
    const [accepted] = offers(await ask(url, {}, body)).accepts;
    if (!accepted) throw new Error('nothing is accepted');
    return { 'x-payment': Payer.base64(await Payer.pay1(wallet, accepted, { nowMs })) };
  },
  async mpp(url: string, wallet: Payer.Payer, _nowMs?: number, body?: string) {
    return { authorization: await Payer.prove(wallet, offers(await ask(url, {}, body)).challenge) };
  },
};
