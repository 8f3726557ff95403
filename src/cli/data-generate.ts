import * as Sample from '../direct/data/sample.ts';
import { kinds } from '../direct/entries/kind.ts';
import * as Export from '../direct/import/export.ts';
import type * as Import from '../direct/import/import.ts';
import * as Progress from '../direct/import/progress.ts';
import { systemClock } from '../kernel/clock.ts';
import { sha256Hex } from '../kernel/digest.ts';
import * as Command from './command.ts';
import { told } from './data-commands.ts';
import * as DataSets from './data-sets.ts';

export const help = `Makes up a data set: nothing in it is real. The same seed and sizes on the same day give the same data.

  sluice data generate --out made-up/                              files, as an import reads them
  sluice data generate --companies 200000 --people 1000000 --jobs 1000000 --load    straight into the database

  --companies N --people N --jobs N     how many: 3000, 30000 and 20000 unless said otherwise; emails and phones follow
  --seed N              another world
  --day YYYY-MM-DD      the day that everything is dated back from: today unless said otherwise
  --out FOLDER          writes companies.jsonl, people.jsonl, jobs.jsonl, emails.jsonl, phones.jsonl
  --csv, --gzip         CSV in place of JSONL; packed
  --load                makes it the live generation
  --database-url URL    else DATABASE_URL, else the database that \`sluice start\` keeps in DATA_DIR`;

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
  'database-url': { type: 'string' },
} as const;

const countMax = 10_000_000;
const dayMs = 86_400_000;

/** The command; gives the exit code. Throws what is wrong with the arguments. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, options);
  Command.noMore(positionals);
  if ((values.out === undefined) === !values.load)
    throw new Command.Misuse('Say where it goes: --out FOLDER, or --load');
  const wishes: Sample.Options = {
    seed: count('--seed', values.seed, Sample.seed),
    todayMs: day(values.day),
    companies: count('--companies', values.companies, Sample.sizes.companies),
    people: count('--people', values.people, Sample.sizes.people),
    jobs: count('--jobs', values.jobs, Sample.sizes.jobs),
  };
  const sample = Sample.generate(wishes);
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
    for (const { path, rows } of written) console.log(`${path}  ${Progress.number(rows)} rows`);
    return 0;
  }
  const { dataSets, close } = await DataSets.open(values['database-url']);
  try {
    const { generation, counts } = await dataSets.load(
      madeUp(sample, sha256Hex(JSON.stringify(wishes)), progress),
    );
    progress.end();
    console.log(`Generation ${generation} is live: ${told(counts)}.`);
    return 0;
  } finally {
    await close();
  }
}

/** The sample as a load takes it: every row of it is good. */
function madeUp(sample: Sample.Sample, digest: string, progress: Progress.Progress): Import.Load {
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
      throw new Error(`a made-up row was refused: ${field}: ${reason}`);
    },
    stage: (name) => progress.stage(name, 0),
    confirm: () => {},
  };
}

function count(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(number) || number < 1 || number > countMax)
    throw new Error(`${option} is a whole number from 1 to ${countMax}`);
  return number;
}

/** The beginning of a day in UTC, in milliseconds. */
function day(text: string | undefined): number {
  if (text === undefined) return Math.floor(systemClock() / dayMs) * dayMs;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error('--day is a date, as 2026-07-08');
  return ms;
}
