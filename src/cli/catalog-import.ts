import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import * as Drafts from '@sluice/advisor/drafts';
import { Misuse } from '@sluice/kernel/command-line';
import type * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import * as Description from '../catalog/description.ts';
import * as CatalogDraft from '../catalog/import/catalog-draft.ts';
import * as CatalogYaml from '../catalog/import/catalog-yaml.ts';
import * as PriceFile from '../catalog/import/price-file.ts';
import type { Selected } from '../catalog/import/selection.ts';
import * as PriceWords from '../catalog/price-words.ts';
import * as CatalogOpening from '../process/catalog-opening.ts';
import { download } from './description-download.ts';
import * as Pricing from './pricing.ts';
import * as Wait from './wait.ts';

/** The flags of the command, besides those for prices. */
export type ImportFlags = Readonly<{
  out: string;
  yes: boolean;
  force: boolean;
  json: boolean;
  tag?: string[];
  path?: string[];
  include?: string[];
  mount?: string;
  prices?: string;
}>;

const listedMax = 12;
const mountForm = /^(\/[a-z0-9][a-z0-9._-]*)+$/;
/** An operation with which no shop would open is left out; more of them mean that something else is wrong. */
const droppedMax = 20;

/** Writes a catalogue for the description at `source`, a file or an address. Returns the exit code. */
export async function run(source: string, flags: ImportFlags, wishes: Pricing.PricingFlags): Promise<number> {
  const { out, yes, force, mount = null } = flags;
  if (mount !== null && !mountForm.test(mount))
    throw new Misuse(`--mount ${mount} is not a path in lower case such as /acme`);
  if (!force && (await isThere(out)))
    return fail(`${out} already exists. Choose another file with --out, or replace it with --force.`);
  const rows = flags.prices === undefined ? [] : await priceRows(flags.prices);
  const file = URL.canParse(source) ? await download(source, dirname(out)) : source;
  const read = await Wait.during(`Reading ${file}`, () => Description.read(file));
  if (!read.ok) return fail(`${file} ${read.reason}`);
  const drafting = CatalogDraft.fromOpenApi(read.document as Schema.Node, {
    draftAsks: Drafts.asks,
    price: wishes.price,
    selection: {
      tags: flags.tag ?? [],
      paths: selectedPaths(flags.path, wishes),
      include: flags.include ?? [],
    },
    mount,
    address: URL.canParse(source) ? source : null,
  });
  if (drafting.kind !== 'draft') return fail(refusal(drafting, source));
  const { proposal } = drafting;
  Pricing.apply(proposal, wishes);
  const unpriced = CatalogDraft.applyPrices(proposal, rows);
  const prices = unpriced.length === 0 ? null : { services: unpriced, read: priceRows };
  if (!yes) await Pricing.ask(proposal, wishes, prices, process.stdin, process.stderr);
  CatalogDraft.dropUnpriced(proposal);
  const written = await save(proposal, relative(dirname(out), file) || basename(file), out);
  if (typeof written === 'string') return fail(written);
  if (written.services.length === 0) return fail(nothing(source, written));
  const found = summary(out, written);
  console.log(flags.json ? JSON.stringify(found, null, 2) : inWords(found, source));
  return 0;
}

function fail(text: string): number {
  console.error(text);
  return 1;
}

/** `--only` selects services, so that every operation is a candidate. */
function selectedPaths(
  paths: readonly string[] | undefined,
  { only }: Pricing.PricingFlags,
): readonly string[] {
  return paths ?? (only === null ? [] : ['/']);
}

/** Reads a price list. Throws Misuse with the reason. */
async function priceRows(path: string): Promise<PriceFile.PriceRow[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Misuse(`--prices ${path} cannot be read (${error.code})`);
  });
  const read = PriceFile.readPrices(text, path);
  if (!read.ok) throw new Misuse(read.reason);
  return read.rows;
}

function refusal(selected: Exclude<Selected, { kind: 'selected' }>, source: string): string {
  if (selected.kind === 'unknown') return selected.reason;
  const { count, tags } = selected;
  const shown = tags
    .slice(0, listedMax * 2)
    .map(({ tag, count: own }) => `  ${String(own).padStart(5)}  ${tag}`);
  const [first] = tags;
  return [
    `${source} has ${count} operations. Choose what to sell, by tag or by path:`,
    '',
    ...shown,
    ...(tags.length > shown.length ? [`         and ${tags.length - shown.length} more`] : []),
    '',
    first?.tag.startsWith('/') ? `  --path ${first.tag}` : `  --tag ${JSON.stringify(first?.tag ?? '')}`,
    '  --path /            for all of them',
  ].join('\n');
}

function nothing(source: string, { leftOut }: CatalogDraft.CatalogDraft): string {
  const reasons = leftOut.slice(0, listedMax).map(({ call, reason }) => `  ${call}: ${reason}`);
  return [`No operation of ${source} can be sold.`, ...reasons].join('\n');
}

/**
 * Writes the catalogue to `out`, without the operations that keep a shop from opening. Returns what was written, without services when
 * nothing could be, or why it would not open.
 */
async function save(
  proposal: CatalogDraft.CatalogDraft,
  description: string,
  out: string,
): Promise<CatalogDraft.CatalogDraft | string> {
  let draft = proposal;
  for (let dropped = 0; ; dropped += 1) {
    const written = CatalogYaml.write(draft, description);
    if (written.text === null) return written.proposal;
    await writeFile(out, written.text);
    const fault = await CatalogOpening.check(out);
    if (fault === null) return written.proposal;
    if (fault.call === null || dropped === droppedMax) return fault.text;
    draft = CatalogYaml.without(written.proposal, fault.call, fault.reason);
  }
}

type Summary = {
  catalog: string;
  upstreamUrl: string | null;
  /** `price_usd`: null for a service with meters. */
  services: { slug: string; unit: string; price_usd: string | null; operations: number }[];
  trial: { units: number; worth_usd: string; opens_all: boolean } | null;
  others: number;
  leftOut: number;
  guesses: number;
};

function summary(catalog: string, proposal: CatalogDraft.CatalogDraft): Summary {
  const { services, trial, leftOut, others, doubts, upstreamUrl } = proposal;
  const operations = services.flatMap((service) => service.operations);
  return {
    catalog,
    upstreamUrl,
    services: services.map(({ slug, unit, price, prices, operations }) => ({
      slug,
      unit,
      price_usd: prices === null ? Money.format(price) : null,
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
    others,
    guesses: doubts.length + operations.reduce((sum, { doubts }) => sum + doubts.length, 0),
  };
}

function inWords(found: Summary, source: string): string {
  const { catalog, upstreamUrl, services, trial, leftOut, others, guesses } = found;
  const operations = services.reduce((sum, service) => sum + service.operations, 0);
  const sold = services
    .slice(0, listedMax)
    .map(
      ({ slug, unit, price_usd, operations }) =>
        `  ${slug.padEnd(24)} ${price_usd === null ? 'by its meters' : `${price_usd} USD ${PriceWords.aUnit(unit)}`}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
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
    ...(others > 0 ? [`${others} operations were not selected.`] : []),
    ...(leftOut > 0
      ? [
          `${leftOut === 1 ? '1 operation is' : `${leftOut} operations are`} left out; the file contains the reasons.`,
        ]
      : []),
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
    '',
    "Callers state goals in their own words, and your shop's advisor answers with calls. It learns from goals, which any chat assistant writes:",
    '',
    `  npx sluice catalog goals ${catalog} --prompt prompt.txt`,
  ].join('\n');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
