import * as Command from '../command.ts';
import * as DataCommands from '../data-commands.ts';
import * as DataGenerate from '../data-generate.ts';
import * as DataImport from '../data-import.ts';

export const help = `Brings companies, people, jobs, emails and phones into the direct data interface, as one new generation
of the data set: those who ask see the old one until the new one is there as a whole.

  sluice data import FILE-OR-FOLDER...     files of JSONL or CSV; see import --help
  sluice data template KIND                every field of a kind, as CSV and as JSONL (--csv, --jsonl: one only)
  sluice data export FOLDER                the live generation as files (--csv, --gzip)
  sluice data generate                     a made-up data set of any size; see generate --help
  sluice data generations                  what is in the database, and which generation is live
  sluice data drop NUMBER                  removes a generation that is not live

  KIND                  companies, people, jobs, emails or phones
  --database-url URL    else DATABASE_URL, else the database that \`sluice start\` keeps in DATA_DIR
  --json                the answer for programs

Exit code: 0 done, 1 done but for some bad rows, 2 nothing was changed.`;

export const helpOf = { import: DataImport.help, generate: DataGenerate.help };

const verbs = {
  import: DataImport.run,
  template: DataCommands.template,
  export: DataCommands.exportAll,
  generate: DataGenerate.run,
  generations: DataCommands.generations,
  drop: DataCommands.drop,
};

export async function run([verb, ...args]: string[]): Promise<number> {
  return verbs[Command.choose(verb, Object.keys(verbs) as (keyof typeof verbs)[])](args);
}
