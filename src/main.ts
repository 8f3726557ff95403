import * as Log from './adapters/log/log.ts';
import * as Announcements from './adapters/postgres/announcements.ts';
import * as Connection from './adapters/postgres/connection.ts';
import * as Lanes from './adapters/postgres/lanes.ts';
import * as PoolWatch from './adapters/postgres/pool-watch.ts';
import * as Upkeep from './adapters/postgres/upkeep.ts';
import * as Server from './http/server.ts';
import * as Reconciliation from './journeys/reconciliation.ts';
import * as RefundRequests from './journeys/refund-requests.ts';
import * as TopUp from './journeys/top-up.ts';
import * as Chore from './process/chore.ts';
import * as Foundation from './process/foundation.ts';
import type { Stock } from './process/generation.ts';
import * as Reloading from './process/reloading.ts';
import * as Terminal from './process/terminal.ts';

const tickEveryMs = 50;
const upkeepEveryMs = 2_000;
const pulseEveryMs = 1_000;
const secretsEveryMs = 5_000;
const reconcileEveryMs = 20_000;
const topUpEveryMs = 1_000;
const poolWatchEveryMs = 5_000;

const found = await Reloading.read(process.env);
if (found.kind === 'faulty') {
  process.stderr.write(
    `The storefront cannot start:\n${found.faults.map((fault) => `  - ${fault}\n`).join('')}`,
  );
  process.exit(2);
}
await run(found.stock, Log.open(found.stock.config.logLevel)).catch((fault: unknown) => {
  process.stderr.write(`The storefront cannot start: ${fault instanceof Error ? fault.message : fault}\n`);
  process.exit(1);
});

/** One storefront process, from its settings to its end on SIGTERM. */
async function run(stock: Stock, log: Log.Log): Promise<void> {
  const { config } = stock;
  const foundation = await Foundation.open(config, log);
  const { ledgerSql } = foundation;
  const { lane } = foundation.kept;
  const reloading = await Reloading.Reloading.open(process.env, foundation, stock);
  // The port first: it is what makes the lane's name unique on this host.
  const drain = await Server.serve(config, () => reloading.current.answering, foundation.kept.clock);
  // Before it opens: without its clockwork a lane waits for ever for books that stall.
  const ticking = setInterval(() => lane.tick(), tickEveryMs);
  await lane.open();
  await Announcements.listen(ledgerSql, {
    granted: (account) => lane.touch(account),
    recall: (account) => lane.recall(account),
    returned: (account) => lane.cameBack(account),
  });
  await listenToSeller(foundation, reloading);
  const chores = startChores(foundation, reloading);
  process.on('unhandledRejection', (fault) => {
    // The driver's own first query on a connection that dies beside it is nobody's to catch; the next one connects anew.
    if (Connection.isLost(fault)) log.warn({ event: 'connection_lost', ...Log.describe(fault) });
    else Log.giveUp(log, 'unhandled_rejection', fault);
  });

  const stop = async (why: string) => {
    if (foundation.draining) return;
    foundation.draining = true;
    log.info({ event: 'draining', why });
    for (const chore of chores) clearInterval(chore);
    await drain();
    await lane
      .drain()
      .catch((fault: unknown) => log.error({ event: 'lane_not_closed', ...Log.describe(fault) }));
    clearInterval(ticking);
    await reloading.current.close();
    await foundation.close();
    log.info({ event: 'stopped' });
    log.flush(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
    process.once(signal, () => void stop(signal));
  if (Terminal.isAttended()) process.once('SIGHUP', () => void stop('SIGHUP'));

  const { publicUrl, host, port } = config;
  log.info({ event: 'listening', url: publicUrl, host, port, lane: config.lane });
  process.send?.({ ready: true, url: publicUrl });
}

/** What the seller does elsewhere takes effect here too. */
async function listenToSeller(
  foundation: Foundation.Foundation,
  reloading: Reloading.Reloading,
): Promise<void> {
  const { ledgerSql, log } = foundation;
  const reload = (who: string, digest: string | null) =>
    reloading
      .takeHere(who, digest)
      .catch((fault: unknown) => log.error({ event: 'reload_failed', who, ...Log.describe(fault) }));
  if (!Terminal.isAttended()) process.on('SIGHUP', () => void reload('SIGHUP', null));
  await Announcements.listenToSeller(ledgerSql, (word) => {
    if (word.kind === 'secrets') void foundation.refreshSecrets();
    else if (word.from !== reloading.current.config.lane) void reload(`told by ${word.from}`, word.digest);
  });
}

/** What is done now and then, by the generation that answers at the time. */
function startChores(foundation: Foundation.Foundation, reloading: Reloading.Reloading): NodeJS.Timeout[] {
  const { log, sql, ledgerSql } = foundation;
  return [
    Chore.start(log, 'pulse', pulseEveryMs, () => foundation.revocations.pulse()),
    Chore.start(log, 'upkeep', upkeepEveryMs, () => Upkeep.run(sql)),
    Chore.start(log, 'tickets', upkeepEveryMs, () => foundation.tickets.mend()),
    Chore.start(log, 'processes', upkeepEveryMs, async () => {
      foundation.processes = Math.max(1, await Lanes.openLanes(sql));
    }),
    Chore.start(log, 'secrets', secretsEveryMs, foundation.refreshSecrets),
    Chore.start(log, 'reconciliation', reconcileEveryMs, () => Reconciliation.run(reloading.current.shop)),
    Chore.start(log, 'top_up', topUpEveryMs, () => TopUp.run(reloading.current.shop)),
    Chore.start(log, 'refund_requests', upkeepEveryMs, () => RefundRequests.tell(reloading.current.shop)),
    ...[sql, ledgerSql].map((pool) => {
      const isLost = PoolWatch.watch(pool, reloading.current.config.databaseUrl);
      return Chore.start(log, 'pool_watch', poolWatchEveryMs, async () => {
        if (await isLost())
          Log.giveUp(log, 'pool_lost', new Error('a database pool hangs; a new process is needed'));
      });
    }),
  ];
}
