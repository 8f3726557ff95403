import type { LedgerWriterEvent } from '../../ledger/ledger-writer-event.ts';
import * as Log from './log.ts';

/** Logs an event of a ledger writer, and counts the ones that alerts are based on. */
export function logLedgerEvent(log: Log.Log, tally: Log.EventCounts, event: LedgerWriterEvent): void {
  const report = Log.reporter(log, 'error', tally);
  switch (event.kind) {
    case 'opened':
      log.info({ event: 'writer_opened', epoch: event.epoch });
      break;
    case 'fenced':
      report('writer_fenced', {});
      break;
    case 'account_failed':
      report(event.kind, { account: event.account, ...Log.describe(event.error) });
      break;
    case 'ledger_unreachable':
    case 'ledger_inconsistent':
    case 'batch_given_up':
    case 'undelivered_not_credited':
      report(event.kind, Log.describe(event.error));
      break;
  }
}
