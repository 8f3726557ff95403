import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Misuse } from '@sluice/kernel/command-line';
import { hint } from '@sluice/kernel/did-you-mean';
import * as Money from '@sluice/kernel/money';
import * as CatalogDraft from '../catalog/import/catalog-draft.ts';
import type { PriceRow } from '../catalog/import/price-file.ts';

/** Prices and plans from the flags of `catalog import`; null: not given. */
export type PricingFlags = {
  /** Price of every service without a flag of its own. */
  price: Money.Money;
  isPriceSaid: boolean;
  prices: ReadonlyMap<string, Money.Money>;
  only: readonly string[] | null;
  trial: number | null;
  min: Money.Money | null;
};

const priceUsual = Money.ofMicro(1_000);
const trialMax = 1_000_000;
const minLeast = Money.ofCents(50);
const minMost = Money.ofCents(100_000);
/** After this time without input, a pipe that stays open leaves the remaining defaults. */
const pipeMsMax = 3_000;
const callsShownMax = 3;

type Flags = Readonly<{ price?: string[]; only?: string; trial?: string; min?: string }>;

/** Parses the flags. Throws Misuse for an invalid amount. */
export function parse(flags: Flags): PricingFlags {
  const prices = new Map<string, Money.Money>();
  let price: Money.Money | null = null;
  for (const said of flags.price ?? []) {
    const [, slug = '', text = ''] = /^(?:([^=]*)=)?(.*)$/.exec(said) ?? [];
    const amount = Money.parse(text);
    if (amount === null) throw new Misuse(`--price ${said} is not an amount such as 0.002 or search=0.002`);
    if (slug === '') price = amount;
    else prices.set(slug, amount);
  }
  const trial = flags.trial === undefined ? null : readTrial(flags.trial);
  const min = flags.min === undefined ? null : readMin(flags.min);
  if (typeof trial === 'string') throw new Misuse(`--trial: ${trial}`);
  if (typeof min === 'string') throw new Misuse(`--min: ${min}`);
  return {
    price: price ?? priceUsual,
    isPriceSaid: price !== null,
    prices,
    only: flags.only?.split(',').map((slug) => slug.trim()) ?? null,
    trial,
    min,
  };
}

/** Applies the flags to the draft. Throws Misuse for an unknown service. */
export function apply(proposal: CatalogDraft.CatalogDraft, { prices, only, trial, min }: PricingFlags): void {
  const slugs = proposal.services.map(({ slug }) => slug);
  for (const slug of [...prices.keys(), ...(only ?? [])])
    if (!slugs.includes(slug)) throw new Misuse(`Unknown service ${slug}. ${hint(slug, slugs, 'Services')}`);
  if (only !== null) proposal.services = proposal.services.filter(({ slug }) => only.includes(slug));
  for (const service of proposal.services) service.price = prices.get(service.slug) ?? service.price;
  if (trial !== null) proposal.trial = trial;
  if (min !== null) proposal.min = min;
}

/**
 * Asks for what the flags leave open, at a terminal or from piped lines. An empty answer accepts the default; a price followed by `all`
 * applies to all further services.
 */
export async function ask(
  proposal: CatalogDraft.CatalogDraft,
  wishes: PricingFlags,
  priceList: PriceListQuestion | null,
  input: Readable & { isTTY?: boolean; fd?: number },
  output: Writable,
): Promise<void> {
  if (!input.isTTY && !isPiped(input.fd)) return;
  const answers = createInterface({ input, output, terminal: input.isTTY === true });
  // Without this, readline would wait forever. Nothing has been written yet.
  answers.on('SIGINT', () => process.exit(2));
  const lines = answers[Symbol.asyncIterator]();
  let isSilent = false;
  const next = async (question: string): Promise<string> => {
    output.write(question);
    const line = lines.next().then(({ value, done }) => (done ? '' : String(value).trim()));
    if (input.isTTY) return line;
    const said = isSilent ? null : await within(pipeMsMax, line);
    isSilent = said === null;
    output.write(`${said ?? ''}\n`);
    return said ?? '';
  };
  try {
    if (!wishes.isPriceSaid) await askPrices(proposal, wishes, next, output);
    if (priceList !== null) await askPriceList(proposal, priceList, next, output);
    if (wishes.trial === null)
      proposal.trial = await until(
        next,
        output,
        `\nFree units of a new account [${proposal.trial}]: `,
        (said) => (said === '' ? proposal.trial : readTrial(said)),
      );
    if (wishes.min === null)
      proposal.min = await until(
        next,
        output,
        `The smallest purchase in USD [${Money.format(proposal.min)}]: `,
        (said) => (said === '' ? proposal.min : readMin(said)),
      );
  } finally {
    answers.close();
  }
}

