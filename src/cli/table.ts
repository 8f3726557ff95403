import type { Command } from './command.ts';
import type { ShopDatabase } from './shop-database.ts';

/** A command whose caller provides the database. */
type DataApiCommand = Omit<Command, 'run'> & {
  run(args: string[], reach: (url: string | undefined) => Promise<ShopDatabase>): Promise<number>;
};

/** A command with its name and summary. */
export type CommandEntry = {
  name: string;
  about: string;
  load(): Promise<Command>;
  /** The command reads the settings itself, or needs none. */
  skipsSettings?: true;
};

/** Loads a command of the data API. Its default database is the one of `sluice start`. */
async function ofDataApi(load: Promise<DataApiCommand>): Promise<Command> {
  const [command, { reach }] = await Promise.all([load, import('./shop-database.ts')]);
  return { ...command, run: (args) => command.run(args, (url) => reach(process.env, url)) };
}

/** All commands, in the order in which a shop needs them. Each is loaded when it is called, so that none waits for the imports of others. */
export const table: readonly (CommandEntry | string)[] = [
  'Open a shop',
  {
    name: 'catalog',
    about: 'create a catalogue from an OpenAPI file, check it, show what it changes',
    load: () => import('./commands/catalog.ts'),
  },
  {
    name: 'start',
    about: 'run the whole shop on this machine',
    load: () => import('./commands/start.ts'),
    skipsSettings: true,
  },
  {
    name: 'check',
    about: 'check settings, catalogue, database, upstream, cards, mail ...',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'migrate',
    about: 'apply the migrations of this version to the database, or show what is pending',
    load: () => import('./commands/migrate.ts'),
  },
  {
    name: 'settings',
    about: 'list every setting, its default and its meaning',
    load: () => import('./commands/settings.ts'),
    skipsSettings: true,
  },
  {
    name: 'texts',
    about: 'print the texts of pages, mails and error messages, to change or translate them',
    load: () => import('./commands/texts.ts'),
    skipsSettings: true,
  },
  {
    name: 'discovery',
    about: 'check what crawlers and agents find of a shop',
    load: () => import('./commands/discovery.ts'),
  },
  'Accounts and purchases',
  {
    name: 'accounts',
    about: 'list, find and show accounts; freeze and unfreeze them',
    load: () => import('./commands/accounts.ts'),
  },
  { name: 'grant', about: 'give an account credit or units', load: () => import('./commands/grant.ts') },
  {
    name: 'refund',
    about: 'refund a purchase',
    load: () => import('./commands/refund.ts'),
  },
  {
    name: 'promotions',
    about: 'create, list and end promotion codes',
    load: () => import('./commands/promotions.ts'),
  },
  {
    name: 'operators',
    about: 'invite, list and remove the persons who may use the console',
    load: () => import('./commands/operators.ts'),
  },
  {
    name: 'events',
    about: 'deliver events to your programs; list them and deliver them again',
    load: () => import('./commands/events.ts'),
  },
  'Bookkeeping',
  {
    name: 'ledger',
    about: 'check that all balances add up; show totals and the value of each account',
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'report',
    about: 'show usage, revenue and margins by service and model',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'usage',
    about: 'archive and remove the calls of old days; verify the archives',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'export',
    about: 'export orders, refunds, disputes, accounts and usage as NDJSON or Parquet',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'reconcile',
    about: 'compare the ledger with the card processor',
    load: () => import('./commands/reconcile.ts'),
  },
  {
    name: 'receipt',
    about: 'verify the signature of a receipt or price list',
    load: () => import('./commands/receipt.ts'),
  },
  {
    name: 'secrets',
    about: 'list, rotate and drop signing keys and secrets',
    load: () => import('./commands/secrets.ts'),
  },
  'The bundled data API',
  {
    name: 'data',
    about: 'import, export and generate data sets',
    load: () => ofDataApi(import('@sluice/data-api/commands/data')),
  },
  {
    name: 'emails',
    about: 'verify work email addresses, and report on them',
    load: () => ofDataApi(import('@sluice/data-api/commands/emails')),
  },
  {
    name: 'direct keys',
    about: 'create, list, rotate, change and revoke its keys',
    load: () => ofDataApi(import('@sluice/data-api/commands/keys')),
  },
];
export const commands = table.filter((entry) => typeof entry !== 'string');

/** Returns the command at the start of `words`, and the remaining words. */
export function find(words: readonly string[]): { entry: CommandEntry; rest: string[] } | null {
  const entry = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word));
  return entry === undefined ? null : { entry, rest: words.slice(entry.name.split(' ').length) };
}
