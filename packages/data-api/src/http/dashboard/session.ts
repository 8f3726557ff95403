import * as BrowserCookie from '@sluice/kernel/browser-cookie';
import { sha256Hex } from '@sluice/kernel/digest';
import * as SealedSession from '@sluice/kernel/sealed-session';
import * as Key from '../../keys/key.ts';
import * as Admin from '../admin.ts';

/** A signed-in visitor: the operator with the admin token, or the holder of a key. `digest` is that of the holder's secret. */
export type Session = { kind: 'operator' } | { kind: 'holder'; key: Key.Presented; digest: string };

export type SessionContext = {
  /** Shared by all processes on the database. */
  sessionSecret: string;
  /** SHA-256 of the admin token; null if there is no operator's part. */
  tokenDigest: string | null;
  keys: Pick<Key.Keys, 'byDigest'>;
  publicUrl: string;
};

export const lifeHours = 8;
const lifeSeconds = lifeHours * 60 * 60;
const cookie: BrowserCookie.Cookie = {
  name: 'sluice_dashboard',
  maxAgeSeconds: lifeSeconds,
  sameSite: 'Strict',
};
const operator = 'operator';

/**
 * Signs in with a key's secret or the admin token. Returns the `Set-Cookie`, or null for a text that opens nothing. The cookie contains a
 * proof, and for holders the digest of their secret. It ends after eight hours, and as soon as the secret or the token ends.
 */
export async function signIn(
  context: SessionContext,
  credential: string,
  nowMs: number,
): Promise<string | null> {
  const { tokenDigest } = context;
  if (Key.isWellFormed(credential)) {
    const digest = Key.digest(credential);
    return (await holderOf(context, digest, nowMs)) ? remembered(context, digest, nowMs) : null;
  }
  const isOperator = tokenDigest !== null && Admin.opens({ tokenDigest }, credential);
  return isOperator ? remembered(context, operator, nowMs) : null;
}

/** The `Set-Cookie` of a visitor: `operator`, or the digest of a holder's secret. */
export function remembered(context: SessionContext, visitor: string, nowMs: number): string {
  const proof = SealedSession.issue(context.sessionSecret, subject(context, visitor), lifeSeconds, nowMs);
  return BrowserCookie.set(context.publicUrl, cookie, `${visitor}.${proof}`);
}

export function forgotten({ publicUrl }: SessionContext): string {
  return BrowserCookie.erase(publicUrl, cookie);
}

/** Reads the session from the `Cookie` header; null if it is missing or has ended. */
export async function read(
  context: SessionContext,
  header: string | null,
  nowMs: number,
): Promise<Session | null> {
  const name = BrowserCookie.nameOf(context.publicUrl, cookie);
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const [, visitor = '', proof = ''] = /^(operator|[0-9a-f]{64})\.(.+)$/.exec(value) ?? [];
  if (!SealedSession.isGood(proof, context.sessionSecret, subject(context, visitor), nowMs)) return null;
  if (visitor === operator) return context.tokenDigest === null ? null : { kind: 'operator' };
  const key = await holderOf(context, visitor, nowMs);
  return key && { kind: 'holder', key, digest: visitor };
}

async function holderOf({ keys }: SessionContext, digest: string, nowMs: number) {
  const key = await keys.byDigest(digest);
  return key !== null && Key.isOpen(key, nowMs) ? key : null;
}

/** The text that is sealed. A new admin token ends the operator's sessions. */
function subject({ tokenDigest }: SessionContext, visitor: string): string {
  return visitor === operator ? `operator ${tokenDigest ?? ''}` : `holder ${sha256Hex(visitor)}`;
}
