import * as Proof from '../../adapters/postgres/proof.ts';
import * as Money from '../../kernel/money.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `Reads the whole ledger of a shop in one snapshot, beside its calls, and changes nothing.

  sluice ledger prove     what there is, what it adds up to, and every breach of docs/guarantees.md
  sluice ledger totals    what was paid in, granted and spent, what has expired and what is left

  --json                  the same for programs

Exit code: 0 the books hold, 1 they do not, 2 they could not be read.`;

const breachesShownMax = 50;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, { json: { type: 'boolean' } });
  const [given, ...rest] = positionals;
  const verb = Command.choose(given, ['prove', 'totals']);
  Command.noMore(rest);
  const proof = await read().catch((fault: unknown) => {
    throw new Error(`The books could not be read: ${reason(fault)}`);
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

async function read(): Promise<Proof.Proof> {
  const database = await ShopDatabase.reach(process.env);
  return Proof.read(database.url).finally(database.leave);
}

function reason(fault: unknown): string {
  const { code, message } = fault as { code?: string; message?: string };
  // No such schema, table or function.
  if (code === '3F000' || code === '42P01' || code === '42883')
    return 'there is no ledger in this database; the storefront makes it when it starts';
  return message || String(code ?? fault);
}

function text({ counts, totals, breaches }: Proof.Proof): string {
  const { lots, postings, calls, batches } = counts;
  const lines = [
    `Read in one snapshot: ${lots} lots, ${postings} postings, ${calls} calls, ${batches} recent batches.`,
    ...totals.map(total),
    '',
  ];
  if (breaches.length === 0) return [...lines, 'The books hold.'].join('\n');
  const shown = breaches
    .slice(0, breachesShownMax)
    .map(({ rule, subject, detail }) => `  ${rule}\n    ${subject}: ${detail}`);
  if (breaches.length > shown.length) shown.push(`  and ${breaches.length - shown.length} more`);
  return [...lines, `The books do NOT hold: ${breaches.length} breaches.`, ...shown].join('\n');
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
}: Proof.Total): string {
  const show = (amount: number) =>
    asset === 'usd' ? Money.formatExact(Money.ofMicro(amount)) : String(amount);
  const sum = `${show(paid_in)} paid in + ${show(granted)} granted - ${show(spent)} spent - ${show(reversed)} paid back - ${show(expired)} expired`;
  const loss = lost > 0 ? `; ${show(lost)} paid back that had been spent, the seller's loss` : '';
  return `${asset === 'usd' ? 'USD  ' : 'units'}  ${sum} = ${show(balance)} balance, of it ${show(held)} set aside for processes${loss}  (${accounts} accounts)`;
}
