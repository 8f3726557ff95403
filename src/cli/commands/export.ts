import * as CommandLine from '@sluice/kernel/command-line';
import * as Connection from '../../adapters/postgres/connection.ts';
import * as EventExport from '../../adapters/postgres/event-export.ts';
import * as UsageExport from '../../adapters/postgres/usage-export.ts';
import { columns, type ExportKind, exportKinds } from '../../payment/event-export.ts';
import { parseTime } from '../../payment/event-range.ts';
import * as Command from '../command.ts';
import * as ExportFile from '../export-file.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `Exports what has happened in the shop, for a data warehouse or a spreadsheet. Each run continues where the last one ended.

  sluice export events|orders|refunds|disputes|accounts|usage|account-usage --since 2030-01-31 --out FILE
  sluice export orders --since evt_0123... --format parquet --out FILE

  --since    a time (2030-01-31, 2030-01-31T12:00:00Z), or the id of an event: the cursor that the last run printed. usage and account-usage take a day
  --format   ndjson (default) or parquet
  --out      the file; NDJSON is written to standard output without it

The last line on standard error is the cursor for the next run: {"cursor":"evt_...","rows":12}. No row is missed and none is exported twice, also while the
shop sells. account-usage ends with the last day of which nothing can be credited back any more, two days or more ago. Columns: docs/events.md. Events are kept for EVENTS_KEEP_DAYS.

Exit code: 0 done, 1 the event is unknown or was deleted, 2 the arguments are wrong, or the database could not be read.`;

const statementMsMax = 600_000;

export async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = CommandLine.read(args, {
    ...{ since: text, out: text },
    format: { ...text, default: 'ndjson' },
  });
  const [given, ...rest] = positionals;
  const kind = CommandLine.choose(given, exportKinds);
  CommandLine.noMore(rest);
  const format = CommandLine.choose(values.format, ['ndjson', 'parquet']);
  const since = parseSince(values.since, kind);
  const out = values.out ?? null;
  if (format === 'parquet' && out === null) throw new CommandLine.Misuse('A Parquet file needs --out FILE');
  const isOfEvents = kind !== 'usage' && kind !== 'account-usage';
  // Events are published before they are read, which a standby cannot do.
  const database = await (isOfEvents ? ShopDatabase.reach : ShopDatabase.reachForReading)(process.env);
  const sql = Connection.openConnection(database.url, 1, statementMsMax);
  try {
    const read = kind === 'usage' ? UsageExport.readUsage : UsageExport.readAccountUsage;
    const found = isOfEvents
      ? await EventExport.readEvents(sql, kind, since)
      : await read(sql, 'ms' in since ? since.ms : 0);
    if (found === null)
      return Command.tell(
        'This event is unknown, or older than EVENTS_KEEP_DAYS and deleted. Start again with --since and a time.',
        1,
      );
    const rows =
      format === 'parquet' && out !== null
        ? await ExportFile.writeParquet(found.pages, columns[kind], out)
        : await ExportFile.writeNdjson(found.pages, out);
    console.error(JSON.stringify({ cursor: found.cursor ?? values.since, rows }));
    return 0;
  } finally {
    await sql.end({ timeout: 1 });
    await database.leave();
  }
}

function parseSince(given: string | undefined, kind: ExportKind): EventExport.Since {
  if (given === undefined) throw new CommandLine.Misuse('--since is missing: a time, or the id of an event');
  if (given.startsWith('evt_') && kind !== 'usage' && kind !== 'account-usage') return { event: given };
  const ms = parseTime(given);
  if (ms === undefined)
    throw new CommandLine.Misuse(
      '--since must be a time such as 2030-01-31 or 2030-01-31T12:00:00Z, or the id of an event',
    );
  return { ms };
}
