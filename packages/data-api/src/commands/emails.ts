import { systemClock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import { emailReports } from '../adapters/email-reports.ts';
import * as EmailTests from '../email-tests.ts';
import type * as Counters from '../emails/counters.ts';
import * as Report from '../emails/report.ts';
import * as Settings from '../emails/settings.ts';
import * as Worker from '../emails/worker.ts';
import * as Progress from '../import/progress.ts';
import * as DataSets from './data-sets.ts';
import type { Reach } from './reach.ts';

export const help = `Verifies the work emails of the data API: asks their mail servers whether they would accept mail, but never sends any.
Several of these commands can run at once, and besides the verification schedule of the data API itself.

  sluice emails verify              tests every address that is due, then exits
  sluice emails verify --all        tests every address, also those that are not due, such as after an import
  sluice emails verify --watch      keeps testing addresses as they become due, until stopped
  sluice emails report              shows verified and due addresses, the age of tests, and the slowest servers

  --database-url URL    default: DATABASE_URL, otherwise the database of \`sluice start\` in DATA_DIR
  --json                prints the result as JSON

verify needs DIRECT_EMAIL_HELO, the host name for the SMTP greeting, and DIRECT_EMAIL_FROM, the sender address. docs/emails.md
lists all settings.

Exit code: 0 done, 2 invalid arguments or settings, or the database is unavailable.`;

const options = {
  all: { type: 'boolean' },
  watch: { type: 'boolean' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
} as const;
type Flags = ReturnType<typeof CommandLine.read<typeof options>>['values'];

export async function run(args: string[], reach: Reach): Promise<number> {
  const { values: flags, positionals } = CommandLine.read(args, options);
  const [given, ...rest] = positionals;
  const verb = CommandLine.choose(given, ['verify', 'report']);
  CommandLine.noMore(rest);
  if (verb === 'verify') return verify(flags, reach);
  if (flags.watch || flags.all)
    throw new CommandLine.Misuse('--watch and --all are only allowed with verify');
  return report(flags, reach);
}

async function report(flags: Flags, reach: Reach): Promise<number> {
  const { sql, close } = await DataSets.open(reach, flags['database-url']);
  try {
    const found = await emailReports(sql).at(systemClock());
    console.log(flags.json ? JSON.stringify(found, null, 2) : Report.text(found));
    return 0;
  } finally {
    await close();
  }
}

async function verify(flags: Flags, reach: Reach): Promise<number> {
  const faults: string[] = [];
  const settings = Settings.read(process.env, faults);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (settings === null)
    throw new Error(
      'Email verification is not configured. Set DIRECT_EMAIL_HELO to the host name of this machine and DIRECT_EMAIL_FROM to an email address of yours.',
    );
  const { sql, close } = await DataSets.open(reach, flags['database-url']);
  const { stderr } = process;
  const progress = Progress.on({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY,
    clock: systemClock,
    noun: 'addresses',
  });
  try {
    const context = EmailTests.workerContext(sql, settings, systemClock);
    await context.store.sync(systemClock());
    if (flags.all) await context.store.makeAllDue(systemClock());
    const { due } = await emailReports(sql).at(systemClock());
    progress.stage('Testing', due);
    const tested = (count: number) => {
      for (let each = 0; each < count; each++) progress.row(false);
      progress.read(count);
    };
    await Worker.run({ ...context, tested }, interrupted(), !flags.watch);
    progress.end();
    console.log(flags.json ? JSON.stringify(context.counters, null, 2) : formatCounters(context.counters));
    return 0;
  } finally {
    progress.end();
    await close();
  }
}

/** Signal aborted by the first Ctrl-C, which lets running sessions finish. The second one exits at once. */
function interrupted(): AbortSignal {
  const control = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // Nothing is lost: the claims expire.
      if (control.signal.aborted) process.exit(2);
      control.abort();
    });
  }
  return control.signal;
}

function formatCounters({ tests, conversations, waits }: Counters.EmailCounters): string {
  const counts = Object.entries(tests).map(
    ([name, count]) => `${Progress.number(count)} ${name.replace('_', '-')}`,
  );
  return `${counts.join(', ')} in ${Progress.number(conversations)} SMTP sessions (${Progress.number(waits)} postponed for a free connection)`;
}
