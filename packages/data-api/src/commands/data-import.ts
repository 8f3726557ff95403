import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import type { Kind } from '../entries/kind.ts';
import * as BadRows from '../import/bad-rows.ts';
import * as DataFile from '../import/data-file.ts';
import * as Import from '../import/import.ts';
import * as Prepare from '../import/prepare.ts';
import * as Progress from '../import/progress.ts';
import * as NetworkHost from '../network-host.ts';
import { formatCounts } from './data-commands.ts';
import * as DataSets from './data-sets.ts';
import * as Choices from './import-choices.ts';
import type { Reach } from './reach.ts';

export const help = `Imports files as a new version of the data set. Kinds of data without a file are kept as they are.

  sluice data import --people contacts.csv --yes         a contact export of a CRM system, with companies and emails
  sluice data import export/                             a folder: companies.jsonl, people.csv.gz, jobs-2.jsonl ...
  sluice data import companies.csv people.jsonl.gz       the file name starts with the kind of data
  sluice data import --people crm-2026.csv               any file name, with --companies --people --jobs --emails --phones
  sluice data import export/ --dry-run                   checks all rows without a database

Formats, in UTF-8, optionally compressed with gzip:
  .jsonl .ndjson    one JSON object per line, with exactly our fields and values
  .csv .tsv         a header with field names. Fields of objects have dotted names (hq.city). A list is a;b;c or JSON. A
                    list of objects is JSON, or numbered columns (experiences.1.job_title). Empty cells mean unknown.
  All fields of a kind: sluice data template companies

Columns of CSV files may have the names that CRM exports use (Company Name, Job Title, E-Mail). Unknown columns are skipped
with a warning. A file of people may contain emails, phones and companies too (fields email, phone, company.name,
company.domain ...). Rows need no network address: see "Import your CRM export" in docs/data-api.md.

  --map "Column=field"  uses a column as the field, or skips it ("Column="); repeatable
  --strict-columns      makes unknown columns errors
  --match "field:value=ours"    replaces a value by one of ours ("industry:Software=Software Development",
                        "country:Germany=DE"), or leaves it out ("industry:Other="); repeatable
  --yes                 accepts the proposed matches of industries, countries and other fixed values without a question
  --trust-verified      believes imported verified_at times until our own test. Without it, emails are unverified at first
  --only                drops all other data, such as the sample

An invalid row is reported as file:line: field: reason and skipped; the other rows are imported. Duplicate rows, and
emails and phones of unknown people, are skipped too. Importing the same files again changes nothing. If an import fails,
is stopped or finds too many bad rows, nothing changes.

  --bad-rows FILE       writes all bad rows to FILE, as JSONL with file, line, reason and row
  --bad-rows-max N      maximum number or share of bad rows in one file (default: ${BadRows.limitText(BadRows.limitDefault)})
  --dry-run             checks all rows without importing them
  --database-url URL    default: DATABASE_URL, otherwise the database of \`sluice start\` in DATA_DIR
  --json                prints the report as JSON on standard output

The setting DIRECT_NETWORK_HOST names the host of network addresses (default: ${NetworkHost.hostDefault}).

Exit code: 0 all rows imported or nothing new, 1 imported without some bad rows, 2 nothing imported.`;

