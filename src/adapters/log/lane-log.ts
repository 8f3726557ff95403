import type { LaneEvent } from '../../ledger/lane.ts';
import * as Log from './log.ts';

/** Writes down what happened in a lane, and counts what is worth an alert. */
export function write(log: Log.Log, tally: Log.Tally, event: LaneEvent): void {
  const tell = Log.telling(log, 'error', tally);
  switch (event.kind) {
    case 'opened':
      log.info({ event: 'lane_opened', epoch: event.epoch });
      break;
    case 'fenced':
      tell('lane_fenced', {});
      break;
    case 'books_unreachable':
    case 'books_broken':
    case 'undeliver_failed':
      tell(event.kind, Log.describe(event.error));
      break;
  }
}
