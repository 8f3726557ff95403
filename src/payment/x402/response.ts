import type { Payload } from './payload.ts';
import type { Requirement } from './requirement.ts';

/** The header field with the result of a payment for the client. Send it only with a 2xx status and `Cache-Control: private`. */
export type ResponseField = readonly [name: 'PAYMENT-RESPONSE' | 'X-PAYMENT-RESPONSE', value: string];

/** @param transaction the settlement on the chain; empty for a proof, which is never settled */
export function field(
  { version, authorization }: Payload,
  { network, amount }: Pick<Requirement, 'network' | 'amount'>,
  transaction: string,
): ResponseField {
  const settled = { success: true, transaction, payer: authorization.from };
  const said =
    version === 2
      ? { ...settled, network: network.id, amount: String(amount) }
      : { ...settled, network: network.legacyName ?? network.id };
  return [
    version === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE',
    Buffer.from(JSON.stringify(said)).toString('base64'),
  ];
}
