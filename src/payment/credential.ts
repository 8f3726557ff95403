import { z } from 'zod';
import * as Authorization from './authorization.ts';
import * as CanonicalJson from './canonical-json.ts';
import type { Challenge } from './challenge.ts';
import { alternateField } from './challenge.ts';

/**
 * The credential of the `Payment` scheme (draft-httpauth-payment-01): base64url JSON with the echoed challenge,
 * the payment and the payer. This file only parses it; verify it with `Challenge.verify` before trusting it.
 */

/** Node accepts 16 KiB of header fields in total. */
export const credentialCharsMax = 12_288;
const sourceCharsMax = 256;

export type Credential = {
  challenge: Challenge;
  /** Specific to the payment method, which validates it. */
  payload: Readonly<Record<string, unknown>>;
  /** The payer, usually a DID. This is an unverified claim of the client. */
  source?: string;
};

/** The raw values of both fields: one entry per line, or lines joined by commas; empty when the field is absent. */
export type CredentialFields = { authorization: readonly string[]; paymentAuthorization: readonly string[] };

export type CredentialReading =
  | { kind: 'none' }
  | ({ kind: 'credential' } & Credential)
  | { kind: 'malformed'; reason: CredentialFault }
  | { kind: 'many' };

export type CredentialFault = keyof typeof reasons;

/** Why a credential is malformed, in a text for its sender. */
export const reasons = {
  scheme: `${alternateField} must use the Payment scheme`,
  length: `a credential has at most ${credentialCharsMax} characters`,
  encoding: 'a credential must be a JSON object in base64url',
  challenge: 'the challenge must be echoed completely, every parameter as the string that was sent',
  payload: 'the payload must be an object',
  source: `the source must be a string of at most ${sourceCharsMax} characters`,
  field: 'the credential was sent in a different field than its challenge requires',
};

const text = z.string().min(1);
const shape = z.object({
  challenge: z.object({
    id: text,
    realm: text,
    method: text,
    intent: text,
    request: text,
    expires: text.exactOptional(),
    digest: text.exactOptional(),
    opaque: text.exactOptional(),
    header: z.literal(alternateField).exactOptional(),
    description: text.exactOptional(),
  }),
  payload: z.looseObject({}),
  source: z.string().max(sourceCharsMax).exactOptional(),
});

/**
 * Reads the one Payment credential of a request. Its challenge names the field that it must be sent in. A credential for the
 * alternate field is also accepted in `Authorization`, because some clients support no other field. Never throws.
 */
export function read(fields: CredentialFields): CredentialReading {
  const alternate = Authorization.parse(fields.paymentAuthorization);
  if (alternate.some(isOther)) return { kind: 'malformed', reason: 'scheme' };
  const usual = Authorization.parse(fields.authorization).filter((found) => !isOther(found));
  const [first, ...more] = [...usual, ...alternate];
  if (first === undefined) return { kind: 'none' };
  if (more.length > 0) return { kind: 'many' };
  const reading = parse(first.value);
  // The alternate field is only for challenges that name it: only their id covers the account that is paid for.
  if (reading.kind === 'credential' && alternate.length > 0 && reading.challenge.header !== alternateField) {
    return { kind: 'malformed', reason: 'field' };
  }
  return reading;
}

function isOther({ scheme }: Authorization.Credentials): boolean {
  return scheme !== 'payment';
}

function parse(encoded: string): CredentialReading {
  if (encoded.length > credentialCharsMax) return { kind: 'malformed', reason: 'length' };
  const result = shape.safeParse(CanonicalJson.decode(encoded));
  if (result.success) return { kind: 'credential', ...result.data };
  const member = result.error.issues[0]?.path[0];
  if (member === 'challenge' || member === 'payload' || member === 'source') {
    return { kind: 'malformed', reason: member };
  }
  return { kind: 'malformed', reason: 'encoding' };
}
