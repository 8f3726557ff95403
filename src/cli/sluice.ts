/** `npm run sluice -- <command>`: what the seller does beside the shop that runs. */
import type { Command } from './command.ts';
import * as Catalog from './commands/catalog.ts';
import * as Discovery from './commands/discovery.ts';
import * as Grant from './commands/grant.ts';
import * as Promotions from './commands/promotions.ts';
import * as Reconcile from './commands/reconcile.ts';
import * as Refund from './commands/refund.ts';
import * as Secrets from './commands/secrets.ts';

const commands: readonly Command[] = [
  Catalog.command,
  Refund.command,
  Reconcile.command,
  Grant.command,
  Promotions.command,
  Discovery.command,
  Secrets.command,
];

const help = `What the seller does beside the shop that runs.

${commands.map(({ name, about }) => `  npm run sluice -- ${name.padEnd(12)} ${about}`).join('\n')}
  npm run sluice -- help <command>

The database is that of DATABASE_URL, or the one that \`npm start\` keeps in DATA_DIR (default .data). The card processor is that of
STRIPE_SECRET_KEY, or the card sandbox of \`npm start\`, which has to run. --json prints for programs.`;

process.exitCode = await run(process.argv.slice(2)).catch((fault: unknown) => {
  console.error(fault instanceof Error ? fault.message : String(fault));
  return 2;
});

async function run([name, ...args]: string[]): Promise<number> {
  const asksHelp = name === 'help' || args.includes('--help') || args.includes('-h');
  const command = commands.find((candidate) => candidate.name === (name === 'help' ? args[0] : name));
  if (command && !asksHelp) return command.run(args);
  const wanted = name === undefined || name === 'help' || name === '--help' || name === '-h' || command;
  (wanted ? console.log : console.error)(command?.help ?? help);
  return wanted ? 0 : 2;
}
