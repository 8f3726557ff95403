import { setTimeout as sleep } from 'node:timers/promises';
import { slotOf, slotsMax } from '@sluice/kernel/id';
import postgres from 'postgres';
import * as Samples from '../samples.ts';
import type { Clusters } from './clusters.ts';
import * as Measure from './measure.ts';

const accountsMax = 400;
const loadSeconds = 2;
const pollMs = 5;

/**
 * Measures how long the accounts of half of the slots wait while a standby of their cell becomes a cell of its own: their writer is drained, the
 * standby replays to that point and is promoted, and the writer opens there. The other half is under load all the time. The ledger of both
 * cells is verified afterwards.
 */
export async function split(clusters: Clusters, rounds: number): Promise<string[]> {
  const phases: Record<'drain' | 'replay' | 'promote' | 'open' | 'all', number[]> = {
    drain: [],
    replay: [],
    promote: [],
    open: [],
    all: [],
  };
  const stays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const cell = await clusters.start(`old${round}`);
    const { urls, accounts } = await Measure.cells([cell], 'shop', accountsMax);
    const half = (isUpper: boolean) =>
      accounts.filter((account) => slotOf(account) >= slotsMax / 2 === isUpper);
    const staying = await Measure.start(
      { urls, name: 'staying', accounts: half(false) },
      [cell],
      clusters.dir,
    );
    const moving = await Measure.start({ urls, name: 'moving', accounts: half(true) }, [cell], clusters.dir);
    const load = { callers: 16, seconds: loadSeconds };
    await Promise.all([Measure.sample(staying, load), Measure.sample(moving, load)]);
    const copied = clusters.standby(cell, `new${round}`);
    const before = Measure.sample(moving, load);
    const [fresh] = await Promise.all([copied, before, Measure.sample(staying, load)]);
    const background = Measure.sample(staying, { callers: 16, seconds: 2 * loadSeconds });
    await Measure.sample(moving, load);

    const startMs = performance.now();
    const lap = (since: number, phase: keyof typeof phases) => {
      phases[phase].push(performance.now() - since);
      return performance.now();
    };
    await moving.stop();
    let sinceMs = lap(startMs, 'drain');
    const [old, young] = [urls[0] ?? '', fresh.url('shop')].map((url) =>
      postgres(url, { max: 1, onnotice: () => {} }),
    );
    if (old === undefined || young === undefined) throw new Error('no cells');
    const [at] = await old`SELECT pg_current_wal_flush_lsn()::text AS lsn`;
    while (!(await young`SELECT pg_last_wal_replay_lsn() >= ${at?.lsn}::pg_lsn AS done`)[0]?.done)
      await sleep(pollMs);
    sinceMs = lap(sinceMs, 'replay');
    await young`SELECT pg_promote()`;
    sinceMs = lap(sinceMs, 'promote');
    const [row] = await young`SELECT ledger.open_writer('moving') AS epoch`;
    lap(sinceMs, 'open');
    lap(startMs, 'all');
    if (!(Number(row?.epoch) > 1)) throw new Error('the writer has no new epoch');

    const moved = await Measure.start(
      { urls: [fresh.url('shop')], name: 'moving', accounts: half(true) },
      [fresh],
      clusters.dir,
    );
    await Measure.sample(moved, load);
    stays.push((await background).p99);
    await Promise.all([moved.stop(), staying.stop()]);
    // The copy of the writer that stayed in the other cell ends here as that of a dead process does.
    await young`SELECT ledger.reap_silent('0')`;
    for (const sql of [old, young]) {
      const faults = await sql`SELECT * FROM ledger.verify()`;
      if (faults.length > 0)
        throw new Error(`the ledger is wrong after the split: ${JSON.stringify(faults[0])}`);
      await sql.end();
    }
    await Promise.all([cell.stop(), fresh.stop()]);
  }
  const show = (values: readonly number[]) =>
    `${Samples.median(values).toFixed(0)} (up to ${Math.max(...values).toFixed(0)})`;
  return [
    `A standby becomes a cell, ${rounds} times: milliseconds, the median and the maximum`,
    ...Object.entries(phases).map(([phase, values]) => `${phase.padEnd(10)} ${show(values)}`),
    `p99 of the accounts that stay, meanwhile: ${show(stays)}`,
    'ledger.verify found nothing in either cell.',
  ];
}
