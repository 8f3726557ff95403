import { setTimeout } from 'node:timers/promises';
import * as Log from './adapters/log/log.ts';
import * as Connection from './adapters/postgres/connection.ts';
import * as LedgerWriters from './adapters/postgres/ledger-writers.ts';
import * as Maintenance from './adapters/postgres/maintenance.ts';
import * as Notify from './adapters/postgres/notify.ts';
import * as PoolWatchdog from './adapters/postgres/pool-watchdog.ts';
import { trialOf } from './catalog/plan.ts';
import * as Server from './http/server/server.ts';
import * as AccountMail from './journeys/account-mail.ts';
import * as Fees from './journeys/fees.ts';
import * as JobWatch from './journeys/job-watch.ts';
import { MailDelivery } from './journeys/mail-delivery.ts';
import * as PlanHolder from './journeys/plan-holder.ts';
import * as RefundRequests from './journeys/refund-requests.ts';
import * as Registering from './journeys/registration.ts';
import * as ResolveInDoubt from './journeys/resolve-in-doubt.ts';
import * as TopUp from './journeys/top-up.ts';
import * as TopUpConsent from './journeys/top-up-consent.ts';
import type { LoadedConfig } from './process/app-revision.ts';
import * as ConfigReloader from './process/config-reloader.ts';
import * as Descriptors from './process/descriptors.ts';
import * as EventDeliveryJob from './process/event-delivery-job.ts';
import * as PeriodicJob from './process/periodic-job.ts';
import * as Resources from './process/resources.ts';
import * as StopSignals from './process/stop-signals.ts';
import * as Terminal from './process/terminal.ts';
import * as UsageClosingJob from './process/usage-closing-job.ts';

const tickEveryMs = 50;
const usageClosingEveryMs = 60 * 60_000;
const upkeepEveryMs = 2_000;
const pulseEveryMs = 1_000;
const secretsEveryMs = 5_000;
const clockEveryMs = 10_000;
const reconcileEveryMs = 20_000;
const topUpEveryMs = 1_000;
const jobsEveryMs = 1_000;
const poolWatchEveryMs = 5_000;
const uncountableEveryMs = 2_000;
const lastRunMsMax = 2_000;
const mailEveryMs = 500;
const mailDrainMsMax = 5_000;

const found = await ConfigReloader.read(process.env);
if (found.kind === 'faulty') {
  process.stderr.write(
    `The storefront cannot start:\n${found.faults.map((fault) => `  - ${fault}\n`).join('')}`,
  );
  process.exit(2);
}
const log = Log.openLog(found.loadedConfig.config.logLevel);
for (const warning of found.warnings) log.warn({ event: 'setting_unknown', warning });
await run(found.loadedConfig, log).catch((fault: unknown) => {
  process.stderr.write(`The storefront cannot start: ${fault instanceof Error ? fault.message : fault}\n`);
  process.exit(1);
});

/** Runs a storefront process until SIGTERM. */
async function run(loadedConfig: LoadedConfig, log: Log.Log): Promise<void> {
  const { config } = loadedConfig;
  const resources = await Resources.openResources(config, log);
  const { listener } = resources;
  const { writer } = resources.kept;
  const configReloader = await ConfigReloader.ConfigReloader.open(process.env, resources, loadedConfig);
  // Listen first: the port makes the writer's name unique on this host.
  const connectionsMax = Descriptors.connectionsMax(config.connectionsMax, Descriptors.descriptorsMax());
  const server = await Server.serve(
    { ...config, connectionsMax },
    () => configReloader.current.answering,
    resources.kept.clock,
  );
  // Start the ticks before the writer opens: without them it would wait forever for a ledger that stalls.
  const ticking = setInterval(() => writer.tick(), tickEveryMs);
  await writer.open();
  await Notify.listen(listener, {
    granted: (account) => writer.touch(account),
    recall: (account) => writer.recall(account),
    returned: (account) => writer.cameBack(account),
    listening: () => writer.resynchronize(),
  });
  await Notify.listenToCancellations(listener, (key) => resources.kept.runningCalls.heard(key));
  await listenToSeller(resources, configReloader);
  const delivery = new MailDelivery();
  const jobs = startJobs(resources, configReloader, delivery);
  jobs.background.push(await EventDeliveryJob.start(resources, config.events));
  process.on('unhandledRejection', (fault) => {
    // The driver's first query on a connection that dies meanwhile has no caller to catch its error. The next query reconnects.
    if (Connection.isLost(fault)) log.warn({ event: 'connection_lost', ...Log.describe(fault) });
    else Log.giveUp(log, 'unhandled_rejection', fault);
  });

  const stop = async (why: string) => {
    if (resources.draining) return;
    resources.draining = true;
    log.info({ event: 'draining', why });
    await server.lameDuck();
    await Promise.all([
      server.drain(),
      resources.kept.unpaid.drain(config.drainMaxMs),
      resources.sockets.drain(config.drainMaxMs),
      stopAll(jobs.background, config.drainMaxMs),
    ]);
    await stopAll(jobs.serving, lastRunMsMax);
    const written = resources.uncountable
      .write(resources.uncountableRecord)
      .catch((fault: unknown) => log.warn({ event: 'uncountable_not_written', ...Log.describe(fault) }));
    await Promise.race([written, setTimeout(lastRunMsMax)]);
    await writer
      .drain()
      .catch((fault: unknown) => log.error({ event: 'writer_not_closed', ...Log.describe(fault) }));
    clearInterval(ticking);
    await delivery.drain(mailDrainMsMax);
    await configReloader.current.close();
    await resources.close();
    log.info({ event: 'stopped' });
    log.flush(() => process.exit(0));
  };
  StopSignals.listen(
    (signal) => void stop(signal),
    (signal) => {
      log.warn({ event: 'stopped_at_once', why: signal });
      log.flush(() => process.exit(1));
    },
  );
  process.once('disconnect', () => void stop('disconnect'));
  if (Terminal.isAttended()) process.once('SIGHUP', () => void stop('SIGHUP'));

  if (config.production && config.clientAddressHeader === null)
    log.warn({
      event: 'client_address_header_missing',
      next: 'set CLIENT_ADDRESS_HEADER (docs/settings.md)',
    });
  const { publicUrl, host, port } = config;
  log.info({ event: 'listening', url: publicUrl, host, port, writer: config.writer });
  process.send?.({ ready: true, url: publicUrl });
}

