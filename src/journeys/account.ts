import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { Plan } from '../catalog/plan.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as Statement from '../ledger/statement.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { TopUps } from '../payment/top-up.ts';
import { asPlan } from './plan-change.ts';
import { asTopUp } from './top-up.ts';

/** The dependencies of describing an account to its owner. */
export type AccountContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'clock'> &
  Pick<LedgerContext, 'statements'> &
  Pick<PaymentContext, 'subscriptions'> & {
    readonly topUps: Pick<TopUps, 'of'>;
    readonly writer: Pick<LedgerContext['writer'], 'held'>;
  };

/**
 * Returns key information (seed 2.5) about the caller's own plans; the operator's upstream key is not disclosed.
 * `records_remaining` counts included units and the units that included dollars and credit buy at the lowest price.
 */
export async function keyInfo(
  shop: Pick<CatalogContext, 'catalog'> & Pick<IdentityContext, 'clock'> & Pick<LedgerContext, 'statements'>,
  account: string,
  requestId: string,
): Promise<Record<string, unknown>> {
  const nowMs = shop.clock();
  const lots = await shop.statements.of(account);
  const prices = shop.catalog.services
    .filter(({ metering }) => metering === undefined)
    .map((service) => service.price)
    .filter((price) => price > 0);
  const lowest = Math.min(...prices);
  const credit = Statement.remaining(lots, 'usd', nowMs) + (Statement.includedUsd(lots, nowMs) ?? 0);
  const recordsRemaining =
    Statement.remaining(lots, 'unit', nowMs) + (prices.length > 0 ? Math.floor(credit / lowest) : 0);
  const live = lots.filter((lot) => lot.expiresMs === null || lot.expiresMs > nowMs);
  const owned = plansOf(shop).filter((plan) => live.some((lot) => lot.plan === plan.id));
  const resets = Math.min(
    ...live.flatMap(({ resetsMs }) => (resetsMs !== null && resetsMs > nowMs ? [resetsMs] : [])),
  );
  const nextResetAt = Number.isFinite(resets) ? new Date(resets).toISOString() : null;
  return {
    valid: true,
    id: account,
    records_remaining: recordsRemaining,
    next_reset_at: nextResetAt,
    max_requests_per_seconds: Math.max(1, ...owned.map((plan) => plan.requestsPerSecond)),
    allowed_apis: shop.catalog.operations.map(({ path }) => path),
    active_plans: owned.map((plan) => {
      const mine = live.filter((lot) => lot.plan === plan.id);
      const spent = plan.kind === 'trial' && mine.every((lot) => lot.remaining === 0);
      return {
        name: plan.name,
        status: spent ? 'expired' : 'active',
        started_at: new Date(Math.min(...mine.map((lot) => lot.createdMs))).toISOString(),
      };
    }),
    fair_usage: {
      records_used: 0,
      records_remaining: recordsRemaining,
      next_reset_at: nextResetAt,
      request_id: requestId,
    },
  };
}

/** Returns the body of `GET /account`. Amounts are in USD, exact. */
export async function overview(shop: AccountContext, id: string): Promise<Record<string, unknown>> {
  const nowMs = shop.clock();
  const [lots, record, subscriptions, topUp] = await Promise.all([
    shop.statements.of(id),
    shop.accounts.find(id),
    shop.subscriptions.of(id),
    shop.topUps.of(id),
  ]);
  const held = shop.writer.held(id);
  return {
    success: true,
    account: id,
    created_at: record === null ? null : new Date(record.createdMs).toISOString(),
    claimed: record !== null && record.claimedMs !== null,
    balance_usd: usd(Statement.remaining(lots, 'usd', nowMs)),
    held_usd: usd(held.usd),
    included_remaining: Statement.remaining(lots, 'unit', nowMs),
    ...includedUsd(lots, nowMs),
    plans: plansOf(shop)
      .filter((plan) => lots.some((lot) => lot.plan === plan.id))
      .map((plan) => {
        const mine = lots.filter(
          (lot) => lot.plan === plan.id && (lot.expiresMs === null || lot.expiresMs > nowMs),
        );
        const expiresMs = Statement.expiry(mine);
        return {
          id: plan.id,
          name: plan.name,
          kind: plan.kind,
          expires_at: expiresMs === null ? null : new Date(expiresMs).toISOString(),
          ...(plan.kind === 'credit'
            ? { balance_usd: usd(Statement.remaining(mine, 'usd', nowMs)) }
            : { included_remaining: Statement.remaining(mine, 'unit', nowMs), ...includedUsd(mine, nowMs) }),
          requests_per_second: plan.requestsPerSecond,
        };
      }),
    grants: lots
      .filter((lot) => lot.kind === 'grant' && (lot.expiresMs ?? nowMs + 1) > nowMs)
      .map((lot) => ({
        source: lot.source,
        ...(lot.asset === 'usd'
          ? { given_usd: usd(lot.given), remaining_usd: usd(lot.remaining) }
          : { given_units: lot.given, remaining_units: lot.remaining }),
        expires_at: lot.expiresMs === null ? null : new Date(lot.expiresMs).toISOString(),
      })),
    subscriptions: subscriptions.map((one) => asPlan(one, nowMs)),
    auto_top_up: asTopUp(topUp),
  };
}

/** Returns the plans that an account can have: those that are or were for sale. */
function plansOf({ catalog }: Pick<CatalogContext, 'catalog'>): Plan[] {
  return [...catalog.plans, ...catalog.retired];
}

/** The rest of included dollars; no member when no plan includes any. */
function includedUsd(lots: readonly Statement.StatementLot[], nowMs: number): { included_usd?: string } {
  const left = Statement.includedUsd(lots, nowMs);
  return left === null ? {} : { included_usd: usd(left) };
}

function usd(micro: number): string {
  return Money.format(Money.ofMicro(micro));
}
