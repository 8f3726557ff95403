import type { Right } from '../../identity/operators/role.ts';

/** The right that each page of the console needs. A page that is not listed cannot be added. */
export const pageRights = {
  '/admin': 'read',
  '/admin/console/accounts': 'read',
  '/admin/console/accounts.csv': 'export',
  '/admin/console/accounts/:id': 'read',
  '/admin/console/accounts/:id/grant': 'support',
  '/admin/console/accounts/:id/freeze': 'support',
  '/admin/console/accounts/:id/cancel': 'support',
  '/admin/console/payments': 'read',
  '/admin/console/payments.csv': 'export',
  '/admin/console/payments/:id': 'read',
  '/admin/console/payments/:id/refund': 'refund',
  '/admin/console/codes': 'read',
  '/admin/console/codes/:code/end': 'codes',
  '/admin/console/events': 'read',
  '/admin/console/events/openapi.json': 'read',
  '/admin/console/events/types': 'read',
  '/admin/console/events/endpoints/:id/edit': 'endpoints',
  '/admin/console/events/endpoints/:id/remove': 'endpoints',
  '/admin/console/events/endpoints/:id/secret': 'endpoints',
  '/admin/console/events/:id': 'read',
  '/admin/console/catalogue': 'read',
  '/admin/console/catalogue/plans': 'publish',
  '/admin/console/catalogue/prices': 'publish',
  '/admin/console/catalogue/brand': 'publish',
  '/admin/console/catalogue/file': 'publish',
  '/admin/console/catalogue/publish': 'read',
  '/admin/console/catalogue/history/:id': 'read',
  '/admin/console/health': 'read',
  '/admin/console/audit': 'read',
  '/admin/console/audit.csv': 'export',
  '/admin/console/team': 'read',
  '/admin/console/me': 'own',
  '/admin/console/me/passkeys/:id/remove': 'own',
  '/admin/console/*': 'read',
} as const satisfies Readonly<Record<string, Right>>;

/**
 * The right that each form needs: one for the path, or one for each value of its field `act`. A value that is not listed needs the rights of
 * an owner.
 */
export const actionRights = {
  '/admin/console/accounts/:id': {
    grant: 'support',
    freeze: 'support',
    unfreeze: 'support',
    cancel: 'support',
  },
  '/admin/console/payments/:id': { '': 'refund', answer: 'refund', by_hand: 'refund', decline: 'support' },
  '/admin/console/codes': { create: 'codes', end: 'codes' },
  '/admin/console/events': {
    ...{
      add: 'endpoints',
      change: 'endpoints',
      rotate: 'endpoints',
      replace: 'endpoints',
      enable: 'endpoints',
      disable: 'endpoints',
      remove: 'endpoints',
    },
    ...{ test: 'support', review: 'support', replay: 'support' },
  },
  '/admin/console/events/:id': { again: 'support', now: 'support' },
  '/admin/console/catalogue': 'publish',
  '/admin/console/catalogue/plans': 'publish',
  '/admin/console/catalogue/prices': 'publish',
  '/admin/console/catalogue/brand': 'publish',
  '/admin/console/catalogue/file': 'publish',
  '/admin/console/catalogue/publish': 'publish',
  '/admin/console/health': { verify: 'verify' },
  '/admin/console/team': 'operators',
  '/admin/console/me': 'own',
} as const satisfies Readonly<Record<string, Right | Readonly<Record<string, Right>>>>;

export type PagePath = keyof typeof pageRights;
export type ActionPath = keyof typeof actionRights;

/** Returns the right that the form at `path` needs when it is sent with the field `act`. */
export function actionRight(path: ActionPath, act: string): Right {
  const needed: Right | Readonly<Record<string, Right>> = actionRights[path];
  if (typeof needed === 'string') return needed;
  return (Object.hasOwn(needed, act) ? needed[act] : undefined) ?? 'operators';
}
