import * as CommandLine from '@sluice/kernel/command-line';
import * as Money from '@sluice/kernel/money';
import * as Accounts from '../../adapters/postgres/accounts.ts';
import { openFees } from '../../adapters/postgres/fees.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Fees from '../../journeys/fees.ts';
import * as ReconciliationReport from '../../journeys/reconciliation-report.ts';
import * as RestoreOrders from '../../journeys/restore-orders.ts';
import type { FeeSum } from '../../payment/fee.ts';
import { openBackOffice } from '../back-office.ts';
import * as Wait from '../wait.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const help = `Compares the ledger with the card processor, and with the chain if X402_RPC_URL is set: payments, refunds, disputes.

  sluice reconcile                        compares the last 30 days
  sluice reconcile --days 7 --repair      also repairs differences
  sluice reconcile --restored             use it after an older backup was restored (docs/backup.md)

  --days      the number of days to compare
  --repair    repairs what can be repaired: grants what was paid, takes back the credit of refunds, resolves charges in doubt, and enters
              orders again that were paid and are not in the ledger. It never charges or refunds anything.
  --restored  like --repair, and first enters the purchases since the backup again, with their accounts, from the data in their payments.
              Payments to another shop (another PUBLIC_URL) that uses the same processor account are left alone; FORMER_PUBLIC_URLS
              names the addresses that this shop had before.
  --json      prints the result as JSON

The output also lists the processor's fees for charges, refunds and disputes, as far as they are recorded. The command reads the fees of at
most 20 payments; the running storefront reads the others.

Exit code: 0 both agree (also after a repair), 1 they do not, 2 they could not be compared.`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    days: { type: 'string', default: '30' },
    repair: { type: 'boolean', default: false },
    restored: { type: 'boolean', default: false },
    json: { type: 'boolean' },
  });
  CommandLine.noMore(positionals);
  if (!/^\d{1,4}$/.test(values.days))
    throw new CommandLine.Misuse(`--days ${values.days} is not a number of days from 0 to 9999`);
  const office = await openBackOffice(process.env);
  try {
    const sinceMs = office.paymentContext.clock() - Number(values.days) * dayMs;
    const plans = await plansSold();
    const accounts = Accounts.openAccounts(office.sql);
    const entered = values.restored
      ? await RestoreOrders.restore(office.paymentContext, accounts, plans, sinceMs)
      : [];
    if (values.restored) console.error(`${entered.length} purchases were entered again.`);
    const comparison = await Wait.during('Comparing with the processor', () =>
      ReconciliationReport.compare(
        office.paymentContext,
        sinceMs,
        values.repair || values.restored,
        async (payment) => {
          // Only --restored creates an account that the database does not have.
          const isKnown = payment.account === null || (await accounts.find(payment.account)) !== null;
          return isKnown ? RestoreOrders.restoreOrder(office.paymentContext, payment, plans) : null;
        },
      ),
    );
    const record = openFees(office.sql);
    await Wait.during('Reading fees', () => Fees.collect({ ...office.paymentContext, fees: record }));
    const fees = await record.sums(sinceMs);
    const report = [inWords(comparison), ...fees.map(feesInWords)].join('\n');
    console.log(values.json ? JSON.stringify({ entered, ...comparison, fees }, null, 2) : report);
    return comparison.differences.every(({ state }) => state === 'repaired') ? 0 : 1;
  } finally {
    await office.close();
  }
}

async function plansSold(): Promise<RestoreOrders.Plans> {
  const { plans, retired } = await CatalogFile.load(catalogPath(process.env));
  return new Map([...retired, ...plans].map(({ id, kind }) => [id, kind]));
}

function inWords({
  payments,
  taken,
  reversed,
  unproved,
  foreign,
  differences,
}: ReconciliationReport.Comparison): string {
  const usd = (money: Money.Money) => `${Money.format(money)} USD`;
  const lines = [
    `${payments} payments`,
    `  received  ${usd(taken.processor)} at the processor, ${usd(taken.books)} in the ledger`,
    `  returned  ${usd(reversed.processor)} at the processor, ${usd(reversed.books)} in the ledger`,
  ];
  if (unproved > 0)
    lines.push(
      `${unproved} payments in dollar tokens are not compared; set X402_RPC_URL to compare them with the chain`,
    );
  lines.push(...foreignInWords(foreign));
  if (differences.length === 0) return [...lines, 'Both agree.'].join('\n');
  const says = { repaired: 'repaired', repairable: '--repair fixes it', person: 'needs your review' };
  const told = differences.map(
    ({ kind, order, payment, detail, state }) =>
      `  ${kind} ${order ?? ''} ${payment ?? ''}\n    ${detail} (${says[state]})`,
  );
  return [...lines, `${differences.length} differences:`, ...told].join('\n');
}

/** Lists the origins that foreign payments name, so that a wrong PUBLIC_URL is noticed. */
function foreignInWords(foreign: ReconciliationReport.Comparison['foreign']): string[] {
  const shops = Object.entries(foreign);
  if (shops.length === 0) return [];
  const total = shops.reduce((sum, [, count]) => sum + count, 0);
  return [
    `${total} other payments in the same Stripe account do not have this shop's mark and are ignored:`,
    ...shops.map(([shop, count]) => `  ${count} ${shop === '' ? 'name no shop' : `were taken by ${shop}`}`),
    ...(shops.some(([shop]) => shop !== '')
      ? ['  If one of these addresses was this shop\u2019s, add it to FORMER_PUBLIC_URLS and run this again.']
      : []),
  ];
}

/** Formats the processor's fees by currency and kind. */
function feesInWords({ currency, kind, count, amount, fee, tax, net }: FeeSum): string {
  const shown = (money: Money.Money) => `${Money.format(money)} ${currency.toUpperCase()}`;
  const taxed = tax === 0 ? '' : `, ${shown(tax)} of them tax`;
  return `Fees of ${count} ${kind}s: ${shown(fee)}${taxed}; ${shown(amount)} gross, ${shown(net)} net`;
}
