import * as Accounts from '../../adapters/postgres/accounts.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Comparison from '../../journeys/comparison.ts';
import * as Restoration from '../../journeys/restoration.ts';
import * as Money from '../../kernel/money.ts';
import * as BackOffice from '../back-office.ts';
import * as Command from '../command.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const help = `Compares the shop's books with the card processor's: payments, refunds, disputes.

  sluice reconcile                        the last 30 days, compared
  sluice reconcile --days 7 --repair      and mended
  sluice reconcile --restored             after an older backup was restored (docs/backup.md)

  --days      how far back payments are looked at
  --repair    mend what can be mended: grant what was paid, take back what went back, end charges in doubt. Nothing is ever charged
              or refunded by it.
  --restored  --repair, and before it enter credit again that was bought since the backup, by what its payments say. Only where no
              other shop uses the same account of the processor: its payments would be entered, too.
  --json      the answer for programs

Exit code: 0 both agree (or do so now), 1 they do not, 2 they could not be compared.`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, {
    days: { type: 'string', default: '30' },
    repair: { type: 'boolean', default: false },
    restored: { type: 'boolean', default: false },
    json: { type: 'boolean' },
  });
  Command.noMore(positionals);
  if (!/^\d{1,4}$/.test(values.days))
    throw new Command.Misuse(`--days ${values.days} is no number of days, 0 to 9999`);
  const office = await BackOffice.open(process.env);
  try {
    const sinceMs = office.till.clock() - Number(values.days) * dayMs;
    const entered = values.restored ? await enter(office, sinceMs) : [];
    const comparison = await Comparison.run(office.till, sinceMs, values.repair || values.restored);
    console.log(values.json ? JSON.stringify({ entered, ...comparison }, null, 2) : inWords(comparison));
    return comparison.differences.every(({ state }) => state === 'repaired') ? 0 : 1;
  } finally {
    await office.close();
  }
}

/** The orders that a restored backup did not know, entered again. */
async function enter({ sql, till }: BackOffice.Office, sinceMs: number): Promise<string[]> {
  const { plans } = await CatalogFile.load(catalogPath(process.env));
  const credit = new Set(plans.filter(({ kind }) => kind === 'credit').map(({ id }) => id));
  const entered = await Restoration.run(till, Accounts.openAccounts(sql), credit, sinceMs);
  console.error(`${entered.length} purchases were entered again.`);
  return entered;
}

function inWords({ payments, taken, reversed, differences }: Comparison.Comparison): string {
  const usd = (money: Money.Money) => `${Money.format(money)} USD`;
  const lines = [
    `${payments} payments`,
    `  taken     ${usd(taken.processor)} says the processor, ${usd(taken.books)} say the books`,
    `  gone back ${usd(reversed.processor)} says the processor, ${usd(reversed.books)} say the books`,
  ];
  if (differences.length === 0) return [...lines, 'Both agree.'].join('\n');
  const says = { repaired: 'mended', repairable: '--repair mends it', person: 'for you to look at' };
  const told = differences.map(
    ({ kind, order, payment, detail, state }) =>
      `  ${kind} ${order ?? ''} ${payment ?? ''}\n    ${detail} (${says[state]})`,
  );
  return [...lines, `${differences.length} differences:`, ...told].join('\n');
}
