import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Cluster from '../../src/cli/embedded/cluster.ts';
import { replacing } from '../support/sql-flaw.ts';
import { startDeliverer } from './deliverer.ts';
import { openPool, type Story, tell } from './story.ts';

const kills = 50;
/** More are killed until there are so many of each kind: on a busy machine a request rarely comes in time. */
const receiptsMin = 6;
const backendsMin = 4;
const seed = Number(process.env.SEED ?? 23);
const program = fileURLToPath(new URL('deliverer.ts', import.meta.url));

let cluster: Cluster.Cluster;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-events-'));
  cluster = await Cluster.openCluster({ dir, database: 'sluice', durable: true, logFile: join(dir, 'log') });
});
afterAll(async () => {
  await cluster?.stop();
  await rm(dir, { recursive: true, force: true });
});

const sound = { lost: [], invented: [], outOfOrder: [], unverified: [], missed: [], doubled: [] };
const killed = { deliverers: 0, receipts: 0, backends: 0 };

/** Three processes deliver. A process, or a backend of the server, is killed at each step; killed processes are replaced. */
const withKills: Story['deliver'] = async (url, { onReceipt, random }) => {
  const processes: ChildProcess[] = [];
  const start = (at: number) => {
    processes[at] = fork(program, [url], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  };
  for (const at of [0, 1, 2]) start(at);
  const killProcess = () => {
    const at = Math.floor(random() * processes.length);
    processes[at]?.kill('SIGKILL');
    start(at);
  };
  let onNext: (() => void) | null = null;
  onReceipt(() => {
    onNext?.();
    onNext = null;
  });
  const killBackend = async () => {
    const sql = openPool(url, 1);
    try {
      const rows = await sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY pid`;
      const chosen = rows[Math.floor(random() * rows.length)];
      if (chosen === undefined) return;
      process.kill(chosen.pid, 'SIGKILL');
      killed.backends += 1;
    } catch {
      // The server restarts after the last kill.
    } finally {
      await sql.end({ timeout: 1 }).catch(() => undefined);
    }
  };
  const total = () => killed.deliverers + killed.receipts + killed.backends;
  const areKilled = () => total() < kills || killed.receipts < receiptsMin || killed.backends < backendsMin;
  const killing = (async () => {
    while (areKilled()) {
      const dice = random();
      if (dice < 0.2) await killBackend();
      else if (dice < 0.6) {
        killProcess();
        killed.deliverers += 1;
      } else {
        // Between the receipt of a request and its response.
        const done = new Promise<void>((resolve) => {
          onNext = () => {
            killProcess();
            killed.receipts += 1;
            resolve();
          };
        });
        await Promise.race([done, sleep(500)]);
        onNext = null;
      }
      await sleep(50 + random() * 200);
    }
  })();
  return {
    areKilled,
    async stop() {
      await killing;
      for (const one of processes) one.kill('SIGKILL');
    },
  };
};

test('no event is lost, doubled in an export or out of order over fifty kills of processes and of PostgreSQL', {
  timeout: 180_000,
}, async () => {
  const verdict = await tell({ admin: cluster.url, seed, accounts: 8, orders: 5, deliver: withKills });
  expect(verdict, `SEED=${seed}`).toMatchObject(sound);
  expect(killed.backends).toBeGreaterThanOrEqual(backendsMin);
  expect(killed.receipts).toBeGreaterThanOrEqual(receiptsMin);
});

const story = { seed, accounts: 6, orders: 5 };
const two = async (url: string, change?: Parameters<typeof startDeliverer>[1]) => {
  const stops = [startDeliverer(url, change), startDeliverer(url, change)];
  return { areKilled: () => false, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
};

test('without a flaw the judge finds nothing', async () => {
  expect(await tell({ ...story, admin: cluster.url, deliver: (url) => two(url) })).toMatchObject(sound);
});

test('the judge finds an event that is written after the commit', async () => {
  const verdict = await tell({
    ...story,
    admin: cluster.url,
    flaw: 'written after the commit',
    deliver: (url) => two(url),
  });
  expect(verdict.lost).not.toEqual([]);
});

test('the judge finds events that are marked as delivered before the response', async () => {
  const flawedMark: Story['deliver'] = (url) =>
    two(url, (events) => ({
      ...events,
      async take(busy) {
        const due = await events.take(busy);
        const attempt = { at: '', ms: 0, status: 200, fault: null };
        if (due) await events.finish(due, attempt, { state: 'delivered', waitMs: 0, isGone: false });
        return due;
      },
      finish: async () => ({ recorded: true, disabled: false }),
    }));
  const verdict = await tell({ ...story, admin: cluster.url, deliver: flawedMark });
  expect(verdict.lost).not.toEqual([]);
});

test('the judge finds a delivery without order per account', async () => {
  const prepare = replacing(
    'shop.take_event',
    "d.state = 'waiting' ORDER BY d.position LIMIT 1",
    "d.state = 'waiting' ORDER BY random() LIMIT 1",
  );
  const verdict = await tell({ ...story, admin: cluster.url, prepare, deliver: (url) => two(url) });
  expect(verdict.outOfOrder).not.toEqual([]);
});

test('the judge finds an export whose cursor is the sequence', async () => {
  const verdict = await tell({
    ...story,
    orders: 10,
    admin: cluster.url,
    flaw: 'cursor by sequence',
    deliver: (url) => two(url),
  });
  expect(verdict.missed).not.toEqual([]);
});
