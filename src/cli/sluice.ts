/** `sluice`: all that the owner of a shop does beside it. bin/sluice.mjs runs it on the Node that it needs. */
import * as Settings from '../process/settings.ts';
import * as Command from './command.ts';

type Entry = {
  name: string;
  about: string;
  load(): Promise<Command.Command>;
  /** It hands the files of settings on, to be read anew by those whom it starts. */
  handsOn?: true;
};

/** All commands, in the order in which a shop comes to need them. Loaded when called: no command waits for what another needs. */
const table: readonly (Entry | string)[] = [
  'Open a shop',
  {
    name: 'catalog',
    about:
      'import: a first catalogue from an OpenAPI file; check: all that is wrong with one; diff: what it changes',
    load: () => import('./commands/catalog.ts'),
  },
  {
    name: 'start',
    about: 'open the shop on this machine, with all that is not named yet',
    load: () => import('./commands/start.ts'),
    handsOn: true,
  },
  {
    name: 'check',
    about: 'is everything as it must be? settings, catalogue, database, upstream, cards, mail ...',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'discovery',
    about: 'check: what would a crawler of a shop miss?',
    load: () => import('./commands/discovery.ts'),
  },
  'Look after buyers',
  {
    name: 'accounts',
    about: 'list, find and show accounts; freeze and thaw them',
    load: () => import('./commands/accounts.ts'),
  },
  { name: 'grant', about: 'give an account credit or units', load: () => import('./commands/grant.ts') },
  {
    name: 'refund',
    about: 'send back the money of a purchase',
    load: () => import('./commands/refund.ts'),
  },
  {
    name: 'promotions',
    about: 'make, list and end codes that give credit',
    load: () => import('./commands/promotions.ts'),
  },
  'Keep the books',
  {
    name: 'ledger',
    about: 'prove: does everything add up? totals: what came in, went out and is left',
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'reconcile',
    about: "compare the books with the card processor's",
    load: () => import('./commands/reconcile.ts'),
  },
  {
    name: 'receipt',
    about: "verify: is this receipt, or are these prices, the shop's?",
    load: () => import('./commands/receipt.ts'),
  },
  {
    name: 'secrets',
    about: 'list, rotate and drop what the shop signs with',
    load: () => import('./commands/secrets.ts'),
  },
  'The bundled data interface',
  { name: 'data', about: 'import, export and make up data sets', load: () => import('./commands/data.ts') },
  {
    name: 'emails',
    about: 'verify and report: the tests of work emails',
    load: () => import('./commands/emails.ts'),
  },
  {
    name: 'direct keys',
    about: 'make, list, rotate, change and end the keys that it accepts',
    load: () => import('./commands/direct-keys.ts'),
  },
];
const commands = table.filter((entry) => typeof entry !== 'string');

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
  const entry = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word));
  if (entry === undefined) {
    const isAsked = asksHelp && (words[0] === undefined || words[0].startsWith('-'));
    if (isAsked || words[0] === undefined) return Command.tell(help, isAsked ? 0 : 2);
    const names = commands.map(({ name }) => name);
    throw new Command.Misuse(
      `There is no command "${words[0]}"${Command.meant(words[0], names)}\nAll of them: sluice help`,
    );
  }
  const command = await entry.load();
  const more = words[entry.name.split(' ').length] ?? '';
  if (asksHelp) return Command.tell(command.helpOf?.[more] ?? command.help, 0);
  if (!entry.handsOn) {
    const gathered = await Settings.gather(process.env);
    if (!gathered.ok) throw new Error(`The settings cannot be read:\n  ${gathered.faults.join('\n  ')}`);
    Object.assign(process.env, gathered.env);
  }
  try {
    return await command.run(words.slice(entry.name.split(' ').length));
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
