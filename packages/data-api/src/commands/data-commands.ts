import { systemClock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import * as DataSetVersions from '../adapters/data-set-versions.ts';
import * as ExistingEntries from '../adapters/existing-entries.ts';
import { kinds } from '../entries/kind.ts';
import * as Export from '../import/export.ts';
import * as KindSchema from '../import/kind-schema.ts';
import * as Progress from '../import/progress.ts';
import * as Template from '../import/template.ts';
import * as DataSets from './data-sets.ts';
import type { Reach } from './reach.ts';

const database = { 'database-url': { type: 'string' }, json: { type: 'boolean' } } as const;

/** `template KIND`: prints every field, as a CSV header with one row and as a line of JSONL. */
export async function template(args: string[]): Promise<number> {
  const options = { csv: { type: 'boolean' }, jsonl: { type: 'boolean' } } as const;
  const { values, positionals } = CommandLine.read(args, options);
  const kind = KindSchema.kindNamed(positionals[0] ?? '');
  if (kind === null || positionals.length > 1)
    throw new CommandLine.Misuse(`Name one kind of data: ${kinds.join(', ')}`);
  const both = !values.csv && !values.jsonl;
  if (both) console.log(`# ${kind}.csv`);
  if (both || values.csv) console.log(Template.csv(kind));
  const more = Template.moreColumns(kind);
  if (both && more.length > 0) console.log(`# more columns that CSV files may have: ${more.join(', ')}`);
  if (both) console.log(`\n# ${kind}.jsonl`);
  if (both || values.jsonl) console.log(Template.jsonl(kind));
  return 0;
}

/** `versions`: lists the data-set versions in the database. */
export async function versions(args: string[], reach: Reach): Promise<number> {
  const { values, positionals } = CommandLine.read(args, database);
  CommandLine.noMore(positionals);
  const { sql, close } = await DataSets.open(reach, values['database-url']);
  try {
    const found = await DataSetVersions.readable(sql);
    const lines = found.map(
      ({ version, live, counts }) => `${live ? 'live' : '    '}  ${version}  ${formatCounts(counts)}`,
    );
    console.log(
      values.json
        ? JSON.stringify(found, null, 2)
        : lines.join('\n') || 'The database has no data set yet. Load one: sluice data import FILE-OR-FOLDER',
    );
    return 0;
  } finally {
    await close();
  }
}

/** `drop NUMBER`: deletes a data-set version that is not live. */
export async function drop(args: string[], reach: Reach): Promise<number> {
  const { values, positionals } = CommandLine.read(args, database);
  const [text = '', ...rest] = positionals;
  if (!/^\d{1,9}$/.test(text) || rest.length > 0)
    throw new CommandLine.Misuse('Name the number of one data-set version. List them: sluice data versions');
  const number = Number(text);
  const { sql, close } = await DataSets.open(reach, values['database-url']);
  try {
    const done = await DataSetVersions.withLoadLock(sql, async () => {
      const found = (await DataSetVersions.readable(sql)).find(({ version }) => version === number);
      if (!found) throw new Error(`there is no data-set version ${number}. List them: sluice data versions`);
      if (found.live)
        throw new Error(`data-set version ${number} is live and cannot be dropped. Import another one first`);
      await sql`delete from direct.data_set_version where version = ${number} and not live`;
      await DataSetVersions.drop(sql, number);
      return true;
    });
    if (!done) throw new Error('an import into this database is running. Try again when it has finished');
    console.log(values.json ? JSON.stringify({ dropped: number }) : `Dropped data-set version ${number}.`);
    return 0;
  } finally {
    await close();
  }
}

/** `export FOLDER`: writes the live data-set version as files that can be imported again. */
export async function exportAll(args: string[], reach: Reach): Promise<number> {
  const options = { ...database, csv: { type: 'boolean' }, gzip: { type: 'boolean' } } as const;
  const { values, positionals } = CommandLine.read(args, options);
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0)
    throw new CommandLine.Misuse('Name one folder to export to: sluice data export FOLDER');
  const { sql, close } = await DataSets.open(reach, values['database-url']);
  const { stderr } = process;
  const screen = {
    write: (text: string) => stderr.write(text),
    isTerminal: stderr.isTTY,
    clock: systemClock,
  };
  const progress = Progress.on(screen);
  try {
    const live = await DataSetVersions.live(sql);
    if (!live)
      throw new Error('the database has no data set yet. Load one: sluice data import FILE-OR-FOLDER');
    progress.stage(`Writing data-set version ${live.version} to ${folder}`, 0);
    const source: Export.Source = Object.fromEntries(
      kinds.map((kind) => [kind, ExistingEntries.entries(sql, live.version, kind)]),
    );
    const shape = { format: values.csv ? 'csv' : 'jsonl', gzip: values.gzip === true } as const;
    const written = await Export.write(source, folder, shape, () => progress.row(false));
    progress.end();
    console.log(
      values.json
        ? JSON.stringify({ version: live.version, files: written }, null, 2)
        : written.map(({ path, rows }) => `${path}  ${Progress.number(rows)} rows`).join('\n'),
    );
    return 0;
  } finally {
    await close();
  }
}

/** `3,000 companies, 30,000 people`. */
export function formatCounts(counts: DataSetVersions.Counts): string {
  return kinds.map((kind) => `${Progress.number(counts[kind] ?? 0)} ${kind}`).join(', ');
}
