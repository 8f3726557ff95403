import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import * as Description from '../../catalog/description.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as Proposal from '../../catalog/proposal.ts';
import { catalogPath } from '../../config.ts';
import * as Money from '../../kernel/money.ts';
import type { Command } from '../command.ts';
import * as CatalogDiff from './catalog-diff.ts';

const help = `The catalogue: the one file that says what the shop sells, and for how much.

  npm run catalog -- import <openapi file or address> [--out catalog.yaml] [--price 0.001] [--yes] [--force]
  npm run catalog -- check [catalog.yaml]
  npm run catalog -- diff [catalog.yaml] [--json]

import  makes a first catalogue for the API that an OpenAPI 3 document describes (YAML or JSON): services by tag, results counted where an
        answer has a list. At a terminal it asks for the price of each service. What had to be guessed is marked with "?" in the file
        and said here. A description that was fetched is kept beside the catalogue.
check   reads a catalogue as the shop would, CATALOG where none is named, and says all that is wrong with it: file:line:column reason.

diff    says what the catalogue would change for whom, in place of the one that the shop took last: how many accounts hold or renew what is
        dearer, gone or another. "!" raises a price, "-" takes something away, "x" is why the shop would refuse it.

  --out      where the catalogue goes; a file that is there stays, unless --force
  --price    USD for a result or call of every service, at most six decimals; 0.001 where it is left out
  --yes      asks nothing

Exit code: 0 done (or no difference), 1 not done or not right, 2 what was asked for cannot be read, 3 diff found a difference.`;

export const command: Command = {
  name: 'catalog',
  about: 'make a first catalogue from an OpenAPI file, check one, or say what it would change',
  help,
  run,
};

const fetchMsMax = 30_000;
const descriptionBytesMax = 16 * 1024 * 1024;
const listedMax = 12;

async function run(args: string[]): Promise<number> {
  if (args[0] === 'diff') return CatalogDiff.run(args.slice(1));
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      out: { type: 'string', default: 'catalog.yaml' },
      price: { type: 'string', default: '0.001' },
      yes: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
    },
  });
  const [deed, source, ...rest] = positionals;
  const price = Money.parse(values.price);
  if (deed === 'check' && rest.length === 0) return check(source ?? catalogPath(process.env));
  if (deed === 'import' && source !== undefined && rest.length === 0 && price !== null)
    return importInto(values.out, source, price, values);
  console.error(help);
  return 2;
}

async function check(path: string): Promise<number> {
  try {
    const { services, plans, operations } = await CatalogFile.load(path);
    console.log(
      `${path}: ${operations.length} operations in ${services.length} services, ${plans.length} plans.`,
    );
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

async function importInto(
  out: string,
  source: string,
  price: Money.Money,
  { yes, force }: { yes: boolean; force: boolean },
): Promise<number> {
  if (!force && (await isThere(out))) {
    console.error(`${out} is there already: name another file with --out, or replace it with --force.`);
    return 1;
  }
  const file = URL.canParse(source) ? await keep(source, dirname(out)) : source;
  const read = await Description.read(file);
  if (!read.ok) {
    console.error(`${file} ${read.reason}`);
    return 1;
  }
  const proposal = Proposal.of(read.document as Record<string, unknown>, price);
  if (!yes && process.stdin.isTTY) await askPrices(proposal);
  const written = Proposal.write(proposal, relative(dirname(out), file) || basename(file));
  if (written.text === null) {
    console.error(`Nothing of ${source} can be sold.`);
    for (const { call, reason } of written.proposal.leftOut.slice(0, listedMax))
      console.error(`  ${call}: ${reason}`);
    return 1;
  }
  await writeFile(out, written.text);
  console.log(inWords(out, source, written.proposal));
  return 0;
}

/** Guided: the price of each service, or what it is by default. */
async function askPrices({ services }: Proposal.Proposal): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (const service of services) {
      const calls = service.operations.map(({ call }) => call);
      console.log(`\n${service.name}: ${calls.slice(0, 3).join(', ')}${calls.length > 3 ? ', ...' : ''}`);
      for (let asked: Money.Money | null = null; asked === null; ) {
        const usual = Money.format(service.price);
        const said = await terminal.question(`  USD for one ${service.unit} [${usual}]: `);
        asked = said.trim() === '' ? service.price : Money.parse(said.trim());
        if (asked === null) console.log('  An amount such as 0.002, at most six decimals.');
        else service.price = asked;
      }
    }
  } finally {
    terminal.close();
  }
}

/** Fetches a description and keeps it beside the catalogue, where the shop reads it at each start. */
async function keep(address: string, folder: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(fetchMsMax) });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > descriptionBytesMax)
      throw new Error(`${address} is larger than ${descriptionBytesMax} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks);
  const file = join(
    folder,
    text.toString('utf8', 0, 200).trimStart().startsWith('{') ? 'upstream.json' : 'upstream.yaml',
  );
  await writeFile(file, text);
  return file;
}

function inWords(out: string, source: string, proposal: Proposal.Proposal): string {
  const { services, leftOut, doubts, upstreamUrl } = proposal;
  const operations = services.flatMap((service) => service.operations);
  const guesses = doubts.length + operations.reduce((sum, { doubts }) => sum + doubts.length, 0);
  const lines = [
    `${out}: ${operations.length} operations of ${source} in ${services.length} services.`,
    ...(leftOut.length > 0 ? [`${leftOut.length} operations are left out; the file says why.`] : []),
    ...(guesses > 0 ? [`${guesses} guesses are marked with "?": look them over before you sell.`] : []),
    '',
    'Open the shop with it:',
    '',
    `  CATALOG=${out} UPSTREAM_URL=${upstreamUrl ?? 'https://...'} UPSTREAM_API_KEY=... npm start`,
  ];
  return lines.join('\n');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
