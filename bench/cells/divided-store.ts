import { uuidv7 } from '@sluice/kernel/id';
import type { Batch, LedgerStore } from '../../src/ledger/ledger-store.ts';
import type { Usage } from '../../src/ledger/usage.ts';

/**
 * The prototype of a ledger whose usage is in another database (docs/decisions/0056-usage-in-one-database.md): batches of calls go to `usage`; leases,
 * heartbeats, and the sum of each lot at a checkpoint go to `main`. A sum is sent to `main` only after its calls are committed. It measures what that costs.
 * It does not recover a batch whose result was lost, and no process can end the writer of another.
 *
 * `main` has the shop's functions unchanged. A sum is passed as a usage row, which a trigger discards (`discardsUsage`).
 */
export function dividedStore(main: LedgerStore, usage: LedgerStore): LedgerStore {
  let own = { main: { epoch: 0, seq: 0 }, usage: { epoch: 0, seq: 0 } };
  let sums = new Map<string, Usage>();

  async function book(batch: Batch): Promise<void> {
    if (batch.usage.length === 0) return;
    own.usage.seq += 1;
    const result = await usage.batch({
      ...batch,
      ...own.usage,
      checkpoint: false,
      returns: [],
      wants: [],
    });
    if (result.state !== 'ok') throw new Error('the writer was ended in the usage database');
    for (const row of batch.usage) {
      const key = `${row.account} ${row.lot}`;
      const sum = sums.get(key);
      if (sum) sum.amount += row.amount;
      else sums.set(key, { ...row, callId: uuidv7(Date.now()), draw: 0 });
    }
  }

  async function lease(batch: Batch) {
    if (!batch.checkpoint && batch.wants.length === 0) return { state: 'ok' as const };
    // Calls that commit in the other database meanwhile are part of the next checkpoint.
    const spent = batch.checkpoint ? [...sums.values()] : [];
    if (batch.checkpoint) sums = new Map();
    own.main.seq += 1;
    return main.batch({ ...batch, ...own.main, usage: spent, storedResponses: [] });
  }

  return {
    async openWriter(writer) {
      // The other way round, an old epoch could still book calls whose leases are returned already.
      const inUsage = await usage.openWriter(writer);
      const epoch = await main.openWriter(writer);
      own = { main: { epoch, seq: 0 }, usage: { epoch: inUsage, seq: 0 } };
      return epoch;
    },
    async batch(batch) {
      const [result] = await Promise.all([lease(batch), book(batch)]);
      return result;
    },
    async closeWriter(writer, epoch) {
      const last = { writer, epoch, seq: 0, deliveredSeq: 0, checkpoint: true };
      await lease({ ...last, usage: [], storedResponses: [], returns: [], wants: [] });
      return main.closeWriter(writer, epoch);
    },
    undeliver: (callIds) => usage.undeliver(callIds),
  };
}

/** Lets the main database of the prototype take sums like usage rows, without storing them. */
export const discardsUsage = `
  CREATE FUNCTION ledger.discard_usage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE TRIGGER discard_usage BEFORE INSERT ON ledger.usage FOR EACH ROW EXECUTE FUNCTION ledger.discard_usage()`;
