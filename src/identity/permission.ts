/** An action of an identified caller on an account. */
export type AccountAction = 'read' | 'read_keys' | 'spend' | 'end_charges' | 'change' | 'change_keys';

/** `whenFrozen`: the action is allowed while the seller has frozen the account. `withKey`: an account key may do it, not only a token. */
const permissions: Readonly<Record<AccountAction, { whenFrozen: boolean; withKey: boolean }>> = {
  read: { whenFrozen: true, withKey: true },
  // A key cannot manage keys, because it could then evade its own limits.
  read_keys: { whenFrozen: true, withKey: false },
  change_keys: { whenFrozen: false, withKey: false },
  spend: { whenFrozen: false, withKey: true },
  // An account must not keep paying because it is frozen, or because its tokens are lost.
  end_charges: { whenFrozen: true, withKey: true },
  change: { whenFrozen: false, withKey: false },
};

/** Returns why a caller may not perform an action; null when it may. */
export function denial(
  { isFrozen, isKey }: { isFrozen: boolean; isKey: boolean },
  action: AccountAction,
): 'frozen' | 'key_not_allowed' | null {
  const { whenFrozen, withKey } = permissions[action];
  if (isFrozen && !whenFrozen) return 'frozen';
  return isKey && !withKey ? 'key_not_allowed' : null;
}
