import { sha256Hex } from '@sluice/kernel/digest';
import * as SignedUsageDay from '../identity/signed-usage-day.ts';
import type { ArchiveStore } from '../ledger/usage-archive.ts';
import type { ClosedDay } from '../ledger/usage-closing.ts';
import * as CloseUsage from './close-usage.ts';

/** A fault of a closed day, in the form of `ledger.verify`. */
export type ClosingFault = { rule: string; subject: string; detail: string };

/** Verifies the signature of each record, that it states what is stored with it, and that it names the record before it. */
export async function verifyRecords(days: readonly ClosedDay[]): Promise<ClosingFault[]> {
  const faults: ClosingFault[] = [];
  let previous: string | null = null;
  for (const day of days) {
    const record = await SignedUsageDay.verify(day.publicJwk, day.record).catch(() => null);
    const fault = (detail: string) =>
      faults.push({
        rule: 'the record of a closed day is signed and follows the one before it',
        subject: day.day,
        detail,
      });
    if (record === null) fault('the signature is not valid');
    else if (!states(record, day)) fault('the record states something else than the table');
    else if (record.previous !== previous) fault('a record before it is missing or was changed');
    previous = sha256Hex(day.record);
  }
  return faults;
}

function states(record: SignedUsageDay.UsageDay, day: ClosedDay): boolean {
  return (
    record.day === day.day &&
    record.rows === day.rows &&
    record.calls === day.calls &&
    record.usage_sha256 === day.usageDigest &&
    record.sums_sha256 === day.closingDigest &&
    record.archive === day.archive &&
    record.archive_sha256 === day.archiveDigest &&
    record.archive_bytes === day.archiveBytes
  );
}

/** Reads the archives of closed days, and reports those that are missing or hold something else than was archived. */
export async function verifyArchives(
  archive: ArchiveStore,
  days: readonly ClosedDay[],
): Promise<ClosingFault[]> {
  const faults: ClosingFault[] = [];
  for (const day of days) {
    const detail = await archiveFault(archive, day);
    if (detail !== null)
      faults.push({
        rule: 'the archive of a closed day holds its usage',
        subject: `${day.day} ${day.archive}`,
        detail,
      });
  }
  return faults;
}

async function archiveFault(archive: ArchiveStore, day: ClosedDay): Promise<string | null> {
  try {
    const read = await CloseUsage.readBack(archive, day.archive);
    if (read === null) return `is not in ${archive.place}`;
    if (read.rows !== day.rows) return `has ${read.rows} rows of ${day.rows}`;
    if (read.digest.toString('hex') !== day.usageDigest) return 'has a changed, missing or repeated row';
    return read.fileDigest === day.archiveDigest ? null : 'is another file with the same rows';
  } catch (fault) {
    return `cannot be read: ${fault instanceof Error ? fault.message : fault}`;
  }
}
