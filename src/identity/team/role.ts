/** The roles of the persons of an account, the most powerful first. */
export const roles = ['owner', 'admin', 'billing', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** A right within an account. */
export type Right =
  /** Sees the balance, the plans, the usage and the persons. */
  | 'read'
  /** Calls operations, and tries them in pages. */
  | 'call'
  /** Creates keys, and revokes their own. */
  | 'keys'
  /** Sees and revokes the keys and applications of all persons. */
  | 'all_keys'
  /** Sees receipts, cards and billing details. */
  | 'read_billing'
  /** Buys, changes and cancels plans, cards, automatic top-ups and billing details; asks for refunds. */
  | 'billing'
  /** Invites and removes persons and changes their roles, except owners; reads the audit list. */
  | 'team'
  /** Makes and removes owners; ends the sessions that belong to no person. */
  | 'owners'
  /** Gives an account that belongs to no person an email address. */
  | 'claim';

const ofRole: Readonly<Record<Role, readonly Right[]>> = {
  owner: ['read', 'call', 'keys', 'all_keys', 'read_billing', 'billing', 'team', 'owners'],
  admin: ['read', 'call', 'keys', 'all_keys', 'read_billing', 'billing', 'team'],
  billing: ['read', 'read_billing', 'billing'],
  developer: ['read', 'call', 'keys'],
  viewer: ['read', 'read_billing'],
};

/** The rights of tokens that belong to no person: those of an agent or a browser that registered the account, and of a wallet. */
const ofAccount: readonly Right[] = ['read', 'call', 'keys', 'all_keys', 'read_billing', 'billing', 'claim'];

/** Returns true when `role` has `right`; null is a token that belongs to no person. */
export function can(role: Role | null, right: Right): boolean {
  return (role === null ? ofAccount : ofRole[role]).includes(right);
}

/** Returns the roles that have `right`, the most powerful first. */
export function rolesWith(right: Right): Role[] {
  return roles.filter((role) => can(role, right));
}

/** Returns `text` as a role, or null. */
export function parseRole(text: unknown): Role | null {
  return roles.find((role) => role === text) ?? null;
}

/** Returns the roles that a person with `role` may give and take. */
export function manageable(role: Role | null): Role[] {
  if (role === null || !can(role, 'team')) return [];
  return roles.filter((one) => can(role, 'owners') || !can(one, 'owners'));
}
