import { systemClock as clock } from '@sluice/kernel/clock';
import { bucket } from '../adapters/archive/bucket.ts';
import { folder } from '../adapters/archive/folder.ts';
import type { Log } from '../adapters/log/log.ts';
import * as Accounts from '../adapters/postgres/accounts.ts';
import * as Connection from '../adapters/postgres/connection.ts';
import { openUsageClosings } from '../adapters/postgres/usage-closings.ts';
import type { Config } from '../config.ts';
import * as KeyRing from '../identity/key-ring.ts';
import * as SigningKey from '../identity/signing-key.ts';
import * as CloseUsage from '../journeys/close-usage.ts';
import type { ArchiveStore } from '../ledger/usage-archive.ts';
import type { ArchivePlace } from './usage-settings.ts';

const dayMs = 86_400_000;
const connectionsMax = 2;

export function openArchive(place: ArchivePlace): ArchiveStore {
  return place.kind === 'folder' ? folder(place.path) : bucket(place);
}

/**
 * Runs `work` with a connection for closing days, which has no statement timeout, and the keys that sign the records.
 * @param url the database as the owner of its tables
 */
export async function withClosings<T>(
  url: string,
  issuer: string,
  archive: ArchiveStore,
  work: (context: CloseUsage.ClosingContext) => Promise<T>,
): Promise<T> {
  const sql = Connection.openConnection(url, connectionsMax, 0, true);
  try {
    const stored = await Accounts.openSigningKeys(sql).all();
    const ring = KeyRing.keyRing(issuer, await Promise.all(stored.map(SigningKey.load)));
    return await work({ closings: openUsageClosings(sql), archive, ring, clock });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Closes the days that are older than USAGE_KEEP_DAYS, one after another. Does nothing when all calls are kept. */
export async function closeOldDays(config: Config, log: Log): Promise<void> {
  const { keepDays, archive: place } = config.usageRetention;
  if (keepDays === null || place === null) return;
  const last = new Date(clock() - keepDays * dayMs).toISOString().slice(0, 10);
  const url = config.databaseOwnerUrl ?? config.databaseUrl;
  await withClosings(url, config.publicUrl, openArchive(place), async (context) => {
    for (;;) {
      const day = await context.closings.next();
      if (day === null || day >= last) return;
      const result = await CloseUsage.closeDay(context, day);
      if (result.kind === 'open') {
        log.warn({ event: 'usage_day_not_closed', day, reason: result.reason });
        return;
      }
      if (result.kind === 'closed')
        log.info({ event: 'usage_day_closed', day, calls: result.day.calls, archive: result.day.archive });
    }
  });
}
