import * as CommandLine from '@sluice/kernel/command-line';
import * as Money from '@sluice/kernel/money';
import * as LedgerAudit from '../../adapters/postgres/ledger-audit.ts';
import * as VerifyClosings from '../../journeys/verify-closings.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';
import * as Wait from '../wait.ts';

export const help = `Reads the whole ledger of a shop in one snapshot. It can run beside the shop, or on a standby (DATABASE_READ_URL), and changes nothing.

  sluice ledger verify    checks that all balances add up, and lists every violation of docs/guarantees.md
  sluice ledger value [account]
                          shows for each account: money paid, what it bought at the prices of the time, and what remains
  sluice ledger totals    shows what was paid in, granted, spent and expired, and what remains

  --json                  prints the result as JSON

Exit code: 0 the ledger is consistent, 1 it is not, 2 it could not be read.`;

const breachesShownMax = 50;
const accountsShownMax = 10_000;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, { json: { type: 'boolean' } });
  const [given, account, ...rest] = positionals;
  const verb = CommandLine.choose(given, ['verify', 'totals', 'value']);
  CommandLine.noMore(verb === 'value' || account === undefined ? rest : [account, ...rest]);
  if (verb === 'value') return showValues(account ?? null, values.json === true);
  const proof = await read().catch((fault: unknown) => {
    throw new Error(`The ledger could not be read: ${reason(fault)}`);
  });
  const holds = proof.breaches.length === 0;
  if (verb === 'totals')
    return Command.tell(
      values.json ? JSON.stringify(proof.totals, null, 2) : proof.totals.map(total).join('\n'),
      0,
    );
  console.log(values.json ? JSON.stringify({ holds, ...proof }, null, 2) : text(proof));
  return holds ? 0 : 1;
}

/** Reads the ledger, and verifies the signed records of closed days. Their archives are read by `sluice usage verify`. */
async function read(): Promise<LedgerAudit.Proof> {
  const proof = await reading((url) => LedgerAudit.read(url));
  return { ...proof, breaches: [...proof.breaches, ...(await VerifyClosings.verifyRecords(proof.closed))] };
}

async function reading<T>(work: (url: string) => Promise<T>): Promise<T> {
  const database = await ShopDatabase.reachForReading(process.env);
  return Wait.during('Reading the whole ledger', () => work(database.url)).finally(database.leave);
}

/** Shows the value received and the money paid per account. */
async function showValues(account: string | null, asJson: boolean): Promise<number> {
  const found = await reading((url) => LedgerAudit.values(url, account, accountsShownMax)).catch(
    (fault: unknown) => {
      throw new Error(`The ledger could not be read: ${reason(fault)}`);
    },
  );
  if (asJson) return Command.tell(JSON.stringify(found, null, 2), 0);
  const usd = (micro: number) => Money.format(Money.ofMicro(micro));
  const lines = found.map(
    (one) =>
      `${one.account_id}  paid ${usd(one.paid)} USD, refunded ${usd(one.reversed)}; bought value of ${usd(one.bought)}; granted ${usd(one.given)} USD and ${one.given_units} units; remaining ${usd(one.left_usd)} USD and ${one.left_units} units`,
  );
  return Command.tell(lines.length === 0 ? 'No account has paid or received anything.' : lines.join('\n'), 0);
}

function reason(fault: unknown): string {
  const { code, message } = fault as { code?: string; message?: string };
  // No such schema, table or function.
  if (code === '3F000' || code === '42P01' || code === '42883')
    return 'this database contains no ledger; the storefront creates it when it starts';
  return message || String(code ?? fault);
}

function text({ counts, totals, breaches }: LedgerAudit.Proof): string {
  const { lots, postings, calls, batches } = counts;
  const lines = [
    `One snapshot: ${lots} lots, ${postings} postings, ${calls} calls, ${batches} recent batches.`,
    ...totals.map(total),
    '',
  ];
  if (breaches.length === 0) return [...lines, 'The ledger is consistent.'].join('\n');
  const shown = breaches
    .slice(0, breachesShownMax)
    .map(({ rule, subject, detail }) => `  ${rule}\n    ${subject}: ${detail}`);
  if (breaches.length > shown.length) shown.push(`  and ${breaches.length - shown.length} more`);
  return [...lines, `The ledger is NOT consistent: ${breaches.length} breaches.`, ...shown].join('\n');
}

function total({
  asset,
  accounts,
  paid_in,
  granted,
  spent,
  reversed,
  expired,
  balance,
  held,
  lost,
}: LedgerAudit.Total): string {
  const show = (amount: number) =>
    asset === 'usd' ? Money.formatExact(Money.ofMicro(amount)) : String(amount);
  const sum = `${show(paid_in)} paid in + ${show(granted)} granted - ${show(spent)} spent - ${show(reversed)} refunded - ${show(expired)} expired`;
  const loss = lost > 0 ? `; ${show(lost)} refunded after it was spent, the seller's loss` : '';
  return `${asset === 'usd' ? 'USD  ' : 'units'}  ${sum} = ${show(balance)} balance, of which ${show(held)} is leased to processes${loss}  (${accounts} accounts)`;
}
