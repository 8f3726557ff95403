import { seconds } from '@sluice/kernel/clock';
import type { Money } from '@sluice/kernel/money';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import * as KeyRing from './key-ring.ts';
import { algorithm } from './signing-key.ts';
import { parseRole, type Role } from './team/role.ts';

/** Maximum length of a token; the shop's own have about 600 characters. */
export const tokenCharsMax = 4096;
/** Allowed difference between the clocks of two processes of the shop. */
export const clockToleranceSeconds = 5;
const idCharsMax = 128;
/** Stricter than JWS decoders, which may skip blanks and padding: otherwise one token would have many spellings, each with its own cache entry. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Distinguishes one kind of token from all others (RFC 8725, sections 3.11 and 3.12). */
export type Profile = { typ: string; audiencePath: string; lifeSeconds: number; required: readonly string[] };

/** The account and session of a token. */
export type TokenSession = {
  /** The account that pays and is paid for: `sub`. */
  account: string;
  /** The registration or sign-in that all its tokens descend from, and that a revocation can name: `sid`. */
  sid: string;
  /** The person whom the session belongs to, with the role at the time of issue; null when it belongs to the account itself. */
  member: { id: string; role: Role } | null;
  /** Counts the changes of the person's role, or the ends of the account's own sessions. A change refuses the tokens issued before. */
  epoch: number;
};

export type Claims = TokenSession & {
  jti: string;
  /** Names person or account with the epoch: a revocation of it refuses all tokens issued before a change of rights. */
  holder: string;
  /** True for the access token of an application that a person connected. */
  isApplication: boolean;
  issuedMs: number;
  expiresMs: number;
  /** Present when the caller used an account key. */
  key?: CallerKey;
};

/** The limits of a caller with an account key: a budget in micro-dollars and the slugs of services; null: no limit. */
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

/** Returns the id under which the tokens of a holder and epoch are revoked. */
export function holderId({ account, member, epoch }: Omit<TokenSession, 'sid'>): string {
  return `${member?.id ?? account}.${epoch}`;
}

/** Signs a token of `profile` for `session`, with the common claims and those in `extra`. */
export async function issue(
  ring: KeyRing.KeyRing,
  profile: Profile,
  session: TokenSession,
  jti: string,
  extra: JWTPayload,
  nowMs: number,
): Promise<Issued> {
  const key = KeyRing.signer(ring, nowMs);
  const iat = seconds(nowMs);
  const exp = iat + profile.lifeSeconds;
  const { account, sid, member, epoch } = session;
  const own = member === null ? {} : { mem: member.id, role: member.role };
  const token = await new SignJWT({ ...extra, sid, ...own, ...(epoch > 0 && { epo: epoch }) })
    .setProtectedHeader({ alg: algorithm, typ: profile.typ, kid: key.kid })
    .setIssuer(ring.issuer)
    .setAudience(ring.issuer + profile.audiencePath)
    .setSubject(account)
    .setJti(jti)
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(key.privateKey);
  const isApplication = isApplicationOf(extra.client_id, sid);
  const times = { issuedMs: iat * 1000, expiresMs: exp * 1000 };
  const holder = holderId(session);
  return { token, claims: { account, sid, member, epoch, jti, holder, isApplication, ...times } };
}

/**
 * Checks that `token` is of `profile`, signed by a key of the ring, and valid now. Only a genuine token can be `expired`.
 * The key is looked up in the ring by `kid`; `jwk`, `jku` and `x5u` in a header are ignored.
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
  const { sub, sid, jti, iat, exp, aud, mem, role, epo = 0, client_id } = payload;
  if (!isId(sub) || !isId(sid) || !isId(jti) || !isTime(iat) || !isTime(exp)) return null;
  // The shop never issues a token with a list of audiences.
  if (aud !== audience) return null;
  const member = mem === undefined ? null : memberOf(mem, role);
  if (member === undefined || !isTime(epo) || epo < 0) return null;
  const end = Math.min(exp, iat + profile.lifeSeconds);
  const session = { account: sub, sid, member, epoch: epo };
  const times = { issuedMs: iat * 1000, expiresMs: end * 1000 };
  const isApplication = isApplicationOf(client_id, sid);
  return { ...session, jti, holder: holderId(session), isApplication, ...times };
}

/** A registered agent is its own client, so that its `client_id` is the `sid`. */
function isApplicationOf(clientId: unknown, sid: string): boolean {
  return clientId !== undefined && clientId !== sid;
}

/** Undefined when the claims name no person and role. */
function memberOf(id: unknown, role: unknown): TokenSession['member'] | undefined {
  const known = parseRole(role);
  return isId(id) && known !== null ? { id, role: known } : undefined;
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
