/** `sluice`: the command line of a shop's operator. bin/sluice.mjs runs it on the required version of Node. */

import * as CommandLine from '@sluice/kernel/command-line';
import { hint } from '@sluice/kernel/did-you-mean';
import * as Settings from '../process/settings.ts';
import { version } from '../version.ts';
import * as Command from './command.ts';
import { commands, find, table } from './table.ts';

const help = `Sluice sells access to an HTTP API, on prepaid plans, by card.

${table.map((entry) => (typeof entry === 'string' ? `\n${entry}` : `  sluice ${entry.name.padEnd(12)} ${entry.about}`)).join('\n')}

  sluice help <command>      what it does, with examples

In a checkout of Sluice say npx sluice ..., or npm run sluice -- ...

  --settings FILE   settings as NAME=value lines (docs/settings.md); the environment takes precedence
  --json            output for programs: one JSON value on standard output; errors on standard error
  --version         the version of Sluice and of Node

Commands use the shop of DATABASE_URL and STRIPE_SECRET_KEY, or the one of \`sluice start\` in DATA_DIR (default .data).

Exit codes, of every command:
  0  done, no faults found
  1  a fault was found, or the command was refused or done in part; the output says what
  2  the arguments are wrong, or the command could not start: nothing was changed
  3  the outcome is unknown: check it before another try`;

const args = process.argv.slice(2);
process.exitCode = await run(withoutSettings(args)).catch((fault: unknown) => {
  const { message, code } = fault as { message?: string; code?: string };
  const said = message || code || String(fault);
  console.error(args.includes('--json') ? JSON.stringify({ error: said }) : said);
  return 2;
});

async function run(said: string[]): Promise<number> {
  if (said[0] === '--version') return Command.tell(`sluice ${version}, Node ${process.version}`, 0);
  const asksHelp = said[0] === 'help' || said.includes('--help') || said.includes('-h');
  const words = said[0] === 'help' ? said.slice(1) : said;
  const found = find(words);
  if (found === null) {
    const isAsked = asksHelp && (words[0] === undefined || words[0].startsWith('-'));
    if (isAsked || words[0] === undefined) return Command.tell(help, isAsked ? 0 : 2);
    const names = commands.map(({ name }) => name);
    throw new CommandLine.Misuse(
      `Unknown command "${words[0]}". ${hint(words[0], names, 'Commands')}\nAll commands: sluice help`,
    );
  }
  const { entry, rest } = found;
  // Constants of a command's modules may depend on settings, so these come first.
  if (!asksHelp && !entry.skipsSettings) await loadSettings(rest.find((arg) => /\.ya?ml$/.test(arg)));
  const command = await entry.load();
  if (asksHelp) return Command.tell(Command.helpFor(command, rest), 0);
  try {
    return await command.run(rest);
  } catch (fault) {
    if (fault instanceof CommandLine.Misuse)
      throw new CommandLine.Misuse(
        `${fault.message}\nFor help: sluice help ${[entry.name, ...Command.subcommand(command, rest)].join(' ')}`,
      );
    throw fault;
  }
}

/**
 * Adds the settings of the files that the environment names to the environment.
 * @param catalog the catalogue that the arguments name, whose variables are settings too
 */
async function loadSettings(catalog: string | undefined): Promise<void> {
  const gathered = await Settings.gather(process.env, catalog);
  if (!gathered.ok) throw new Error(`The settings cannot be read:\n  ${gathered.faults.join('\n  ')}`);
  for (const warning of gathered.warnings) console.error(`Warning: ${warning}`);
  Object.assign(process.env, gathered.env);
}

/** Removes `--settings FILE` from the arguments and sets SETTINGS_FILE to it. */
function withoutSettings(all: string[]): string[] {
  const at = all.findIndex((arg) => arg === '--settings' || arg.startsWith('--settings='));
  if (at < 0) return all;
  const [flag = '', next] = all.slice(at);
  process.env.SETTINGS_FILE = flag.includes('=') ? flag.slice('--settings='.length) : next;
  return all.toSpliced(at, flag.includes('=') ? 1 : 2);
}
