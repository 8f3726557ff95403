import { systemClock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import * as Sample from '../data/sample.ts';
import { kinds } from '../entries/kind.ts';
import * as Export from '../import/export.ts';
import type * as Import from '../import/import.ts';
import * as Progress from '../import/progress.ts';
import { formatCounts } from './data-commands.ts';
import * as DataSets from './data-sets.ts';
import type { Reach } from './reach.ts';

export const help = `Generates fictional data of any size. The same seed, sizes and day always give the same data.

  sluice data generate --out made-up/                              writes files for sluice data import
  sluice data generate --companies 200000 --load         loads 200,000 companies with 2,000,000 people

  --companies N         default: 3000
  --people N --jobs N   default: 10 people and 7 jobs per company; emails and phones depend on them
  --seed N              a different seed gives different data
  --day YYYY-MM-DD      all dates are relative to this day (default: today)
  --out FOLDER          writes companies.jsonl, people.jsonl, jobs.jsonl, emails.jsonl, phones.jsonl
  --csv, --gzip         CSV instead of JSONL; compressed
  --load                makes it the live data-set version
  --json                prints the result as JSON
  --database-url URL    default: DATABASE_URL, otherwise the database of \`sluice start\` in DATA_DIR`;

const options = {
  companies: { type: 'string' },
  people: { type: 'string' },
  jobs: { type: 'string' },
  seed: { type: 'string' },
  day: { type: 'string' },
  out: { type: 'string' },
  csv: { type: 'boolean' },
  gzip: { type: 'boolean' },
  load: { type: 'boolean' },
  json: { type: 'boolean' },
  'database-url': { type: 'string' },
} as const;

const countMax = 10_000_000;
const dayMs = 86_400_000;

/** Runs the command and returns its exit code. Throws on invalid arguments. */
export async function run(args: string[], reach: Reach): Promise<number> {
  const { values, positionals } = CommandLine.read(args, options);
  CommandLine.noMore(positionals);
  if ((values.out === undefined) === !values.load)
    throw new CommandLine.Misuse('Choose where to write the data: either --out FOLDER or --load');
  const companies = count('--companies', values.companies, Sample.sizes.companies);
  const sizes = Sample.inProportion(companies);
  const sampleOptions: Sample.Options = {
    seed: count('--seed', values.seed, Sample.seed),
    todayMs: day(values.day),
    companies,
    people: count('--people', values.people, Math.min(sizes.people, countMax)),
    jobs: count('--jobs', values.jobs, Math.min(sizes.jobs, countMax)),
  };
  const sample = Sample.generate(sampleOptions);
  const { stderr } = process;
  const screen = {
    write: (text: string) => stderr.write(text),
    isTerminal: stderr.isTTY,
    clock: systemClock,
  };
  const progress = Progress.on(screen);
  if (values.out !== undefined) {
    progress.stage(`Writing to ${values.out}`, 0);
    const shape = { format: values.csv ? 'csv' : 'jsonl', gzip: values.gzip === true } as const;
    const written = await Export.write(sample, values.out, shape, () => progress.row(false));
    progress.end();
    if (values.json) console.log(JSON.stringify({ files: written }, null, 2));
    else for (const { path, rows } of written) console.log(`${path}  ${Progress.number(rows)} rows`);
    return 0;
  }
  const { dataSets, close } = await DataSets.open(reach, values['database-url']);
  try {
    const { version, counts } = await dataSets.load(
      sampleLoad(sample, Sample.generatedDigest(sampleOptions), progress),
    );
    progress.end();
    console.log(
      values.json
        ? JSON.stringify({ version, counts }, null, 2)
        : `Data-set version ${version} is live: ${formatCounts(counts)}.`,
    );
    return 0;
  } finally {
    await close();
  }
}

/** Wraps the sample for a load. All of its rows are valid. */
function sampleLoad(sample: Sample.Sample, digest: string, progress: Progress.Progress): Import.Load {
  const counted = <T>(name: string, entries: Iterable<T>) =>
    (async function* () {
      progress.stage(`Making ${name}`, 0);
      for (const entry of entries) {
        progress.row(false);
        yield entry;
      }
    })();
  return {
    given: {
      companies: counted('companies', sample.companies),
      people: counted('people', sample.people),
      jobs: counted('jobs', sample.jobs),
      emails: counted('emails', sample.emails),
      phones: counted('phones', sample.phones),
    },
    digests: Object.fromEntries(kinds.map((kind) => [kind, digest])),
    refused: (_kind, _ordinal, _entry, field, reason) => {
      throw new Error(`a generated row was refused: ${field}: ${reason}`);
    },
    stage: (name) => progress.stage(name, 0),
    confirm: () => {},
  };
}

function count(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(number) || number < 1 || number > countMax)
    throw new Error(`${option} must be a whole number from 1 to ${countMax}`);
  return number;
}

/** Start of a day in UTC, in milliseconds. */
function day(text: string | undefined): number {
  if (text === undefined) return Math.floor(systemClock() / dayMs) * dayMs;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error('--day must be a date such as 2026-07-08');
  return ms;
}
