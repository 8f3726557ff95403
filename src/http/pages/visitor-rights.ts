import type { IdentityContext } from '../../identity/identity-context.ts';
import { type AccountAction, denial } from '../../identity/permission.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { actionOf, routeOf } from '../account-rights.ts';
import type { Call } from '../request-context.ts';
import type { BrowserSession } from './browser-session.ts';

type Visitor = Pick<BrowserSession, 'account' | 'member'>;

/** Returns true when a visitor may perform an action while the account is not frozen. */
export function may({ member }: Pick<Visitor, 'member'>, action: AccountAction): boolean {
  return denial({ ...rightsOf({ member }), isFrozen: false }, action) === null;
}

function rightsOf({ member }: Pick<Visitor, 'member'>) {
  return { isKey: false, isApplication: false, role: member?.role ?? null };
}

/** Returns why the role of a visitor does not allow an action, in words; null when it does. */
export function roleDenial(
  { texts }: TextsContext,
  { member }: Pick<Visitor, 'member'>,
  action: AccountAction,
): string | null {
  const denied = denial({ ...rightsOf({ member }), isFrozen: false }, action);
  if (denied === null) return null;
  if (denied === 'person_required' || member === null) return texts.text('result.person_required');
  return texts.text('result.role_denied', { role: texts.text(`role.${member.role}`) });
}

/** Returns true when the seller has frozen the account, so that the route can do no such thing. */
export function isFrozenFor(
  { tokenVerifier }: Pick<IdentityContext, 'tokenVerifier'>,
  c: Call,
  { account, member }: Visitor,
): boolean {
  const isFrozen = tokenVerifier.frozen.has(account);
  return denial({ ...rightsOf({ member }), isFrozen }, actionOf(routeOf(c))) === 'frozen';
}
