import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import type { Operator } from '../../identity/operators/operator.ts';
import type { Role } from '../../identity/operators/role.ts';
import * as SellerSession from '../../identity/seller-session.ts';
import type { SellerContext } from '../../journeys/seller-context.ts';
import type { AdminGuard } from '../api/admin-guard.ts';
import { deviceOf } from '../device.ts';
import * as Cookies from '../pages/cookies.ts';
import type { Call } from '../request-context.ts';

/** The person at the browser. With the admin token, `operator` and `session` are null. */
export type Person = {
  operator: Operator | null;
  role: Role;
  /** The actor in the audit log. */
  who: string;
  /** The digest of the session. */
  session: string | null;
};

/** The dependencies of sign-in, sessions and the frame of all pages. */
export type ConsoleSessionContext = Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<IdentityContext, 'clock'> &
  Pick<SellerContext, 'audit' | 'console' | 'operators' | 'consoleSignIn'>;

const tokenSession: Cookies.Cookie = {
  name: 'sluice_seller',
  maxAgeSeconds: SellerSession.lifeSeconds,
  sameSite: 'Strict',
};
const personSession = (seconds: number): Cookies.Cookie => ({
  name: 'sluice_operator',
  maxAgeSeconds: seconds,
  sameSite: 'Strict',
});

/** Returns true when the admin token signs in to the console: always, or, if the setting says so, only until an owner can sign in. */
export async function acceptsToken({ consoleSignIn, operators }: ConsoleSessionContext): Promise<boolean> {
  return consoleSignIn.acceptsToken || !(await operators.hasOwner());
}

/** Returns the person of the browser's session, or null. */
export async function personOf(
  shop: ConsoleSessionContext,
  guard: AdminGuard,
  c: Call,
): Promise<Person | null> {
  const cookie = Cookies.readCookie(shop, personSession(0), c);
  if (cookie !== null) {
    const session = sha256Hex(cookie);
    const operator = await shop.operators.session(session);
    if (operator !== null)
      return { operator, role: operator.role, who: whoOf(guard, c, operator.email), session };
  }
  const proof = Cookies.readCookie(shop, tokenSession, c) ?? '';
  const isGood = SellerSession.isGood(proof, shop.console.secret, guard.tokenDigest, shop.clock());
  if (!isGood || !(await acceptsToken(shop))) return null;
  return { operator: null, role: 'owner', who: guard.who(c), session: null };
}

/** Returns true for a browser whose session has ended otherwise than by signing out. */
export function hadSession(shop: ConsoleSessionContext, c: Call): boolean {
  return [personSession(0), tokenSession].some((cookie) => Cookies.readCookie(shop, cookie, c) !== null);
}

/** Names a person for the audit log, with the address of the request. */
export function whoOf(guard: AdminGuard, c: Call, email: string): string {
  return `${email} at ${guard.from(c)}`;
}

/**
 * Starts a session with a fresh token and ends the browser's previous one (session fixation). Returns the `Set-Cookie`s: the new session, and
 * the end of a session of the admin token.
 */
export async function start(
  shop: ConsoleSessionContext,
  guard: AdminGuard,
  c: Call,
  operator: Operator,
): Promise<string[]> {
  const { sessionSeconds } = shop.consoleSignIn;
  const cookie = personSession(sessionSeconds);
  const token = secret('ops');
  const before = Cookies.readCookie(shop, cookie, c);
  const expiresMs = shop.clock() + sessionSeconds * 1_000;
  await shop.operators.startSession(
    {
      digest: sha256Hex(token),
      operator: operator.id,
      address: guard.from(c),
      expiresMs,
      device: deviceOf(c.req.header('user-agent')) || null,
    },
    before === null ? null : sha256Hex(before),
    whoOf(guard, c, operator.email),
  );
  return [Cookies.setCookie(shop, cookie, token), Cookies.eraseCookie(shop, tokenSession)];
}

/** Issues the session of the admin token. */
export async function startWithToken(
  shop: ConsoleSessionContext,
  guard: AdminGuard,
  c: Call,
): Promise<string[]> {
  const entry = await shop.audit.open(guard.who(c), 'signed_in', 'console', {});
  await shop.audit.close(entry, { hours: SellerSession.lifeSeconds / 3_600 });
  const proof = SellerSession.issue(shop.console.secret, guard.tokenDigest, shop.clock());
  return [Cookies.setCookie(shop, tokenSession, proof)];
}

/** Ends the browser's sessions. */
export async function end(shop: ConsoleSessionContext, c: Call): Promise<string[]> {
  const cookie = Cookies.readCookie(shop, personSession(0), c);
  if (cookie !== null) await shop.operators.endSession(sha256Hex(cookie), null);
  return [Cookies.eraseCookie(shop, personSession(0)), Cookies.eraseCookie(shop, tokenSession)];
}
