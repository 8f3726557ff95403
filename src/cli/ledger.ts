/** `npm run ledger -- prove`: does everything add up? */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as Cluster from '../adapters/embedded/cluster.ts';
import * as Proof from '../adapters/postgres/proof.ts';
import * as Money from '../kernel/money.ts';

const help = `Proves the books of a shop: reads the whole database in one snapshot, and changes nothing.

  npm run ledger -- prove           what there is, what it adds up to, and every breach
  npm run ledger -- prove --json    the same for programs

The database is DATABASE_URL, or the embedded one of a running \`npm start\` (DATA_DIR, default .data).
Exit code: 0 the books hold, 1 they do not, 2 they could not be read.`;

const breachesShownMax = 50;

process.exitCode = await run(process.argv.slice(2)).catch((fault: unknown) => {
  console.error(`The books could not be read: ${fault instanceof Error ? fault.message : fault}`);
  return 2;
});

async function run(args: string[]): Promise<number> {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (positionals.length !== 1 || positionals[0] !== 'prove') {
    console.error(help);
    return 2;
  }
  const proof = await Proof.read(await databaseUrl());
  console.log(values.json ? JSON.stringify(proof, null, 2) : text(proof));
  return proof.breaches.length === 0 ? 0 : 1;
}

async function databaseUrl(): Promise<string> {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const dir = join(resolve(process.env.DATA_DIR || '.data'), 'postgres');
  const url = await Cluster.visit(dir, 'sluice').catch(() => null);
  if (url === null)
    throw new Error(`no database runs in ${dir}; start the shop with npm start, or set DATABASE_URL`);
  return url;
}

function text({ counts, totals, breaches }: Proof.Proof): string {
  const lines = [
    `Read in one snapshot: ${counts.lots} lots, ${counts.postings} postings, ${counts.calls} calls, ${counts.batches} recent batches.`,
    '',
    ...totals.map(total),
    '',
  ];
  if (breaches.length === 0) return [...lines, 'The books hold.'].join('\n');
  const shown = breaches
    .slice(0, breachesShownMax)
    .map((breach) => `  ${breach.rule}\n    ${breach.subject}: ${breach.detail}`);
  if (breaches.length > shown.length) shown.push(`  and ${breaches.length - shown.length} more`);
  return [...lines, `The books do NOT hold: ${breaches.length} breaches.`, ...shown].join('\n');
}

function total({ asset, accounts, paid_in, granted, spent, expired, balance, held }: Proof.Total): string {
  const show = (amount: number) =>
    asset === 'usd' ? Money.formatExact(Money.ofMicro(amount)) : String(amount);
  const unit = asset === 'usd' ? 'USD  ' : 'units';
  return `${unit}  ${show(paid_in)} paid in + ${show(granted)} granted - ${show(spent)} spent - ${show(expired)} expired = ${show(balance)} balance, of it ${show(held)} set aside for processes  (${accounts} accounts)`;
}
