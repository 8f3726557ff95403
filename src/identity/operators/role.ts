/** The roles of the persons who use the seller's console. */
export const roles = ['owner', 'finance', 'support', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** A right that a page or an action of the console requires. */
export type Right =
  /** Reads every page. */
  | 'read'
  /** Changes the person's own passkeys and sessions. */
  | 'own'
  /** Exports tables, which contain the addresses of buyers. */
  | 'export'
  /** Grants credit, freezes accounts, declines refund requests. */
  | 'support'
  /** Refunds payments and ends subscriptions. */
  | 'refund'
  /** Creates and ends promotion codes. */
  | 'codes'
  /** Verifies the ledger, which reads the whole database. */
  | 'verify'
  /** Publishes the catalogue: plans, prices and branding. */
  | 'publish'
  /** Adds, changes and removes the endpoints of events, which receive data of buyers. */
  | 'endpoints'
  /** Invites and removes persons, and changes their roles. */
  | 'operators';

const rights: Readonly<Record<Role, readonly Right[]>> = {
  owner: [
    'read',
    'own',
    'export',
    'support',
    'refund',
    'codes',
    'verify',
    'publish',
    'endpoints',
    'operators',
  ],
  finance: ['read', 'own', 'export', 'refund', 'codes', 'verify'],
  support: ['read', 'own', 'support'],
  viewer: ['read', 'own'],
};

/** Returns true when `role` has `right`. */
export function can(role: Role, right: Right): boolean {
  return rights[role].includes(right);
}

/** Returns the roles that have `right`, the most powerful first. */
export function rolesWith(right: Right): Role[] {
  return roles.filter((role) => can(role, right));
}

/** Returns `text` as a role, or null. */
export function parseRole(text: string): Role | null {
  return roles.find((role) => role === text) ?? null;
}
