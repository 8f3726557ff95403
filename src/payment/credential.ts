import { z } from 'zod';
import * as Authorization from './authorization.ts';
import * as CanonicalJson from './canonical-json.ts';
import type { Challenge } from './challenge.ts';
import { alternateField } from './challenge.ts';

/**
 * The credential of the `Payment` scheme (draft-httpauth-payment-01): base64url JSON of the challenge as echoed,
 * the payment itself, and who pays. Read here, believed nowhere: `Challenge.verify` comes next.
 */

/** Node takes 16 KiB of header fields in all. */
export const credentialCharsMax = 12_288;
const sourceCharsMax = 256;

export type Credential = {
  challenge: Challenge;
  /** For the payment method to judge. */
  payload: Readonly<Record<string, unknown>>;
  /** Who pays, by their own word: most often a DID. */
  source?: string;
};

/** The raw values of both fields: one entry a line, or the lines joined by commas; empty where absent. */
export type Fields = { authorization: readonly string[]; paymentAuthorization: readonly string[] };

export type Reading =
  | { kind: 'none' }
  | ({ kind: 'credential' } & Credential)
  | { kind: 'malformed'; reason: Reason }
  | { kind: 'many' };

export type Reason = keyof typeof reasons;

/** Why a credential is malformed, in words for its sender. */
export const reasons = {
  scheme: `${alternateField} takes the Payment scheme`,
  length: `a credential has at most ${credentialCharsMax} characters`,
  encoding: 'a credential is a JSON object in base64url',
  challenge: 'the challenge is to be echoed whole, every parameter a string, as it was sent',
  payload: 'the payload is to be an object',
  source: `the source is to be a string of at most ${sourceCharsMax} characters`,
  field: 'the credential came in another field than its challenge asked for',
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
 * The one Payment credential of a request. A challenge says which field its credential travels in, and counts in
 * that field alone. Never throws.
 */
export function read(fields: Fields): Reading {
  const alternate = Authorization.parse(fields.paymentAuthorization);
  if (alternate.some(isOther)) return { kind: 'malformed', reason: 'scheme' };
  const usual = Authorization.parse(fields.authorization).filter((found) => !isOther(found));
  const [first, ...more] = [...usual, ...alternate];
  if (first === undefined) return { kind: 'none' };
  if (more.length > 0) return { kind: 'many' };
  const reading = parse(first.value);
  const field = alternate.length > 0 ? alternateField : undefined;
  if (reading.kind === 'credential' && reading.challenge.header !== field) {
    return { kind: 'malformed', reason: 'field' };
  }
  return reading;
}

function isOther({ scheme }: Authorization.Credentials): boolean {
  return scheme !== 'payment';
}

function parse(encoded: string): Reading {
  if (encoded.length > credentialCharsMax) return { kind: 'malformed', reason: 'length' };
  const result = shape.safeParse(CanonicalJson.decode(encoded));
  if (result.success) return { kind: 'credential', ...result.data };
  const member = result.error.issues[0]?.path[0];
  if (member === 'challenge' || member === 'payload' || member === 'source') {
    return { kind: 'malformed', reason: member };
  }
  return { kind: 'malformed', reason: 'encoding' };
}
