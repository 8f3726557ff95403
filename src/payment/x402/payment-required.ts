import type { JsonObject } from '../canonical-json.ts';
import { type Requirement, toJson, toLegacyJson } from './requirement.ts';
import type { Resource } from './resource.ts';

/** The content of a 402 for x402 clients: version 2 reads the field `PAYMENT-REQUIRED`, version 1 reads the body. */
export type PaymentRequired = {
  /** Why a payment was not accepted; a text of ours. */
  error: string;
  resource: Resource;
  /** Never empty. */
  requirements: readonly Requirement[];
};

/** Intermediaries drop longer header fields. */
const headerBytesMax = 8192;

/** Returns the value of `PAYMENT-REQUIRED`. Throws RangeError when it would exceed `headerBytesMax`. */
export function header({ error, resource, requirements }: PaymentRequired): string {
  const accepts = requirements.map(toJson);
  const said = { x402Version: 2, error, resource, accepts, extensions: {} };
  const value = Buffer.from(JSON.stringify(said)).toString('base64');
  if (value.length > headerBytesMax) throw new RangeError(`payment requirements of ${value.length} bytes`);
  return value;
}

/** Returns the members of a 402 body that version 1 reads; none when version 1 has no name for any of the networks. */
export function legacyBody({ error, resource, requirements }: PaymentRequired): JsonObject {
  const named = requirements.map((requirement) => toLegacyJson(requirement, resource));
  const accepts = named.filter((one) => one !== null);
  return accepts.length === 0 ? {} : { x402Version: 1, error, accepts };
}
