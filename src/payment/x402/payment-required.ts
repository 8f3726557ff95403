import type { JsonObject } from '../canonical-json.ts';
import { type Requirement, toJson, toLegacyJson } from './requirement.ts';
import type { Resource } from './resource.ts';

/** What a 402 says to clients of x402: version 2 reads the field `PAYMENT-REQUIRED`, version 1 reads the body. */
export type PaymentRequired = {
  /** Why a payment was not taken, in our words. */
  error: string;
  resource: Resource;
  /** Never empty. */
  requirements: readonly Requirement[];
};

/** Intermediaries drop longer header fields. */
const headerBytesMax = 8192;

/** The value of `PAYMENT-REQUIRED`. Throws RangeError where it would be longer than `headerBytesMax`. */
export function header({ error, resource, requirements }: PaymentRequired): string {
  const accepts = requirements.map(toJson);
  const said = { x402Version: 2, error, resource, accepts, extensions: {} };
  const value = Buffer.from(JSON.stringify(said)).toString('base64');
  if (value.length > headerBytesMax) throw new RangeError(`payment requirements of ${value.length} bytes`);
  return value;
}

/** The members that version 1 reads in the body of a 402. */
export function legacyBody({ error, resource, requirements }: PaymentRequired): JsonObject {
  const accepts = requirements.map((requirement) => toLegacyJson(requirement, resource));
  return { x402Version: 1, error, accepts };
}
