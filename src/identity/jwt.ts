import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { seconds } from '../kernel/clock.ts';
import type { Money } from '../kernel/money.ts';
import * as KeyRing from './key-ring.ts';
import { algorithm } from './signing-key.ts';

/** The longest token that is looked at; our own have about 600 characters. */
export const tokenCharsMax = 4096;
/** How far the clocks of two processes of the shop may differ. */
export const clockToleranceSeconds = 5;
const idCharsMax = 128;
/** A JWS decoder may pass over blanks and padding; then one token would have endless spellings, each a place in the cache. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What makes one kind of token that kind and no other (RFC 8725, section 3.11 and 3.12). */
export type Profile = { typ: string; audiencePath: string; lifeSeconds: number; required: readonly string[] };

/** Whom a token speaks for. */
export type Session = {
  /** The account that pays and is paid for: `sub`. */
  account: string;
  /** The registration or sign-in that all its tokens descend from, and that a revocation can name: `sid`. */
  sid: string;
};

export type Claims = Session & {
  jti: string;
  issuedMs: number;
  expiresMs: number;
  /** The account's own key, where it is one that is presented. */
  key?: CallerKey;
};

/** What a caller may do who presents a key of the account; null: no limit of its own. In micro-dollars, and slugs. */
export type CallerKey = { id: string; budget: Money | null; services: readonly string[] | null };

export type Reason =
  | 'too_long'
  | 'malformed'
  | 'algorithm'
  | 'unknown_key'
  | 'signature'
  | 'type'
  | 'issuer'
  | 'audience'
  | 'not_yet_valid'
  | 'claims';

export type Verified =
  | { kind: 'ok'; claims: Claims }
  | { kind: 'expired' }
  | { kind: 'invalid'; reason: Reason };
export type Unverified = Exclude<Verified, { kind: 'ok' }>;

export type Issued = { token: string; claims: Claims };

/** Signs a token of `profile` for `session`, with the claims `extra` beside the common ones. */
export async function issue(
  ring: KeyRing.KeyRing,
  profile: Profile,
  session: Session,
  jti: string,
  extra: JWTPayload,
  nowMs: number,
): Promise<Issued> {
  const key = KeyRing.signer(ring, nowMs);
  const iat = seconds(nowMs);
  const exp = iat + profile.lifeSeconds;
  const token = await new SignJWT({ ...extra, sid: session.sid })
    .setProtectedHeader({ alg: algorithm, typ: profile.typ, kid: key.kid })
    .setIssuer(ring.issuer)
    .setAudience(ring.issuer + profile.audiencePath)
    .setSubject(session.account)
    .setJti(jti)
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(key.privateKey);
  return { token, claims: { ...session, jti, issuedMs: iat * 1000, expiresMs: exp * 1000 } };
}

/**
 * Whether `token` is of `profile`, signed by a key of the ring, and in force. Only a genuine token can be `expired`.
 * The key is chosen among our own by `kid`; `jwk`, `jku` and `x5u` in a header are never followed.
 */
export async function verify(
  ring: KeyRing.KeyRing,
  profile: Profile,
  token: string,
  nowMs: number,
): Promise<Verified> {
  if (token.length > tokenCharsMax) return { kind: 'invalid', reason: 'too_long' };
  if (!compact.test(token)) return { kind: 'invalid', reason: 'malformed' };
  const audience = ring.issuer + profile.audiencePath;
  try {
    const { payload } = await jwtVerify(
      token,
      (header) => {
        const key = ring.byKid.get(header.kid ?? '');
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key.publicKey;
      },
      {
        algorithms: [algorithm],
        typ: profile.typ,
        issuer: ring.issuer,
        audience,
        requiredClaims: ['sub', 'sid', 'jti', 'exp', ...profile.required],
        maxTokenAge: profile.lifeSeconds,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(nowMs),
      },
    );
    const claims = parse(payload, profile, audience);
    return claims === null ? { kind: 'invalid', reason: 'claims' } : { kind: 'ok', claims };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { kind: 'expired' };
    if (error instanceof errors.JOSEError) return { kind: 'invalid', reason: reasonOf(error) };
    throw error;
  }
}

function parse(payload: JWTPayload, profile: Profile, audience: string): Claims | null {
  const { sub, sid, jti, iat, exp, aud } = payload;
  if (!isId(sub) || !isId(sid) || !isId(jti) || !isTime(iat) || !isTime(exp)) return null;
  // A list of audiences that names us among others is not a token that we issued.
  if (aud !== audience) return null;
  const end = Math.min(exp, iat + profile.lifeSeconds);
  return { account: sub, sid, jti, issuedMs: iat * 1000, expiresMs: end * 1000 };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= idCharsMax;
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function reasonOf(error: errors.JOSEError): Reason {
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'malformed';
  switch (error.claim) {
    case 'typ':
      return 'type';
    case 'iss':
      return 'issuer';
    case 'aud':
      return 'audience';
    case 'iat':
    case 'nbf':
      return error.reason === 'check_failed' ? 'not_yet_valid' : 'claims';
    default:
      return 'claims';
  }
}
