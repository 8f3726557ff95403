import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import * as BadRows from '../direct/import/bad-rows.ts';
import * as DataFile from '../direct/import/data-file.ts';
import * as Import from '../direct/import/import.ts';
import * as Progress from '../direct/import/progress.ts';
import { systemClock } from '../kernel/clock.ts';
import * as Command from './command.ts';
import { told } from './data-commands.ts';
import * as DataSets from './data-sets.ts';

export const help = `Imports files as one new generation of the data set. Kinds that are not given stay as they are.

  sluice data import export/                             a folder: companies.jsonl, people.csv.gz, jobs-2.jsonl ...
  sluice data import companies.csv people.jsonl.gz       files whose names say what they hold
  sluice data import --people crm-2026.csv               or say it: --companies --people --jobs --emails --phones
  sluice data import export/ --dry-run                   reads and checks everything, and touches no database

Formats, in UTF-8, packed with gzip or not:
  .jsonl .ndjson    one JSON object a line
  .csv .tsv         a header with the names of fields; an object's are dotted (hq.city), a list is a;b;c or JSON, a list
                    of objects is JSON, or column by column from 1 (experiences.1.job_title). Empty means unknown.
  Every field of a kind: sluice data template companies

A row that is wrong is reported as file:line: field: reason, and left out; the rest goes in. So are a second row with the
same address or number, and an email or phone of nobody. The same files again change nothing. An import that fails, is
stopped or finds too many bad rows changes nothing either.

  --bad-rows FILE       writes all bad rows there, as JSONL with file, line, reason and the row
  --bad-rows-max N      how many rows of one file may be bad, as a number or a share: ${BadRows.limitText(BadRows.limitDefault)} unless said otherwise
  --dry-run             loads nothing
  --database-url URL    else DATABASE_URL, else the database that \`sluice start\` keeps in DATA_DIR
  --json                the report for programs, on standard output

Exit code: 0 all rows went in or nothing was new, 1 the good rows went in and some were bad, 2 nothing was loaded.`;

const list = { type: 'string', multiple: true } as const;
const options = {
  companies: list,
  people: list,
  jobs: list,
  emails: list,
  phones: list,
  'bad-rows': { type: 'string' },
  'bad-rows-max': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const badShownMax = 20;
const stopMsMax = 5_000;
const passedOverShownMax = 10;

/** The command; gives the exit code. Throws what is wrong with the arguments. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, options);
  const { companies, people, jobs, emails, phones } = values;
  const named = Object.entries({ companies, people, jobs, emails, phones }).filter(([, paths]) => paths);
  if (positionals.length === 0 && named.length === 0)
    throw new Command.Misuse('Import what? Files or a folder: sluice data import export/');
  const limit =
    values['bad-rows-max'] === undefined ? BadRows.limitDefault : BadRows.parseLimit(values['bad-rows-max']);
  if (limit === null)
    throw new Error('--bad-rows-max is a number of rows, as 100, or a share of them, as 5%');
  const { files, passedOver, faults } = await DataFile.find(positionals, Object.fromEntries(named));
  const reportPath = values['bad-rows'] && resolve(values['bad-rows']);
  if (files.some(({ path }) => resolve(path) === reportPath))
    faults.push('--bad-rows names a file to be imported');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (passedOver.length > 0)
    console.error(`Passed over: ${passedOver.slice(0, passedOverShownMax).join(', ')}`);

  const startedMs = systemClock();
  const telling = tell(values['bad-rows']);
  const database = values['dry-run'] ? null : await DataSets.open(values['database-url']);
  try {
    const outcome = await Import.run({
      files,
      limit,
      dataSets: database?.dataSets ?? null,
      signal: interrupted(),
      ...telling,
    });
    telling.end();
    const report = { ...outcome, bad: telling.shown, seconds: (systemClock() - startedMs) / 1_000 };
    console.log(values.json ? JSON.stringify(report, null, 2) : text(outcome, systemClock() - startedMs));
    return exitCode(outcome);
  } finally {
    telling.end();
    await database?.close();
  }
}

/**
 * Aborted by the first Ctrl-C. Whatever does not end in time is ended as it stands, which changes nothing either: what
 * it left behind is cleared away by the next import.
 */
function interrupted(): AbortSignal {
  const control = new AbortController();
  const stop = () => {
    if (control.signal.aborted) process.exit(2);
    control.abort(new Error('Stopped: nothing was changed.'));
    setTimeout(() => {
      console.error(
        'Ended at once. Either generation is whole: sluice data generations says which one is live.',
      );
      process.exit(2);
    }, stopMsMax).unref();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  return control.signal;
}

/** Progress and bad rows, as they come: on standard error, and the rows in `path`. */
function tell(path: string | undefined) {
  const file = path === undefined ? null : openSync(path, 'w');
  const { stderr } = process;
  const progress = Progress.on({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY,
    clock: systemClock,
  });
  const shown: BadRows.BadRow[] = [];
  let count = 0;
  let isOpen = true;
  return {
    shown,
    stage: progress.stage,
    listener: {
      file: ({ path, bytes }: DataFile.DataFile) => progress.stage(path, bytes),
      read: progress.read,
      row: progress.row,
      bad(row: BadRows.BadRow) {
        if (file !== null) writeSync(file, `${BadRows.toJson(row)}\n`);
        if (++count > badShownMax) return;
        shown.push(row);
        progress.clear();
        stderr.write(`${BadRows.told(row)}\n`);
      },
    },
    end() {
      if (!isOpen) return;
      isOpen = false;
      progress.end();
      if (file !== null) closeSync(file);
      if (count > shown.length)
        stderr.write(
          `and ${count - shown.length} more bad rows${path ? '' : '; --bad-rows FILE writes them all'}\n`,
        );
    },
  };
}

function exitCode(outcome: Import.Outcome): number {
  switch (outcome.kind) {
    case 'unchanged':
      return 0;
    case 'loaded':
    case 'checked':
      return outcome.tallies.some(({ bad }) => bad > 0) ? 1 : 0;
    case 'refused':
      return 2;
  }
}

function text(outcome: Import.Outcome, ms: number): string {
  switch (outcome.kind) {
    case 'unchanged':
      return `These files are what generation ${outcome.generation} was made of: nothing to do.`;
    case 'checked':
      return `${sums(outcome.tallies, ms)}\nNothing was loaded: --dry-run.`;
    case 'loaded':
      return `${sums(outcome.tallies, ms)}\nGeneration ${outcome.generation} is live: ${told(outcome.counts)}.`;
    case 'refused':
      return `${outcome.reasons.join('\n')}\nNothing was loaded.`;
  }
}

function sums(tallies: Extract<Import.Outcome, { kind: 'loaded' }>['tallies'], ms: number): string {
  const rows = tallies.reduce((sum, tally) => sum + tally.rows, 0);
  const bad = tallies.reduce((sum, tally) => sum + tally.bad, 0);
  const pace = Progress.number(Math.round(rows / Math.max(ms / 1_000, 0.001)));
  return `${Progress.number(rows)} rows, ${Progress.number(bad)} of them bad, in ${Progress.seconds(ms)} (${pace} rows/s)`;
}
