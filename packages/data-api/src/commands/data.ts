import * as CommandLine from '@sluice/kernel/command-line';
import * as NetworkHost from '../network-host.ts';
import * as DataCommands from './data-commands.ts';
import * as DataGenerate from './data-generate.ts';
import * as DataImport from './data-import.ts';
import type { Reach } from './reach.ts';

export const help = `Manages the data of the data API: companies, people, jobs, emails and phones. Each import creates a new version of the
data set. Callers see the previous version until the new one is complete.

  sluice data import FILE-OR-FOLDER...     imports JSONL or CSV files; see import --help
  sluice data template KIND                prints all fields of a kind, as CSV and JSONL (--csv, --jsonl: only one)
  sluice data export FOLDER                writes the live version to files (--csv, --gzip)
  sluice data generate                     generates fictional data of any size; see generate --help
  sluice data versions                     lists the versions in the database, and which one is live
  sluice data drop NUMBER                  deletes a version that is not live

  KIND                  companies, people, jobs, emails or phones
  --database-url URL    default: DATABASE_URL, otherwise the database of \`sluice start\` in DATA_DIR
  --json                prints the result as JSON

Exit code: 0 done, 1 done without some bad rows, 2 nothing changed.`;

export const helpOf = { import: DataImport.help, generate: DataGenerate.help };

const verbs = {
  import: DataImport.run,
  template: DataCommands.template,
  export: DataCommands.exportAll,
  generate: DataGenerate.run,
  versions: DataCommands.versions,
  drop: DataCommands.drop,
};

/** Runs the command and returns its exit code. Throws on invalid arguments, and if the network's host is invalid. */
export async function run([verb, ...args]: string[], reach: Reach): Promise<number> {
  const fault = NetworkHost.faultOf();
  if (fault !== null) throw new Error(fault);
  return verbs[CommandLine.choose(verb, Object.keys(verbs) as (keyof typeof verbs)[])](args, reach);
}
