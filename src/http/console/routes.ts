import type { Hono } from 'hono';
import type { Reload } from '../../journeys/reload.ts';
import type { AdminGuard } from '../api/admin-guard.ts';
import type { Env } from '../request-context.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import * as Console from './console.ts';
import * as LoginPage from './pages/login-page.ts';
import type { AccountSectionContext } from './routes/account-page.ts';
import * as Accounts from './routes/accounts.ts';
import * as Audit from './routes/audit.ts';
import * as Catalogue from './routes/catalogue.ts';
import * as Codes from './routes/codes.ts';
import * as Events from './routes/events.ts';
import * as Health from './routes/health.ts';
import * as Me from './routes/me.ts';
import * as Overview from './routes/overview.ts';
import * as Payments from './routes/payments.ts';
import * as Team from './routes/team.ts';
import type { ConsoleSessionContext } from './sessions.ts';

/** The dependencies of the whole console. Each section takes only its own part. */
type ConsoleContext = ConsoleSessionContext &
  Team.TeamContext &
  AccountSectionContext &
  Payments.PaymentSectionContext &
  Overview.OverviewContext &
  Codes.CodesContext &
  Health.HealthContext;

type RouteOptions = {
  isDraining: () => boolean;
  reload: Reload;
  log: { fault: (fault: unknown, requestId: string) => void };
};

/** The seller's console. The navigation lists the sections in this order. */
export function consoleRoutes(
  shop: ConsoleContext,
  guard: AdminGuard,
  metrics: Metrics,
  { isDraining, reload, log }: RouteOptions,
): Hono<Env> {
  const { console, app } = Console.createConsole(shop, guard, log.fault);
  Overview.addOverviewSection(console, shop, metrics);
  Accounts.addAccountSection(console, shop);
  Payments.addPaymentSection(console, shop);
  Codes.addCodesSection(console, shop);
  Events.addEventSection(console, shop);
  Catalogue.addCatalogueSection(console, reload);
  Health.addHealthSection(console, shop, isDraining, metrics);
  Audit.addAuditSection(console, shop);
  Team.addTeamSection(console, shop);
  Me.addOwnPage(console, shop);
  // Registered last: matches every path that no section has.
  console.addPage('/admin/console/*', async () => {
    const text =
      'The console has no page at this address. Choose a section above, or search by an email address or an id.';
    const search = { path: '/admin/console/accounts', name: 'Search the accounts' };
    const payments = { path: '/admin/console/payments', name: 'Search the payments' };
    const main = LoginPage.problem('Page not found', text, search, payments);
    return { title: 'Page not found', status: 404, main };
  });
  return app;
}