/** The services with meters that have no prices yet. `read` reads a price list and throws Misuse. */
type PriceListQuestion = {
  services: readonly CatalogDraft.DraftService[];
  read: (path: string) => Promise<PriceRow[]>;
};

async function askPriceList(
  proposal: CatalogDraft.CatalogDraft,
  { services, read }: PriceListQuestion,
  next: Next,
  output: Writable,
): Promise<void> {
  const names = services.map(({ slug }) => slug).join(', ');
  output.write(`\nCharged by what they use, and so by a price list: ${names}.\n`);
  const question =
    '  CSV file with key,input,output in USD for a million units (Enter leaves these services out): ';
  await until(next, output, question, async (said) => {
    if (said === '') return null;
    try {
      const open = CatalogDraft.applyPrices(proposal, await read(said));
      return open.length === 0 ? null : `has no prices for ${open.map(({ slug }) => slug).join(', ')}`;
    } catch (error) {
      if (error instanceof Misuse) return error.message;
      throw error;
    }
  });
}

type Next = (question: string) => Promise<string>;

async function askPrices(
  { services }: CatalogDraft.CatalogDraft,
  { prices }: PricingFlags,
  next: Next,
  output: Writable,
): Promise<void> {
  output.write('Press Enter for the value in brackets; "0.002 all" applies to all further services.\n');
  const open = services.filter(({ slug, usage }) => usage === null && !prices.has(slug));
  for (const [at, service] of open.entries()) {
    const calls = service.operations.map(({ call }) => call);
    const shown = calls.slice(0, callsShownMax).join(', ');
    output.write(`\n${service.name}: ${shown}${calls.length > callsShownMax ? ', ...' : ''}\n`);
    let isForAll = false;
    const question = `  USD for one ${service.unit} [${Money.format(service.price)}]: `;
    service.price = await until(next, output, question, (said) => {
      isForAll = /\ball$/.test(said);
      const text = said.replace(/\s*\ball$/, '');
      return text === ''
        ? service.price
        : (Money.parse(text) ?? 'an amount such as 0.002, at most six decimals');
    });
    if (!isForAll) continue;
    for (const other of open.slice(at + 1)) other.price = service.price;
    return;
  }
}

/** Repeats the question until the answer can be parsed; a parse result that is text explains what is expected. */
async function until<T>(
  next: Next,
  output: Writable,
  question: string,
  read: (said: string) => T | string | Promise<T | string>,
): Promise<T> {
  for (;;) {
    const found = await read(await next(question));
    if (typeof found !== 'string') return found;
    output.write(`  ${found}\n`);
  }
}

function readTrial(text: string): number | string {
  const units = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  return units >= 0 && units <= trialMax ? units : `a whole number from 0 to ${trialMax}`;
}

function readMin(text: string): Money.Money | string {
  const amount = Money.parse(text);
  const isRight =
    amount !== null && amount >= minLeast && amount <= minMost && Money.toCents(amount) !== null;
  return isRight ? amount : 'an amount in whole cents from 0.50 to 1000.00';
}

/** Returns true for a pipe or a file, and false for /dev/null. */
function isPiped(fd = -1): boolean {
  try {
    const found = fstatSync(fd);
    return found.isFIFO() || found.isFile() || found.isSocket();
  } catch {
    return false;
  }
}

/** Returns the answer, or null after `msMax`. */
function within(msMax: number, answer: Promise<string>): Promise<string | null> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, msMax, null);
    void answer.then((said) => {
      clearTimeout(late);
      resolve(said);
    });
  });
}
