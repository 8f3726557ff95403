import * as Money from '@sluice/kernel/money';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as Statement from '../ledger/statement.ts';

/** Returns the money that an account can spend now, without the units of a plan. */
export async function balance(
  { statements, clock }: Pick<IdentityContext, 'clock'> & Pick<LedgerContext, 'statements'>,
  account: string,
): Promise<Money.Money> {
  return Money.ofMicro(Statement.remaining(await statements.of(account), 'usd', clock()));
}

/** Returns all that an account can use now: its credit, and the units and dollars of its plans. */
export async function usable(
  { statements, clock }: Pick<IdentityContext, 'clock'> & Pick<LedgerContext, 'statements'>,
  account: string,
): Promise<{ credit: Money.Money; units: number; includedUsd: Money.Money }> {
  const [lots, nowMs] = [await statements.of(account), clock()];
  return {
    credit: Money.ofMicro(Statement.remaining(lots, 'usd', nowMs)),
    units: Statement.remaining(lots, 'unit', nowMs),
    includedUsd: Money.ofMicro(Statement.includedUsd(lots, nowMs) ?? 0),
  };
}
