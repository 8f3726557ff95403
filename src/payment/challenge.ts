import { createHmac } from 'node:crypto';
import * as Digest from '../kernel/digest.ts';
import type { JsonObject } from './canonical-json.ts';
import * as CanonicalJson from './canonical-json.ts';

/**
 * The challenge of the `Payment` HTTP authentication scheme (draft-httpauth-payment-01): what is asked for, under
 * an id that only this shop can compute. Nothing has to be stored to know one of ours again.
 */

/** The one field besides `Authorization` that a credential may travel in. */
export const alternateField = 'Payment-Authorization';
const secretBytesMin = 32;
/** Intermediaries drop longer header fields; the draft asks for less than this. */
const serializedBytesMax = 8192;
const descriptionCharsMax = 200;

/** A challenge on the wire: the parameters as sent, and as a client echoes them. */
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

/** What a challenge says. */
export type Terms = {
  /** The host name of the shop. */
  realm: string;
  method: string;
  intent: string;
  request: JsonObject;
  expiresAtMs: number;
  /**
   * Our own correlation data. One member must be unique to this challenge (the order, a nonce): equal terms have
   * equal ids, and an id is what a payment is claimed by.
   */
  opaque: Readonly<Record<string, string>>;
  /** `Content-Digest` form (RFC 9530) of the one request body that this challenge may be paid for. */
  digest?: string;
  /** Asks for the credential in this field, so that `Authorization` stays free for a bearer token. */
  header?: typeof alternateField;
  /** For people. Folded to ASCII, and by the draft not bound to the id: decide nothing by it. */
  description?: string;
};

/** Each at least `secretBytesMin` bytes long; `previous` is still accepted, for as long as its challenges live. */
export type Secrets = { readonly current: string; readonly previous?: string | undefined };

/** `malformed`: no challenge could look so. `unknown`: not one of ours. An expired one may have been paid before. */
export type Verdict =
  | { kind: 'ok'; terms: Terms }
  | { kind: 'expired'; terms: Terms }
  | { kind: 'malformed' }
  | { kind: 'unknown' };

/** A challenge for `terms`. Throws RangeError on a short secret and on terms that no header can carry. */
export function issue(terms: Terms, secrets: Secrets): Challenge {
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

/** The value of a `WWW-Authenticate` line. Throws RangeError where it would be longer than `serializedBytesMax`. */
export function serialize(challenge: Challenge): string {
  const parameters = Object.entries(challenge).map(([name, value]) => `${name}="${quotable(value)}"`);
  const line = `Payment ${parameters.join(', ')}`;
  if (line.length > serializedBytesMax) throw new RangeError(`a challenge of ${line.length} bytes`);
  return line;
}

/**
 * Whether `echoed` is a challenge of ours, byte for byte, and what it says. The id is compared before anything is
 * decoded, in constant time. What this route offers now is not looked at: see `fits` and `binds`.
 */
export function verify(echoed: Challenge, secrets: Secrets, nowMs: number): Verdict {
  if (!isBindable(echoed)) return { kind: 'malformed' };
  const keys = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  const known = keys.map((key) => Digest.equal(echoed.id, idOf(echoed, key))).includes(true);
  const terms = known ? termsOf(echoed) : null;
  if (terms === null) return { kind: 'unknown' };
  return { kind: terms.expiresAtMs > nowMs ? 'ok' : 'expired', terms };
}

/**
 * Whether verified `terms` ask for what this route offers now: same realm, method, intent and request, and every
 * member of `offer.opaque` (plan, account) as it is there.
 */
export function fits(
  terms: Terms,
  offer: Pick<Terms, 'realm' | 'method' | 'intent' | 'request' | 'opaque'>,
): boolean {
  return (
    terms.realm === offer.realm &&
    terms.method === offer.method &&
    terms.intent === offer.intent &&
    CanonicalJson.canonicalize(terms.request) === CanonicalJson.canonicalize(offer.request) &&
    Object.entries(offer.opaque).every(([name, value]) => terms.opaque[name] === value)
  );
}

/** Whether verified `terms` were issued for exactly this request body. Terms without a digest bind none. */
export function binds(terms: Terms, body: string | Uint8Array): boolean {
  return terms.digest !== undefined && Digest.equal(terms.digest, Digest.contentDigest(body));
}

type Unsigned = Omit<Challenge, 'id'>;

/** Seven slots, always; the eighth only where the challenge names a field. */
function slots(challenge: Unsigned): string[] {
  const { realm, method, intent, request, expires = '', digest = '', opaque = '', header } = challenge;
  return [realm, method, intent, request, expires, digest, opaque, ...(header === undefined ? [] : [header])];
}

/** Slots are joined by `|`: one inside a slot would let a client move a boundary and keep the id. */
function isBindable(challenge: Unsigned): boolean {
  return slots(challenge).every((slot) => /^[!-{}~]*$/.test(slot));
}

function idOf(challenge: Unsigned, secret: string): string {
  if (Buffer.byteLength(secret) < secretBytesMin) throw new RangeError('the challenge secret is too short');
  return createHmac('sha256', secret).update(slots(challenge).join('|')).digest('base64url');
}

function termsOf({ realm, method, intent, ...challenge }: Challenge): Terms | null {
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

/** The inside of a quoted-string (RFC 9110, section 5.6.4). */
function quotable(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
