import type { Command } from './command.ts';

/** A command by the words that call it. */
export type Entry = {
  name: string;
  about: string;
  load(): Promise<Command>;
  /** It hands the files of settings on, to be read anew by those whom it starts. */
  handsOn?: true;
};

/** All commands, in the order in which a shop comes to need them. Loaded when called: no command waits for what another needs. */
export const table: readonly (Entry | string)[] = [
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
export const commands = table.filter((entry) => typeof entry !== 'string');

/** The command that `words` begin with, and the words behind it. */
export function find(words: readonly string[]): { entry: Entry; rest: string[] } | null {
  const entry = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word));
  return entry === undefined ? null : { entry, rest: words.slice(entry.name.split(' ').length) };
}
