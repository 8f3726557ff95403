import { emailReports } from '../../direct/adapters/email-reports.ts';
import * as EmailTests from '../../direct/email-tests.ts';
import * as Report from '../../direct/emails/report.ts';
import * as Settings from '../../direct/emails/settings.ts';
import type * as Tally from '../../direct/emails/tally.ts';
import * as Worker from '../../direct/emails/worker.ts';
import * as Progress from '../../direct/import/progress.ts';
import { systemClock } from '../../kernel/clock.ts';
import * as Command from '../command.ts';
import * as DataSets from '../data-sets.ts';

export const help = `Tests the work emails of the direct data interface at their mail servers, up to the question whether an address
would be accepted: nothing is ever sent. Any number of these may run at once, beside the interface's own schedule.

  sluice emails verify              tests every address that is due, then ends
  sluice emails verify --watch      goes on with what comes to be due, until it is stopped
  sluice emails report              how many are verified, how old the tests are, what is due, who slows us

  --database-url URL    else DATABASE_URL, else the database that a \`sluice start\` keeps in DATA_DIR
  --json                the answer for programs

verify needs DIRECT_EMAIL_HELO, the host name that we greet with, and DIRECT_EMAIL_FROM, the sender that we name; the other
settings are in docs/emails.md.

Exit code: 0 done, 2 not understood, not allowed to begin, or the database is out of reach.`;

const options = {
  watch: { type: 'boolean' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
} as const;
type Flags = ReturnType<typeof Command.read<typeof options>>['values'];

export async function run(args: string[]): Promise<number> {
  const { values: flags, positionals } = Command.read(args, options);
  const [given, ...rest] = positionals;
  const verb = Command.choose(given, ['verify', 'report']);
  Command.noMore(rest);
  if (verb === 'verify') return verify(flags);
  if (flags.watch) throw new Command.Misuse('--watch goes with verify');
  return report(flags);
}

async function report(flags: Flags): Promise<number> {
  const { sql, close } = await DataSets.open(flags['database-url']);
  try {
    const found = await emailReports(sql).at(systemClock());
    console.log(flags.json ? JSON.stringify(found, null, 2) : Report.text(found));
    return 0;
  } finally {
    await close();
  }
}

async function verify(flags: Flags): Promise<number> {
  const faults: string[] = [];
  const settings = Settings.read(process.env, faults);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (settings === null)
    throw new Error(
      'Nothing is tested before you say who asks: DIRECT_EMAIL_HELO is the name of this host, DIRECT_EMAIL_FROM an address of yours.',
    );
  const { sql, close } = await DataSets.open(flags['database-url']);
  const { stderr } = process;
  const progress = Progress.on({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY,
    clock: systemClock,
    noun: 'addresses',
  });
  try {
    const around = EmailTests.surroundings(sql, settings, systemClock);
    await around.book.sync(systemClock());
    const { due } = await emailReports(sql).at(systemClock());
    progress.stage('Testing', due);
    const tested = (count: number) => {
      for (let each = 0; each < count; each++) progress.row(false);
      progress.read(count);
    };
    await Worker.run({ ...around, tested }, interrupted(), !flags.watch);
    progress.end();
    console.log(flags.json ? JSON.stringify(around.tally, null, 2) : told(around.tally));
    return 0;
  } finally {
    progress.end();
    await close();
  }
}

/** Aborted by the first Ctrl-C, after which the conversations under way come to their end; the second ends at once. */
function interrupted(): AbortSignal {
  const control = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // Claims run out by themselves, so nothing is lost either way.
      if (control.signal.aborted) process.exit(2);
      control.abort();
    });
  }
  return control.signal;
}

function told({ tests, conversations, waits }: Tally.Tally): string {
  const counts = Object.entries(tests).map(
    ([name, count]) => `${Progress.number(count)} ${name.replace('_', '-')}`,
  );
  return `${counts.join(', ')} in ${Progress.number(conversations)} conversations (${Progress.number(waits)} waits for a free line)`;
}
