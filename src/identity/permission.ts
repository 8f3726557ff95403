import { can, type Right, type Role } from './team/role.ts';

/** An action of an identified caller on an account. */
export type AccountAction =
  | 'read'
  | 'read_billing'
  | 'read_keys'
  | 'read_results'
  | 'change_keys'
  | 'call'
  | 'buy'
  | 'change_billing'
  | 'end_charges'
  | 'connect'
  | 'claim'
  | 'read_team'
  | 'switch'
  | 'leave'
  | 'read_events'
  | 'change_team'
  | 'change_owners';

type Rule = {
  /** The right that a person needs. */
  right: Right;
  /** The action is allowed while the seller has frozen the account. */
  whenFrozen?: true;
  /** An account key may do it while the person who created it has this right. Keys of the account itself have the rights of its tokens. */
  withKey?: Right;
  /** No application may do it, because disconnecting the application would not undo it. */
  notByApplication?: true;
  /** Only a person in a session of their own may do it: no application, and no token that belongs to no person. */
  inPerson?: true;
};

const rules: Readonly<Record<AccountAction, Rule>> = {
  read: { right: 'read', whenFrozen: true, withKey: 'read' },
  read_billing: { right: 'read_billing', whenFrozen: true, withKey: 'read_billing' },
  // A key cannot manage keys, because it could then evade its own limits.
  read_keys: { right: 'keys', whenFrozen: true },
  // The stored response of a call is what was sold.
  read_results: { right: 'call', whenFrozen: true, withKey: 'call' },
  change_keys: { right: 'keys', notByApplication: true },
  call: { right: 'call', withKey: 'call' },
  // A key that may call may also pay for its calls: the buyer pays, and no saved card is charged.
  buy: { right: 'billing', withKey: 'call' },
  change_billing: { right: 'billing' },
  // An account must not keep paying because it is frozen, or because its tokens are lost.
  end_charges: { right: 'billing', whenFrozen: true, withKey: 'billing' },
  // An application gets the role of the person who connects it.
  connect: { right: 'read' },
  claim: { right: 'claim' },
  // Addresses of persons are not for programs.
  read_team: { right: 'read', whenFrozen: true, inPerson: true },
  switch: { right: 'read', whenFrozen: true, inPerson: true },
  leave: { right: 'read', whenFrozen: true, inPerson: true },
  read_events: { right: 'team', whenFrozen: true, inPerson: true },
  // An application could otherwise make itself an owner, which disconnecting it would not undo.
  change_team: { right: 'team', inPerson: true },
  change_owners: { right: 'owners', inPerson: true },
};

/** The rights of a caller. `role`: that of the person, or of the person who created the key; null when there is none. */
export type CallerRights = {
  isFrozen: boolean;
  isKey: boolean;
  role: Role | null;
  isApplication: boolean;
};

export type Denial = 'frozen' | 'key_not_allowed' | 'role_not_allowed' | 'person_required';

/** Returns why a caller may not perform an action; null when it may. */
export function denial(caller: CallerRights, action: AccountAction): Denial | null {
  const { isFrozen, isKey, role, isApplication } = caller;
  const { right, whenFrozen = false, withKey, inPerson = false, notByApplication = inPerson } = rules[action];
  if (isFrozen && !whenFrozen) return 'frozen';
  if (isKey && withKey === undefined) return 'key_not_allowed';
  if (isApplication && notByApplication) return 'person_required';
  if (inPerson && (isKey || role === null)) return 'person_required';
  const needed = isKey && withKey !== undefined ? withKey : right;
  return can(role, needed) ? null : 'role_not_allowed';
}
