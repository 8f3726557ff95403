import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as CommandLine from '@sluice/kernel/command-line';
import * as Money from '@sluice/kernel/money';
import * as CatalogDraft from '../../catalog/catalog-draft.ts';
import * as Description from '../../catalog/description.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as PriceWords from '../../catalog/price-words.ts';
import { catalogPath } from '../../config.ts';
import * as CatalogOpening from '../../process/catalog-opening.ts';
import * as UpstreamValues from '../../process/upstream-values.ts';
import * as Command from '../command.ts';
import * as Pricing from '../pricing.ts';
import * as Wait from '../wait.ts';
import * as CatalogDiff from './catalog-diff.ts';

export const help = `Creates and checks the catalogue: the one file that says what the shop sells, and for how much.

  sluice catalog import openapi.yaml                 asks for each price, then writes catalog.yaml
  sluice catalog import https://api.example.com/openapi.json --out my.yaml --price 0.002 --price search=0.01 --trial 25 --min 0.50
  printf '0.002\\n0.01\\n25\\n0.50\\n' | sluice catalog import openapi.yaml      answers the questions in their order
  sluice catalog check [catalog.yaml]                lists every error and warning as file:line:column reason
  sluice catalog diff [catalog.yaml]                 shows what it would change, and for how many accounts

import  creates a catalogue from an OpenAPI 3 or Swagger 2.0 description (YAML or JSON, a file or a URL). Operations are grouped into
        services by tag. Results are counted where a response contains a list. The command asks for the price of each service, the
        free units of a new account, and the smallest purchase, unless a flag gives the value. Answers come from the terminal or
        from piped input. Guesses are marked with "?" in the file and counted in the output. A downloaded description is stored
        beside the catalogue.
check   reads a catalogue as the shop does; by default the one that CATALOG names.
diff    compares a catalogue with the one that the shop loaded last: prices, plans and services, and the number of accounts that hold
        or renew a plan. "!" marks a higher price, "-" something that is removed, "x" a change that the shop would refuse.

  --out      the file to write; an existing file is replaced only with --force
  --price    price in USD of a result or call, with at most six decimals: for every service (default 0.001), or for one as slug=0.01
  --only     slugs of the services to sell, separated by commas; all others are left out
  --trial    free units of a new account, 0 for no trial; default: 25, or as many as the most expensive call can cost
  --min      the smallest purchase in USD; default 0.50
  --yes      accepts all defaults without questions
  --json     prints the result as JSON

Exit code: 0 done (diff: no difference), 1 not done, or errors found (diff: a difference), 2 the arguments are wrong, or there is nothing to compare.`;

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
type Flags = ReturnType<typeof CommandLine.read<typeof options>>['values'];

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, options);
  const [given, source, ...rest] = positionals;
  const verb = CommandLine.choose(given, ['import', 'check', 'diff']);
  CommandLine.noMore(rest);
  if (verb === 'diff') return CatalogDiff.run(source ?? catalogPath(process.env), values.json);
  if (verb === 'check') return check(source ?? catalogPath(process.env), values.json);
  if (source === undefined)
    throw new CommandLine.Misuse('The description is missing: give an OpenAPI file or its URL');
  return importFrom(source, values, Pricing.parse(values));
}

async function check(path: string, asJson: boolean): Promise<number> {
  try {
    const loaded = await CatalogFile.read(path);
    const { catalog, text } = loaded;
    const fault = await CatalogOpening.whyNotOpen(path, loaded);
    if (fault !== null) throw new Error(fault);
    const { services, plans, operations } = catalog;
    const missing = UpstreamValues.missing(catalog, process.env);
    const warnings = [
      ...CatalogFile.warnings(text, path).map((warning) => `Warning: ${warning}`),
      ...missing.map((name) => `Not set here: ${name}, which upstreams names.`),
    ];
    const counts = { operations: operations.length, services: services.length, plans: plans.length };
    const said = `${path}: ${counts.operations} operations in ${counts.services} services, ${counts.plans} plans.`;
    const found = { path, ...counts, faults: [], warnings: CatalogFile.warnings(text, path) };
    return Command.tell(
      asJson ? JSON.stringify({ ...found, variables_missing: missing }) : [said, ...warnings].join('\n'),
      0,
    );
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (asJson) console.log(JSON.stringify({ path, faults: text.split('\n') }));
    else console.error(text);
    return 1;
  }
}

async function importFrom(source: string, flags: Flags, wishes: Pricing.PricingFlags): Promise<number> {
  const { out, yes, force } = flags;
  if (!force && (await isThere(out))) {
    console.error(`${out} already exists. Choose another file with --out, or replace it with --force.`);
    return 1;
  }
  const file = URL.canParse(source) ? await keep(source, dirname(out)) : source;
  const read = await Wait.during(`Reading ${file}`, () => Description.read(file));
  if (!read.ok) {
    console.error(`${file} ${read.reason}`);
    return 1;
  }
  const proposal = CatalogDraft.fromOpenApi(read.document as Record<string, unknown>, wishes.price);
  Pricing.apply(proposal, wishes);
  if (!yes) await Pricing.ask(proposal, wishes, process.stdin, process.stderr);
  const written = CatalogDraft.write(proposal, relative(dirname(out), file) || basename(file));
  if (written.text === null) {
    console.error(`No operation of ${source} can be sold.`);
    for (const { call, reason } of written.proposal.leftOut.slice(0, listedMax))
      console.error(`  ${call}: ${reason}`);
    return 1;
  }
  await writeFile(out, written.text);
  const fault = await whyNotOpen(out);
  if (fault !== null) {
    console.error(fault);
    return 1;
  }
  const found = summary(out, written.proposal);
  console.log(flags.json ? JSON.stringify(found, null, 2) : inWords(found, source));
  return 0;
}

/** Returns why a shop with the catalogue at `path` would not start, or null. */
async function whyNotOpen(path: string): Promise<string | null> {
  try {
    return await CatalogOpening.whyNotOpen(path, await CatalogFile.read(path));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Downloads a description and stores it beside the catalogue, where the shop reads it at each start. */
async function keep(address: string, folder: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(fetchMsMax) });
  if (!response.ok) throw new Error(`${address} responds with status ${response.status}`);
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

function summary(catalog: string, proposal: CatalogDraft.CatalogDraft): Summary {
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
            worth_usd: Money.format(CatalogDraft.trialWorth(proposal)),
            opens_all: trial >= CatalogDraft.trialNeeded(services),
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
        `  ${slug.padEnd(24)} ${price_usd} USD ${PriceWords.aUnit(unit)}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    );
  if (services.length > sold.length) sold.push(`  and ${services.length - sold.length} more services`);
  return [
    `${catalog}: ${operations} operations of ${source} in ${services.length} services.`,
    ...sold,
    ...(trial === null
      ? ['New accounts have no trial.']
      : [`The trial gives ${trial.units} units, worth at most ${trial.worth_usd} USD.`]),
    ...(trial?.opens_all === false
      ? ['Some operations can cost more than that in one call (units_max), so the trial does not cover them.']
      : []),
    ...(leftOut > 0 ? [`${leftOut} operations are left out; the file contains the reasons.`] : []),
    ...(guesses > 0
      ? [`${guesses} guesses are marked with "?" in the file: check them before you sell.`]
      : []),
    '',
    'Next: write your settings into a file, check them, and open the shop:',
    '',
    '  cat > shop.env <<END',
    `  CATALOG=${catalog}`,
    `  UPSTREAM_URL=${upstreamUrl ?? 'https://...       # the address of the API, which its description does not contain'}`,
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
