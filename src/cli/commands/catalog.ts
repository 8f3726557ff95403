import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as Description from '../../catalog/description.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as Proposal from '../../catalog/proposal.ts';
import { catalogPath } from '../../config.ts';
import * as Money from '../../kernel/money.ts';
import * as Command from '../command.ts';
import * as Pricing from '../pricing.ts';
import * as CatalogDiff from './catalog-diff.ts';

export const help = `The catalogue: the one file that says what the shop sells, and for how much.

  sluice catalog import openapi.yaml                 asks for each price, then writes catalog.yaml
  sluice catalog import https://api.example.com/openapi.json --out my.yaml --price 0.002 --price search=0.01 --trial 25 --min 0.50
  printf '0.002\\n0.01\\n25\\n0.50\\n' | sluice catalog import openapi.yaml      the answers in the order of the questions
  sluice catalog check [catalog.yaml]                all that is wrong with it: file:line:column reason
  sluice catalog diff [catalog.yaml]                 what it would change for whom

import  makes a first catalogue for the API that an OpenAPI 3 document describes (YAML or JSON, a file or an address): services by tag,
        results counted where an answer has a list. It asks for the price of each service, the free units of a new account and the
        smallest purchase, at a terminal or of what is piped in; what a flag says is not asked. What had to be guessed is marked with
        "?" in the file and said here. A description that was fetched is kept beside the catalogue.
check   reads a catalogue as the shop would, CATALOG where none is named.
diff    holds it against the one that a process of the shop took last: what is dearer, gone or another, and how many accounts hold or
        renew it. "!" raises a price, "-" takes something away, "x" is why the shop would refuse it.

  --out      where the catalogue goes; a file that is there stays, unless --force
  --price    USD for a result or call, at most six decimals: of every service (0.001 where it is left out), or of one as slug=0.01
  --only     the services to be sold, by slug, with commas between; the others are left out
  --trial    free units of a new account, 25 or as many as one call may cost where it is left out; 0: no trial
  --min      the smallest purchase in USD, 0.50 where it is left out
  --yes      asks nothing
  --json     the answer for programs

Exit code: 0 done (diff: there is no difference), 1 not done or not right (diff: there is one), 2 not understood, or nothing to read.`;

const fetchMsMax = 30_000;
const descriptionBytesMax = 16 * 1024 * 1024;
const listedMax = 12;

const options = {
  out: { type: 'string', default: 'catalog.yaml' },
  price: { type: 'string', multiple: true },
  only: { type: 'string' },
  trial: { type: 'string' },
  min: { type: 'string' },
  yes: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;
type Flags = ReturnType<typeof Command.read<typeof options>>['values'];

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, options);
  const [given, source, ...rest] = positionals;
  const verb = Command.choose(given, ['import', 'check', 'diff']);
  Command.noMore(rest);
  if (verb === 'diff') return CatalogDiff.run(source ?? catalogPath(process.env), values.json);
  if (verb === 'check') return check(source ?? catalogPath(process.env), values.json);
  if (source === undefined) throw new Command.Misuse('Import what? An OpenAPI file, or its address');
  return importFrom(source, values, Pricing.parse(values));
}

async function check(path: string, asJson: boolean): Promise<number> {
  try {
    const { services, plans, operations } = await CatalogFile.load(path);
    const counts = { operations: operations.length, services: services.length, plans: plans.length };
    const said = `${path}: ${counts.operations} operations in ${counts.services} services, ${counts.plans} plans.`;
    return Command.tell(asJson ? JSON.stringify({ path, ...counts, faults: [] }) : said, 0);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (asJson) console.log(JSON.stringify({ path, faults: text.split('\n') }));
    else console.error(text);
    return 1;
  }
}

async function importFrom(source: string, flags: Flags, wishes: Pricing.Wishes): Promise<number> {
  const { out, yes, force } = flags;
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
  const proposal = Proposal.of(read.document as Record<string, unknown>, wishes.price);
  Pricing.apply(proposal, wishes);
  if (!yes) await Pricing.ask(proposal, wishes, process.stdin, process.stderr);
  const written = Proposal.write(proposal, relative(dirname(out), file) || basename(file));
  if (written.text === null) {
    console.error(`Nothing of ${source} can be sold.`);
    for (const { call, reason } of written.proposal.leftOut.slice(0, listedMax))
      console.error(`  ${call}: ${reason}`);
    return 1;
  }
  await writeFile(out, written.text);
  const found = summary(out, written.proposal);
  console.log(flags.json ? JSON.stringify(found, null, 2) : inWords(found, source));
  return 0;
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

type Summary = {
  catalog: string;
  upstreamUrl: string | null;
  services: { slug: string; unit: string; price_usd: string; operations: number }[];
  trial: { units: number; worth_usd: string; opens_all: boolean } | null;
  leftOut: number;
  guesses: number;
};

function summary(catalog: string, proposal: Proposal.Proposal): Summary {
  const { services, trial, leftOut, doubts, upstreamUrl } = proposal;
  const operations = services.flatMap((service) => service.operations);
  return {
    catalog,
    upstreamUrl,
    services: services.map(({ slug, unit, price, operations }) => ({
      slug,
      unit,
      price_usd: Money.format(price),
      operations: operations.length,
    })),
    trial:
      trial === 0
        ? null
        : {
            units: trial,
            worth_usd: Money.format(Proposal.trialWorth(proposal)),
            opens_all: trial >= Proposal.trialNeeded(services),
          },
    leftOut: leftOut.length,
    guesses: doubts.length + operations.reduce((sum, { doubts }) => sum + doubts.length, 0),
  };
}

function inWords(found: Summary, source: string): string {
  const { catalog, upstreamUrl, services, trial, leftOut, guesses } = found;
  const operations = services.reduce((sum, service) => sum + service.operations, 0);
  const sold = services
    .slice(0, listedMax)
    .map(
      ({ slug, unit, price_usd, operations }) =>
        `  ${slug.padEnd(24)} ${price_usd} USD a ${unit}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    );
  if (services.length > sold.length) sold.push(`  and ${services.length - sold.length} more services`);
  return [
    `${catalog}: ${operations} operations of ${source} in ${services.length} services.`,
    ...sold,
    ...(trial === null
      ? ['New accounts have no trial.']
      : [`A new account may try ${trial.units} units, worth ${trial.worth_usd} USD at most.`]),
    ...(trial?.opens_all === false
      ? ['That is less than the most that some operations can answer (units_max): these it does not open.']
      : []),
    ...(leftOut > 0 ? [`${leftOut} operations are left out; the file says why.`] : []),
    ...(guesses > 0 ? [`${guesses} guesses are marked with "?": look them over before you sell.`] : []),
    '',
    'Put your settings into a file, look whether all is well, and open the shop:',
    '',
    '  cat > shop.env <<END',
    `  CATALOG=${catalog}`,
    `  UPSTREAM_URL=${upstreamUrl ?? 'https://...       # where the API is: its description does not say'}`,
    '  UPSTREAM_API_KEY=...       # your key for it',
    '  END',
    '  npx sluice check --settings shop.env',
    '  npx sluice start --settings shop.env',
  ].join('\n');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
