/** `npm run ledger -- prove`: does everything add up? */
import { parseArgs } from 'node:util';
import * as Proof from '../adapters/postgres/proof.ts';
import * as Money from '../kernel/money.ts';
import * as Database from './database.ts';

const help = `Reads the whole ledger of a shop in one snapshot, beside its calls, and changes nothing.

  npm run ledger -- prove     what there is, what it adds up to, and every breach of docs/guarantees.md
  npm run ledger -- totals    what was paid in, granted and spent, what has expired and what is left
  --json                      the same for programs

The database is that of DATABASE_URL, or the one that \`npm start\` keeps in DATA_DIR (default .data), running or not.
Exit code: 0 the books hold, 1 they do not, 2 they could not be read.`;

const breachesShownMax = 50;

type Command = 'prove' | 'totals' | 'help';

process.exitCode = await run(process.argv.slice(2)).catch((fault: unknown) => {
  console.error(`The books could not be read: ${reason(fault)}`);
  return 2;
});

async function run(args: string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null || asked.command === 'help') {
    (asked ? console.log : console.error)(help);
    return asked ? 0 : 2;
  }
  const { command, json } = asked;
  const database = await Database.reach(process.env);
  const proof = await Proof.read(database.url).finally(database.leave);
  const holds = proof.breaches.length === 0;
  if (command === 'totals') {
    console.log(json ? JSON.stringify(proof.totals, null, 2) : proof.totals.map(total).join('\n'));
    return 0;
  }
  console.log(json ? JSON.stringify({ holds, ...proof }, null, 2) : text(proof));
  return holds ? 0 : 1;
}

/** What is asked for; null when it is nothing that there is. */
function parse(args: string[]): { command: Command; json: boolean } | null {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: false });
  const [command, ...rest] = values.help ? ['help'] : positionals;
  const known = Object.keys(values).every((name) => name in options) && rest.length === 0;
  if (!known || (command !== 'prove' && command !== 'totals' && command !== 'help')) return null;
  return { command, json: values.json === true };
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
