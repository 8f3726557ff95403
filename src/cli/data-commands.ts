import * as Carried from '../direct/adapters/carried.ts';
import * as Generations from '../direct/adapters/generations.ts';
import { kinds } from '../direct/entries/kind.ts';
import * as Export from '../direct/import/export.ts';
import * as KindSchema from '../direct/import/kind-schema.ts';
import * as Progress from '../direct/import/progress.ts';
import * as Template from '../direct/import/template.ts';
import { systemClock } from '../kernel/clock.ts';
import * as Command from './command.ts';
import * as DataSets from './data-sets.ts';

const database = { 'database-url': { type: 'string' }, json: { type: 'boolean' } } as const;

/** `template KIND`: every field, as a CSV header with one row and as a line of JSONL. */
export async function template(args: string[]): Promise<number> {
  const options = { csv: { type: 'boolean' }, jsonl: { type: 'boolean' } } as const;
  const { values, positionals } = Command.read(args, options);
  const kind = KindSchema.kindNamed(positionals[0] ?? '');
  if (kind === null || positionals.length > 1)
    throw new Command.Misuse(`Template of what? One of ${kinds.join(', ')}`);
  const both = !values.csv && !values.jsonl;
  if (both) console.log(`# ${kind}.csv`);
  if (both || values.csv) console.log(Template.csv(kind));
  if (both) console.log(`\n# ${kind}.jsonl`);
  if (both || values.jsonl) console.log(Template.jsonl(kind));
  return 0;
}

/** `generations`: what is in the database. */
export async function generations(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, database);
  Command.noMore(positionals);
  const { sql, close } = await DataSets.open(values['database-url']);
  try {
    const found = await Generations.readable(sql);
    const lines = found.map(
      ({ generation, live, counts }) => `${live ? 'live' : '    '}  ${generation}  ${told(counts)}`,
    );
    console.log(values.json ? JSON.stringify(found, null, 2) : lines.join('\n') || 'No data set yet.');
    return 0;
  } finally {
    await close();
  }
}

/** `drop NUMBER`: removes a generation that is not live. */
export async function drop(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, database);
  const [text = '', ...rest] = positionals;
  if (!/^\d{1,9}$/.test(text) || rest.length > 0)
    throw new Command.Misuse('Drop which generation? sluice data generations lists them');
  const number = Number(text);
  const { sql, close } = await DataSets.open(values['database-url']);
  try {
    const done = await Generations.alone(sql, async () => {
      const found = (await Generations.readable(sql)).find(({ generation }) => generation === number);
      if (!found) throw new Error(`there is no generation ${number}`);
      if (found.live) throw new Error(`generation ${number} is live: import another first`);
      await sql`delete from direct.generation where generation = ${number} and not live`;
      await Generations.drop(sql, number);
      return true;
    });
    if (!done) throw new Error('an import of this database is under way');
    console.log(values.json ? JSON.stringify({ dropped: number }) : `Generation ${number} is gone.`);
    return 0;
  } finally {
    await close();
  }
}

/** `export FOLDER`: the live generation as files that an import reads back. */
export async function exportAll(args: string[]): Promise<number> {
  const options = { ...database, csv: { type: 'boolean' }, gzip: { type: 'boolean' } } as const;
  const { values, positionals } = Command.read(args, options);
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0) throw new Command.Misuse('Export into which folder?');
  const { sql, close } = await DataSets.open(values['database-url']);
  const { stderr } = process;
  const screen = {
    write: (text: string) => stderr.write(text),
    isTerminal: stderr.isTTY,
    clock: systemClock,
  };
  const progress = Progress.on(screen);
  try {
    const live = await Generations.live(sql);
    if (!live) throw new Error('there is no data set yet');
    progress.stage(`Writing generation ${live.generation} to ${folder}`, 0);
    const source: Export.Source = Object.fromEntries(
      kinds.map((kind) => [kind, Carried.entries(sql, live.generation, kind)]),
    );
    const shape = { format: values.csv ? 'csv' : 'jsonl', gzip: values.gzip === true } as const;
    const written = await Export.write(source, folder, shape, () => progress.row(false));
    progress.end();
    console.log(
      values.json
        ? JSON.stringify({ generation: live.generation, files: written }, null, 2)
        : written.map(({ path, rows }) => `${path}  ${Progress.number(rows)} rows`).join('\n'),
    );
    return 0;
  } finally {
    await close();
  }
}

/** `3,000 companies, 30,000 people`. */
export function told(counts: Generations.Counts): string {
  return kinds.map((kind) => `${Progress.number(counts[kind] ?? 0)} ${kind}`).join(', ');
}
