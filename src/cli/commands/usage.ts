import * as CommandLine from '@sluice/kernel/command-line';
import * as Connection from '../../adapters/postgres/connection.ts';
import { openUsageClosings } from '../../adapters/postgres/usage-closings.ts';
import * as CloseUsage from '../../journeys/close-usage.ts';
import * as VerifyClosings from '../../journeys/verify-closings.ts';
import type { ArchiveStore } from '../../ledger/usage-archive.ts';
import type { ClosedDay } from '../../ledger/usage-closing.ts';
import * as Settings from '../../process/settings.ts';
import * as UsageClosingJob from '../../process/usage-closing-job.ts';
import * as UsageSettings from '../../process/usage-settings.ts';
import * as Command from '../command.ts';
import * as Compose from '../compose.ts';
import * as ShopDatabase from '../shop-database.ts';
import * as Wait from '../wait.ts';

export const help = `Archives and removes the calls of old days. Balances and sums stay, and sluice ledger verify proves them.

  sluice usage close [DAY]     archives the calls of a day (UTC, 2030-01-31), reads the archive back, signs a record, and removes the calls from
                               the database. Days are closed in order; without DAY the next one. It can run beside the shop
  sluice usage close --keep-days 90
                               the same for all days that are older than this
  sluice usage list            lists the closed days
  sluice usage verify [DAY]    reads the archives and compares them with their records, of one day or of all

  --archive    a folder or s3://BUCKET/PREFIX, in place of USAGE_ARCHIVE
  --json       prints the result as JSON

A day can be closed two days after its end, when no job of it is open. Connect as the role that owns the tables (DATABASE_OWNER_URL, or DATABASE_URL).

Exit code: 0 done, 1 a day cannot be closed yet or an archive has a fault, 2 the arguments are wrong, or the database or archive could not be read.`;

const keepDaysMin = 3;
const dayMs = 86_400_000;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    json: { type: 'boolean', default: false },
    archive: { type: 'string' },
    'keep-days': { type: 'string' },
  });
  const [given, day, ...rest] = positionals;
  const verb = CommandLine.choose(given, ['close', 'list', 'verify']);
  CommandLine.noMore(verb === 'list' && day !== undefined ? [day, ...rest] : rest);
  if (day !== undefined && !isDay(day)) throw new CommandLine.Misuse('DAY is a date such as 2030-01-31');
  const until = readUntil(values['keep-days'], day);
  const archive = verb === 'list' ? null : openArchive(values.archive);
  const url = process.env.DATABASE_OWNER_URL || undefined;
  const database = await ShopDatabase.reach(process.env, url);
  try {
    if (verb === 'close' && archive !== null)
      return await close(database.url, archive, { day, until }, values.json);
    const days = await readDays(database.url);
    if (archive === null) return list(days, values.json);
    const chosen = days.filter((closed) => day === undefined || closed.day === day);
    if (day !== undefined && chosen.length === 0) return Command.tell(`${day} is not closed.`, 1);
    return await verify(archive, days, chosen, values.json);
  } finally {
    await database.leave();
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`));
}

/** Returns the first day to keep, of `--keep-days`; null without it. */
function readUntil(keepDays: string | undefined, day: string | undefined): string | null {
  if (keepDays === undefined) return null;
  const days = /^\d{1,4}$/.test(keepDays) ? Number(keepDays) : 0;
  if (days < keepDaysMin) throw new CommandLine.Misuse(`--keep-days is a whole number from ${keepDaysMin}`);
  if (day !== undefined) throw new CommandLine.Misuse('Give a day or --keep-days, not both');
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
}

function openArchive(given: string | undefined): ArchiveStore {
  const env = given === undefined ? process.env : { ...process.env, USAGE_ARCHIVE: given };
  const faults: string[] = [];
  const { archive } = UsageSettings.readUsageRetention(Settings.reader(env, faults), faults);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (archive === null)
    throw new CommandLine.Misuse('The archive is missing: set USAGE_ARCHIVE, or give --archive');
  return UsageClosingJob.openArchive(archive);
}

async function readDays(url: string): Promise<readonly ClosedDay[]> {
  const sql = Connection.openConnection(url, 1, 0, true);
  try {
    return await openUsageClosings(sql).days();
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Closes `day`, or the next one, or all days before `until`. */
async function close(
  url: string,
  archive: ArchiveStore,
  { day, until }: { day: string | undefined; until: string | null },
  asJson: boolean,
): Promise<number> {
  const { publicUrl } = Compose.read(process.env);
  const closed: ClosedDay[] = [];
  const refusal = await UsageClosingJob.withClosings(url, publicUrl, archive, async (context) => {
    do {
      const next = day ?? (await context.closings.next());
      if (next === null || (until !== null && next >= until))
        return until === null ? 'There is no usage to close.' : null;
      const result = await Wait.during(`Closing ${next}`, () => CloseUsage.closeDay(context, next));
      if (result.kind === 'open') return `${next} was not closed: ${result.reason}.`;
      if (result.kind === 'closed') closed.push(result.day);
    } while (until !== null);
    return null;
  });
  if (asJson) console.log(JSON.stringify({ closed, refusal }, null, 2));
  else if (closed.length > 0) console.log(closed.map(line).join('\n'));
  if (!asJson && refusal !== null) console.error(refusal);
  if (!asJson && refusal === null && closed.length === 0)
    console.log(until === null ? `${day} was closed before.` : 'There is no older day to close.');
  return refusal === null ? 0 : 1;
}

function line({ day, calls, archive, archiveBytes }: ClosedDay): string {
  return `${day}  ${calls} calls  ${archive} (${archiveBytes} bytes)`;
}

function list(days: readonly ClosedDay[], asJson: boolean): number {
  if (asJson) return Command.tell(JSON.stringify({ days }, null, 2), 0);
  return Command.tell(days.length === 0 ? 'No day is closed.' : days.map(line).join('\n'), 0);
}

async function verify(
  archive: ArchiveStore,
  all: readonly ClosedDay[],
  chosen: readonly ClosedDay[],
  asJson: boolean,
): Promise<number> {
  const faults = await Wait.during('Reading the archives', async () => [
    ...(await VerifyClosings.verifyRecords(all)),
    ...(await VerifyClosings.verifyArchives(archive, chosen)),
  ]);
  if (asJson)
    return Command.tell(
      JSON.stringify({ days: chosen.length, faults }, null, 2),
      faults.length === 0 ? 0 : 1,
    );
  if (faults.length === 0)
    return Command.tell(`${chosen.length} archives in ${archive.place} hold what was archived.`, 0);
  return Command.tell(
    faults.map(({ rule, subject, detail }) => `${rule}\n  ${subject}: ${detail}`).join('\n'),
    1,
  );
}
