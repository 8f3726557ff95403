import type { Payload } from './payload.ts';
import type { Requirement } from './requirement.ts';

/** The header field that tells a client what became of its payment. It belongs on a 2xx only, beside `Cache-Control: private`. */
export type ResponseField = readonly [name: 'PAYMENT-RESPONSE' | 'X-PAYMENT-RESPONSE', value: string];

/** @param transaction the settlement on the chain; empty for a proof, which is never settled */
export function field(
  { version, authorization }: Payload,
  { network, amount }: Requirement,
  transaction: string,
): ResponseField {
  const settled = { success: true, transaction, payer: authorization.from };
  const said =
    version === 2
      ? { ...settled, network: network.id, amount: String(amount) }
      : { ...settled, network: network.legacyName };
  return [
    version === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE',
    Buffer.from(JSON.stringify(said)).toString('base64'),
  ];
}