/** Applies the seller's actions in other processes to this one. */
async function listenToSeller(
  resources: Resources.Resources,
  configReloader: ConfigReloader.ConfigReloader,
): Promise<void> {
  const { listener, log } = resources;
  const reload = (who: string, digest: string | null) =>
    configReloader
      .takeHere(who, digest)
      .catch((fault: unknown) => log.error({ event: 'reload_failed', who, ...Log.describe(fault) }));
  if (!Terminal.isAttended()) process.on('SIGHUP', () => void reload('SIGHUP', null));
  const adopt = (from: string, digest: string) =>
    configReloader.editor
      .adopt(digest)
      .catch((fault: unknown) => log.error({ event: 'catalog_not_adopted', ...Log.describe(fault) }))
      .then(() => reload(`requested by ${from}`, digest));
  await Notify.listenToSeller(listener, (word) => {
    if (word.kind === 'secrets') void resources.refreshSecrets();
    else if (word.from !== configReloader.current.config.writer) void adopt(word.from, word.digest);
  });
}

type Jobs = {
  /** Those that requests need, until the last response. */
  serving: PeriodicJob.PeriodicJob[];
  /** Those that other processes continue. */
  background: PeriodicJob.PeriodicJob[];
};

/** Stops jobs and waits for their current runs, for a limited time. */
async function stopAll(jobs: readonly PeriodicJob.PeriodicJob[], msMax: number): Promise<void> {
  const late = new AbortController();
  await Promise.race([
    Promise.all(jobs.map((job) => job.stop())),
    setTimeout(msMax, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
}

/** Starts the periodic jobs. Each run uses the revision that is current at the time. */
function startJobs(
  resources: Resources.Resources,
  configReloader: ConfigReloader.ConfigReloader,
  delivery: MailDelivery,
): Jobs {
  const { log, sql, ledgerSql } = resources;
  const start = (name: string, everyMs: number, work: () => Promise<unknown>) =>
    PeriodicJob.start(log, name, everyMs, work);
  return {
    serving: [
      start('pulse', pulseEveryMs, () => resources.revocations.pulse()),
      start('idempotencyKeys', upkeepEveryMs, () => resources.idempotencyKeys.releaseEnded()),
      start('uncountable', uncountableEveryMs, () =>
        resources.uncountable.write(resources.uncountableRecord),
      ),
      start('processes', upkeepEveryMs, async () => {
        resources.processes = Math.max(1, await LedgerWriters.openWriters(sql));
      }),
      start('clock', clockEveryMs, resources.syncClock),
      start('trial_limit', clockEveryMs, () => {
        const trial = trialOf(configReloader.current.shop.catalog.plans);
        return resources.catalogs.limitTrial(trial?.id ?? '', trial?.perHour ?? null);
      }),
      start('secrets', secretsEveryMs, resources.refreshSecrets),
      ...[sql, ledgerSql].map((pool) => {
        const isLost = PoolWatchdog.watch(pool, configReloader.current.config.databaseUrl);
        return start('pool_watch', poolWatchEveryMs, async () => {
          if (await isLost())
            Log.giveUp(log, 'pool_lost', new Error('a database pool hangs; a new process is needed'));
        });
      }),
    ],
    background: [
      start('upkeep', upkeepEveryMs, () =>
        Maintenance.maintain(sql, configReloader.current.config.retention),
      ),
      start('usage_closing', usageClosingEveryMs, () =>
        UsageClosingJob.closeOldDays(configReloader.current.config, log),
      ),
      start('reconciliation', reconcileEveryMs, () =>
        ResolveInDoubt.resolveAll(configReloader.current.shop, { settles: true }),
      ),
      start('fees', reconcileEveryMs, () => Fees.collect(configReloader.current.shop)),
      start('jobs', jobsEveryMs, () => JobWatch.settleDue(configReloader.current.shop)),
      start('top_up', topUpEveryMs, () => TopUp.chargeDue(configReloader.current.shop)),
      start('top_up_mail', upkeepEveryMs, () => TopUpConsent.notifyCardholders(configReloader.current.shop)),
      start('renewal_mail', upkeepEveryMs, () =>
        PlanHolder.notifyUnpaidRenewals(configReloader.current.shop),
      ),
      start('account_mail', upkeepEveryMs, () => AccountMail.notifyAccounts(configReloader.current.shop)),
      start('card_trials', upkeepEveryMs, () => Registering.giveCardTrials(configReloader.current.shop)),
      start('mail', mailEveryMs, () => delivery.run(configReloader.current.shop)),
      start('refund_requests', upkeepEveryMs, () => RefundRequests.notifySeller(configReloader.current.shop)),
    ],
  };
}
