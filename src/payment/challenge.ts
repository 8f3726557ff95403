import { createHmac } from 'node:crypto';
import * as Digest from '@sluice/kernel/digest';
import type { JsonObject } from './canonical-json.ts';
import * as CanonicalJson from './canonical-json.ts';

/**
 * The challenge of the `Payment` HTTP authentication scheme (draft-httpauth-payment-01): a request for a payment, under
 * an id that only this shop can compute. A challenge is recognized by that id, so none is stored.
 */

/** The only field besides `Authorization` that can carry a credential. */
export const alternateField = 'Payment-Authorization';
const secretBytesMin = 32;
/** Intermediaries drop longer header fields; the draft's own limit is lower. */
const serializedBytesMax = 8192;
const descriptionCharsMax = 200;

/** A challenge on the wire: the parameters as they are sent, and as a client echoes them. */
export type Challenge = {
  readonly id: string;
  readonly realm: string;
  readonly method: string;
  readonly intent: string;
  readonly request: string;
  readonly expires?: string;
  readonly digest?: string;
  readonly opaque?: string;
  readonly header?: string;
  readonly description?: string;
};

/** The decoded content of a challenge. */
export type ChallengeTerms = {
  /** The host name of the shop. */
  realm: string;
  method: string;
  intent: string;
  request: JsonObject;
  expiresAtMs: number;
  /**
   * Our own correlation data. One member must be unique to this challenge (the order, a nonce): equal terms have
   * equal ids, and a payment is claimed by the id of its challenge.
   */
  opaque: Readonly<Record<string, string>>;
  /** The one request body that this challenge may be paid for, as a `Content-Digest` value (RFC 9530). */
  digest?: string;
  /** Asks for the credential in this field, so that `Authorization` stays free for a bearer token. */
  header?: typeof alternateField;
  /** A text for people, folded to ASCII. The draft does not bind it to the id, so no decision may depend on it. */
  description?: string;
};

/** Each secret has at least `secretBytesMin` bytes. Keep `previous` until all challenges issued with it have expired. */
export type Secrets = { readonly current: string; readonly previous?: string | undefined };

/** `malformed`: no challenge can have this form. `unknown`: issued by another server, or changed. `expired`: it may have been paid earlier. */
export type ChallengeVerdict =
  | { kind: 'ok'; terms: ChallengeTerms }
  | { kind: 'expired'; terms: ChallengeTerms }
  | { kind: 'malformed' }
  | { kind: 'unknown' };

/** Issues a challenge for `terms`. Throws RangeError for a short secret and for terms that no header can carry. */
export function issue(terms: ChallengeTerms, secrets: Secrets): Challenge {
  const unsigned = {
    realm: terms.realm,
    method: terms.method,
    intent: terms.intent,
    request: CanonicalJson.encode(terms.request),
    expires: new Date(terms.expiresAtMs).toISOString(),
    opaque: CanonicalJson.encode(terms.opaque),
    ...(terms.digest !== undefined && { digest: terms.digest }),
    ...(terms.header !== undefined && { header: terms.header }),
    ...(terms.description && { description: ascii(terms.description) }),
  };
  if (!isBindable(unsigned)) throw new RangeError('a challenge parameter holds more than plain ASCII');
  return { id: idOf(unsigned, secrets.current), ...unsigned };
}

/** Returns the value of a `WWW-Authenticate` line. Throws RangeError when it would exceed `serializedBytesMax`. */
export function serialize(challenge: Challenge): string {
  const parameters = Object.entries(challenge).map(([name, value]) => `${name}="${quotable(value)}"`);
  const line = `Payment ${parameters.join(', ')}`;
  if (line.length > serializedBytesMax) throw new RangeError(`a challenge of ${line.length} bytes`);
  return line;
}

/**
 * Verifies that we issued `echoed`, byte for byte, and decodes it. The id is compared in constant time before anything is
 * decoded. Use `matchesOffer` and `matchesBody` to compare the result with the current offer of a route.
 */
export function verify(echoed: Challenge, secrets: Secrets, nowMs: number): ChallengeVerdict {
  if (!isBindable(echoed)) return { kind: 'malformed' };
  const keys = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  const known = keys.map((key) => Digest.equal(echoed.id, idOf(echoed, key))).includes(true);
  const terms = known ? termsOf(echoed) : null;
  if (terms === null) return { kind: 'unknown' };
  return { kind: terms.expiresAtMs > nowMs ? 'ok' : 'expired', terms };
}

/**
 * Returns true when verified `terms` match the current offer of a route: same realm, method, intent and request, and every
 * member of `offer.opaque` (plan, account) has the same value.
 */
export function matchesOffer(
  terms: ChallengeTerms,
  offer: Pick<ChallengeTerms, 'realm' | 'method' | 'intent' | 'request' | 'opaque'>,
): boolean {
  return (
    terms.realm === offer.realm &&
    terms.method === offer.method &&
    terms.intent === offer.intent &&
    CanonicalJson.canonicalize(terms.request) === CanonicalJson.canonicalize(offer.request) &&
    Object.entries(offer.opaque).every(([name, value]) => terms.opaque[name] === value)
  );
}

/** Returns true when verified `terms` were issued for exactly this request body; false for terms without a digest. */
export function matchesBody(terms: ChallengeTerms, body: string | Uint8Array): boolean {
  return terms.digest !== undefined && Digest.equal(terms.digest, Digest.contentDigest(body));
}

type Unsigned = Omit<Challenge, 'id'>;

/** The values that the id is computed from: always seven, and an eighth only when the challenge names a field. */
function slots(challenge: Unsigned): string[] {
  const { realm, method, intent, request, expires = '', digest = '', opaque = '', header } = challenge;
  return [realm, method, intent, request, expires, digest, opaque, ...(header === undefined ? [] : [header])];
}

/** The values are joined by `|`. A `|` inside a value would let a client move a boundary and keep the id. */
function isBindable(challenge: Unsigned): boolean {
  return slots(challenge).every((slot) => /^[!-{}~]*$/.test(slot));
}

function idOf(challenge: Unsigned, secret: string): string {
  if (Buffer.byteLength(secret) < secretBytesMin) throw new RangeError('the challenge secret is too short');
  return createHmac('sha256', secret).update(slots(challenge).join('|')).digest('base64url');
}

function termsOf({ realm, method, intent, ...challenge }: Challenge): ChallengeTerms | null {
  const request = CanonicalJson.decode(challenge.request);
  const opaque = CanonicalJson.decode(challenge.opaque ?? '');
  const expiresAtMs = Date.parse(challenge.expires ?? '');
  const { digest, header } = challenge;
  if (!isObject(request) || !isFlat(opaque) || Number.isNaN(expiresAtMs)) return null;
  if (header !== undefined && header !== alternateField) return null;
  return {
    realm,
    method,
    intent,
    request,
    expiresAtMs,
    opaque,
    ...(digest !== undefined && { digest }),
    ...(header !== undefined && { header }),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFlat(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((member) => typeof member === 'string');
}

function ascii(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return folded.replace(/[^ -~]/gu, '?').slice(0, descriptionCharsMax);
}

/** Escapes the content of a quoted-string (RFC 9110, section 5.6.4). */
function quotable(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
