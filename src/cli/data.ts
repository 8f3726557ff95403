/** `node src/cli/data.ts`: an owner's data into the direct data interface, and what is there. */
import * as DataCommands from './data-commands.ts';
import * as DataGenerate from './data-generate.ts';
import * as DataImport from './data-import.ts';

const help = `Brings companies, people, jobs, emails and phones into the direct data interface, as one new generation
of the data set: those who ask see the old one until the new one is there as a whole.

  node src/cli/data.ts import FILE-OR-FOLDER...     files of JSONL or CSV; see import --help
  node src/cli/data.ts template KIND                every field of a kind, as CSV and as JSONL (--csv, --jsonl: one only)
  node src/cli/data.ts export FOLDER                the live generation as files (--csv, --gzip)
  node src/cli/data.ts generate                     a made-up data set of any size; see generate --help
  node src/cli/data.ts generations                  what is in the database, and which generation is live
  node src/cli/data.ts drop NUMBER                  removes a generation that is not live

  KIND                  companies, people, jobs, emails or phones
  --database-url URL    else DATABASE_URL, else the database that a running \`npm start\` keeps in DATA_DIR
  --json                the answer for programs

Exit code: 0 done, 1 done but for some bad rows, 2 nothing was changed.`;

const commands: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  import: DataImport.run,
  template: DataCommands.template,
  export: DataCommands.exportAll,
  generate: DataGenerate.run,
  generations: DataCommands.generations,
  drop: DataCommands.drop,
};

process.exitCode = await run(process.argv.slice(2)).catch((fault: unknown) => {
  const { message, code } = fault as { message?: string; code?: string };
  console.error(message || code || String(fault));
  return 2;
});

async function run([name = '', ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const own = name === 'import' || name === 'generate';
  if (command && (own || !args.some((arg) => arg === '--help' || arg === '-h'))) return command(args);
  const isAsked = command !== undefined || ['help', '--help', '-h'].includes(name);
  (isAsked ? console.log : console.error)(help);
  return isAsked ? 0 : 2;
}