const list = { type: 'string', multiple: true } as const;
const options = {
  companies: list,
  people: list,
  jobs: list,
  emails: list,
  phones: list,
  map: list,
  match: list,
  'strict-columns': { type: 'boolean' },
  yes: { type: 'boolean' },
  'trust-verified': { type: 'boolean' },
  only: { type: 'boolean' },
  'bad-rows': { type: 'string' },
  'bad-rows-max': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const badShownMax = 20;
const stopMsMax = 5_000;
const skippedShownMax = 10;

type Flags = ReturnType<typeof CommandLine.read<typeof options>>['values'];

/** Runs the command and returns its exit code. Throws on invalid arguments. */
export async function run(args: string[], reach: Reach, terminal = Choices.terminal()): Promise<number> {
  const { values, positionals } = CommandLine.read(args, options);
  const limit =
    values['bad-rows-max'] === undefined ? BadRows.limitDefault : BadRows.parseLimit(values['bad-rows-max']);
  if (limit === null)
    throw new Error('--bad-rows-max must be a number of rows such as 100, or a share such as 5%');
  const found = await filesOf(values, positionals);
  const signal = interrupted();
  const startedMs = systemClock();
  const report = (outcome: Import.Outcome, bad: readonly BadRows.BadRow[], more: object) => {
    const seconds = (systemClock() - startedMs) / 1_000;
    console.log(
      values.json
        ? JSON.stringify({ ...outcome, bad, seconds, ...more }, null, 2)
        : text(outcome, systemClock() - startedMs),
    );
    return exitCode(outcome);
  };

  const prepared = await Prepare.prepare(found, {
    mappings: Choices.readMappings(values.map ?? []),
    matches: Choices.readMatches(values.match ?? []),
    isStrict: values['strict-columns'] === true,
    trustsVerified: values['trust-verified'] === true,
    signal,
  });
  const { proposals, renamed, warnings } = prepared;
  for (const line of [...renamed, ...warnings]) console.error(line);
  const reasons =
    prepared.reasons.length > 0 ? prepared.reasons : await declined(proposals, values, terminal);
  if (reasons.length > 0) return report({ kind: 'refused', reasons, files: [] }, [], { proposals });

  const reporter = createReporter(values['bad-rows']);
  const database = values['dry-run'] ? null : await DataSets.open(reach, values['database-url']);
  try {
    const outcome = await Import.run({
      files: Prepare.accepting(prepared),
      limit,
      dataSets: database?.dataSets ?? null,
      dropsOthers: values.only === true,
      signal,
      ...reporter,
    });
    reporter.end();
    if (outcome.kind === 'loaded' && outcome.counts.emails) noteUnverified(values);
    return report(outcome, reporter.shown, { proposals });
  } finally {
    reporter.end();
    await database?.close();
  }
}

/** Finds the files to import. Throws if there are none, or if one cannot be imported. */
async function filesOf(values: Flags, positionals: readonly string[]): Promise<DataFile.DataFile[]> {
  const { companies, people, jobs, emails, phones } = values;
  const named = Object.entries({ companies, people, jobs, emails, phones }).filter(([, paths]) => paths);
  if (positionals.length === 0 && named.length === 0)
    throw new CommandLine.Misuse(
      'Name the files or the folder to import, such as: sluice data import export/',
    );
  const { files, skipped, faults } = await DataFile.find(positionals, Object.fromEntries(named));
  const reportPath = values['bad-rows'] && resolve(values['bad-rows']);
  if (files.some(({ path }) => resolve(path) === reportPath))
    faults.push(
      '--bad-rows names one of the files to import. Choose another file, which will be overwritten',
    );
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (skipped.length > 0)
    console.error(
      `Skipped files, whose names start with no kind of data: ${skipped.slice(0, skippedShownMax).join(', ')}`,
    );
  return files;
}

/** Returns the reasons why the proposals are not accepted; none if they are. */
async function declined(
  proposals: readonly Prepare.Proposal[],
  values: Flags,
  terminal: Choices.Terminal | null,
): Promise<string[]> {
  if (proposals.length === 0) return [];
  if (values.yes) {
    console.error(`Matched values:\n${Choices.formatProposals(proposals)}`);
    return [];
  }
  if (terminal === null) return [Choices.refusal(proposals)];
  if (await Choices.consents(terminal, proposals)) return [];
  return [`Not confirmed. Choose each match yourself:\n  ${Choices.optionsFor(proposals)}`];
}

/** Says that imported emails are not returned before a test. */
function noteUnverified(values: Flags): void {
  if (!values['trust-verified'])
    console.error(
      'Imported emails are returned once their mail servers have confirmed them: sluice emails verify (docs/emails.md)',
    );
}

/**
 * Signal aborted by the first Ctrl-C. If the import does not stop in time, or on the second Ctrl-C, the process exits at
 * once. This is safe, because an import becomes live in one step and the next one cleans up.
 */
function interrupted(): AbortSignal {
  const control = new AbortController();
  const stop = () => {
    if (control.signal.aborted) process.exit(2);
    control.abort(new Error('Stopped. Nothing was changed.'));
    setTimeout(() => {
      console.error(
        'Exited before the import stopped. The data set is consistent. See which version is live: sluice data versions',
      );
      process.exit(2);
    }, stopMsMax).unref();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  return control.signal;
}

/** Reports progress and bad rows on standard error, and writes the bad rows to `path`. */
function createReporter(path: string | undefined) {
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
      file: (file: DataFile.DataFile) =>
        progress.stage(DataFile.isPart(file) ? `${file.path} (${file.kind})` : file.path, file.bytes),
      read: progress.read,
      row: progress.row,
      bad(row: BadRows.BadRow) {
        if (file !== null) writeSync(file, `${BadRows.toJson(row)}\n`);
        if (++count > badShownMax) return;
        shown.push(row);
        progress.clear();
        stderr.write(`${BadRows.format(row)}\n`);
      },
    },
    end() {
      if (!isOpen) return;
      isOpen = false;
      progress.end();
      if (file !== null) closeSync(file);
      if (count > shown.length)
        stderr.write(
          `and ${count - shown.length} more bad rows${path ? '' : '. Write all of them to a file: --bad-rows FILE'}\n`,
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
      return outcome.files.some(({ bad }) => bad > 0) ? 1 : 0;
    case 'refused':
      return 2;
  }
}

/** The stand-in for live profiles knows fictional companies and people only. */
function liveHint(files: readonly { kind: Kind }[]): string {
  const isOwn = files.some(({ kind }) => kind === 'companies' || kind === 'people');
  return isOwn
    ? '\nThe real-time search needs a live profile source now: set DIRECT_LIVE_URL. Without one it answers 501. See docs/live-profiles.md'
    : '';
}

function text(outcome: Import.Outcome, ms: number): string {
  switch (outcome.kind) {
    case 'unchanged':
      return `Nothing to do: data-set version ${outcome.version}, which is live, was imported from the same files.`;
    case 'checked':
      return `${sums(outcome.files, ms)}\nNothing was imported because of --dry-run.`;
    case 'loaded':
      return `${sums(outcome.files, ms)}\nData-set version ${outcome.version} is live: ${formatCounts(outcome.counts)}.${liveHint(outcome.files)}`;
    case 'refused':
      return `${outcome.reasons.join('\n')}\nNothing was imported.`;
  }
}

function sums(files: Extract<Import.Outcome, { kind: 'loaded' }>['files'], ms: number): string {
  const rows = files.reduce((sum, file) => sum + (file.isPart ? 0 : file.rows), 0);
  const bad = files.reduce((sum, file) => sum + file.bad, 0);
  const pace = Progress.number(Math.round(rows / Math.max(ms / 1_000, 0.001)));
  return `${Progress.number(rows)} rows, ${Progress.number(bad)} of them bad, in ${Progress.seconds(ms)} (${pace} rows/s)`;
}
