import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Registering from '../../journeys/registration.ts';
import { address, type Call } from '../request-context.ts';
import * as BrowserSession from './browser-session.ts';

/** The visitor's account or a new one; `headers` sign the browser in to it. */
export type VisitorAccount =
  | { kind: 'account'; visitor: BrowserSession.BrowserSession; headers: Readonly<Record<string, string>> }
  | { kind: 'limited' };

/** The visitor's account; registers a new one for a browser that has none. */
export async function accountOf(
  shop: Registering.RegisterContext & IdentityContext,
  c: Call,
  clientAddressHeader: string | null,
): Promise<VisitorAccount> {
  const visitor = await BrowserSession.readSession(shop, c);
  if (visitor) return { kind: 'account', visitor, headers: {} };
  const registered = await Registering.register(shop, address(c, clientAddressHeader));
  if (registered.kind !== 'registered') return { kind: 'limited' };
  const { access, assertion } = registered;
  const headers = { 'set-cookie': BrowserSession.remembered(shop, assertion.token) };
  return { kind: 'account', visitor: BrowserSession.sessionOf(access), headers };
}
