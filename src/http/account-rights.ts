import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { AccountAction } from '../identity/permission.ts';

/** The action that a route performs on the account of its caller, and the entry that a success adds to the account's audit list. */
type Route = { action: AccountAction; event?: string };

const only = (action: AccountAction): Route => ({ action });
const noted = (action: AccountAction, event: string): Route => ({ action, event });

/** The rights of the JSON routes. Their own statements record what is done to keys and persons. */
const api = {
  'GET /account': only('read'),
  'POST /account/plans/:id/cancel': noted('end_charges', 'plan_cancelled'),
  'POST /account/plans/:id/resume': noted('change_billing', 'plan_resumed'),
  'POST /account/plans/:id/change': noted('change_billing', 'plan_changed'),
  'POST /account/subscriptions/:id/cancel': noted('end_charges', 'plan_cancelled'),
  'POST /account/subscriptions/:id/resume': noted('change_billing', 'plan_resumed'),
  'POST /account/subscriptions/:id/change': noted('change_billing', 'plan_changed'),
  'POST /account/subscriptions/:id/card': noted('change_billing', 'card_page_opened'),
  'GET /account/keys': only('read_keys'),
  'POST /account/keys': only('change_keys'),
  'DELETE /account/keys/:id': only('change_keys'),
  'GET /account/usage': only('read'),
  'GET /account/calls': only('read'),
  'GET /account/calls/:id': only('read'),
  'GET /account/auto-top-up': only('read_billing'),
  'PUT /account/auto-top-up': noted('change_billing', 'top_up_changed'),
  'POST /account/promotions': noted('change_billing', 'promotion_redeemed'),
  'GET /account/receipts': only('read_billing'),
  'GET /account/receipts/:purchase/invoice': only('read_billing'),
  'GET /account/team': only('read_team'),
  'GET /account/team/events': only('read_events'),
  'POST /account/team/invitations': only('change_team'),
  'POST /account/team/invitations/:id/resend': only('change_team'),
  'DELETE /account/team/invitations/:id': only('change_team'),
  'PATCH /account/team/members/:id': only('change_team'),
  'DELETE /account/team/members/:id': only('leave'),
  'POST /account/team/transfer': only('change_owners'),
  'POST /account/team/tokens/end': only('change_owners'),
  'POST /purchases/:id/refund-request': noted('change_billing', 'refund_requested'),
  'GET /purchases/:id/refund-request': only('read_billing'),
  'GET /purchases/:id': only('read'),
  'POST /plans/:planId/purchase': only('buy'),
  'POST /oauth2/introspect': only('read'),
} as const satisfies Readonly<Record<string, Route>>;

/** The rights of the pages and their forms. */
const pages = {
  'GET /shop/account': only('read'),
  'GET /shop/account/usage': only('read'),
  'GET /shop/account/calls.csv': only('read'),
  'GET /shop/account/keys': only('read_keys'),
  'GET /shop/account/billing': only('read_billing'),
  // Without a person it explains how to become one; the persons are behind `read_team`.
  'GET /shop/account/team': only('read'),
  'GET /shop/account/settings': only('read'),
  'GET /shop/account/close': only('read'),
  'GET /shop/account/cancel': only('end_charges'),
  'POST /shop/account/cancel': noted('end_charges', 'plan_cancelled'),
  'GET /shop/account/keys/end': only('read_keys'),
  'POST /shop/account/keys': only('change_keys'),
  'POST /shop/account/keys/end': only('change_keys'),
  'GET /shop/account/connections/end': only('connect'),
  'POST /shop/account/connections/end': noted('connect', 'application_disconnected'),
  'POST /shop/account/sessions/end': noted('leave', 'session_ended'),
  'POST /shop/account/sessions/end-others': noted('leave', 'other_sessions_ended'),
  'GET /shop/account/top-up/end': only('end_charges'),
  'POST /shop/account/top-up/end': noted('end_charges', 'top_up_changed'),
  'POST /shop/account/top-up': noted('change_billing', 'top_up_changed'),
  'GET /shop/account/change': only('change_billing'),
  'POST /shop/account/change': noted('change_billing', 'plan_changed'),
  'POST /shop/account/card': noted('change_billing', 'card_page_opened'),
  'POST /shop/account/resume': noted('change_billing', 'plan_resumed'),
  'POST /shop/account/promotion': noted('change_billing', 'promotion_redeemed'),
  'POST /shop/account/details': noted('change_billing', 'billing_details_changed'),
  'POST /shop/account/refund': noted('change_billing', 'refund_requested'),
  'POST /shop/account/credit': noted('buy', 'purchase_started'),
  'POST /shop/buy': noted('buy', 'purchase_started'),
  'GET /shop/account/portal': noted('change_billing', 'portal_opened'),
  'POST /shop/account/claim': only('claim'),
  'POST /shop/account/claim/complete': only('claim'),
  'POST /shop/account/switch': only('switch'),
  'POST /shop/account/team': only('change_team'),
  'POST /shop/account/team/resend': only('change_team'),
  'POST /shop/account/team/withdraw': only('change_team'),
  'POST /shop/account/team/role': only('change_team'),
  'GET /shop/account/team/remove': only('change_team'),
  'POST /shop/account/team/remove': only('change_team'),
  'GET /shop/account/team/leave': only('leave'),
  'POST /shop/account/team/leave': only('leave'),
  'GET /shop/account/team/transfer': only('change_owners'),
  'POST /shop/account/team/transfer': only('change_owners'),
  'GET /shop/account/team/tokens': only('change_owners'),
  'POST /shop/account/team/tokens': only('change_owners'),
  'POST /shop/authorize': noted('connect', 'application_connected'),
} as const satisfies Readonly<Record<string, Route>>;

/** The rights of the tools of /mcp. */
const tools = {
  'MCP request': only('read'),
  'MCP call': only('call'),
  'MCP buy': only('buy'),
  'MCP result': only('read_results'),
  'MCP account': only('read'),
} as const satisfies Readonly<Record<string, Route>>;

/** Every route and tool that acts on the account of its caller. Callers are identified by it, so a route that is not listed refuses everyone. */
export const accountRoutes = { ...api, ...pages, ...tools };
export type AccountRoute = keyof typeof accountRoutes;

/** Returns the route of a request. Throws for one that is not listed. */
export function routeOf(c: Context): AccountRoute {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  const route = `${method} ${routePath(c)}`;
  if (!Object.hasOwn(accountRoutes, route)) throw new Error(`${route} has no entry in the table of rights`);
  return route as AccountRoute;
}

/** Returns the action of a route. */
export function actionOf(route: AccountRoute): AccountAction {
  return accountRoutes[route].action;
}

/** Returns the entry that a success of a route adds to the audit list; null for none. */
export function eventOf(route: AccountRoute): string | null {
  const found: Route = accountRoutes[route];
  return found.event ?? null;
}
