/** `sluice`: all that the owner of a shop does beside it. bin/sluice.mjs runs it on the Node that it needs. */
import * as Settings from '../process/settings.ts';
import * as Command from './command.ts';
import { commands, find, table } from './table.ts';

const help = `Sluice sells access to an HTTP API, on prepaid plans, by card.

${table.map((entry) => (typeof entry === 'string' ? `\n${entry}` : `  sluice ${entry.name.padEnd(12)} ${entry.about}`)).join('\n')}

  sluice help <command>      what it does, with examples

In a checkout of Sluice say npx sluice ..., or npm run sluice -- ...

  --settings FILE   settings as NAME=value lines (docs/operations.md); those of the environment come before them
  --json            the answer for programs: one JSON value on standard output; why there is none, on standard error

Which shop? The one of DATABASE_URL and STRIPE_SECRET_KEY, or the one that \`sluice start\` keeps in DATA_DIR (default .data).

Exit codes, of every command:
  0  done, and nothing is wrong
  1  something is wrong, was refused, or was done in part; it is said what
  2  not understood, or could not be begun: nothing was changed
  3  nobody knows yet whether it was done: look again before another try`;

const args = process.argv.slice(2);
process.exitCode = await run(withoutSettings(args)).catch((fault: unknown) => {
  const { message, code } = fault as { message?: string; code?: string };
  const said = message || code || String(fault);
  console.error(args.includes('--json') ? JSON.stringify({ error: said }) : said);
  return 2;
});

async function run(said: string[]): Promise<number> {
  const asksHelp = said[0] === 'help' || said.includes('--help') || said.includes('-h');
  const words = said[0] === 'help' ? said.slice(1) : said;
  const found = find(words);
  if (found === null) {
    const isAsked = asksHelp && (words[0] === undefined || words[0].startsWith('-'));
    if (isAsked || words[0] === undefined) return Command.tell(help, isAsked ? 0 : 2);
    const names = commands.map(({ name }) => name);
    throw new Command.Misuse(
      `There is no command "${words[0]}"${Command.meant(words[0], names)}\nAll of them: sluice help`,
    );
  }
  const { entry, rest } = found;
  const command = await entry.load();
  if (asksHelp) return Command.tell(command.helpOf?.[rest[0] ?? ''] ?? command.help, 0);
  if (!entry.handsOn) {
    const gathered = await Settings.gather(process.env);
    if (!gathered.ok) throw new Error(`The settings cannot be read:\n  ${gathered.faults.join('\n  ')}`);
    Object.assign(process.env, gathered.env);
  }
  try {
    return await command.run(rest);
  } catch (fault) {
    if (fault instanceof Command.Misuse)
      throw new Command.Misuse(`${fault.message}\nHow it is used: sluice help ${entry.name}`);
    throw fault;
  }
}

/** The arguments without `--settings FILE`, which is another way to say SETTINGS_FILE. */
function withoutSettings(all: string[]): string[] {
  const at = all.findIndex((arg) => arg === '--settings' || arg.startsWith('--settings='));
  if (at < 0) return all;
  const [flag = '', next] = all.slice(at);
  process.env.SETTINGS_FILE = flag.includes('=') ? flag.slice('--settings='.length) : next;
  return all.toSpliced(at, flag.includes('=') ? 1 : 2);
}
