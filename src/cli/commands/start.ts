/**
 * `sluice start` runs the whole shop on one machine. It starts a bundled program for everything that the environment does not name (embedded
 * PostgreSQL, the data API, the card sandbox, the mailbox) and passes their addresses to the storefront in its environment.
 */
import { mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as CommandLine from '@sluice/kernel/command-line';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Settings from '../../process/settings.ts';
import * as StopSignals from '../../process/stop-signals.ts';
import * as Terminal from '../../process/terminal.ts';
import { banner } from '../banner.ts';
import * as ChildProcess from '../child-process.ts';
import * as Compose from '../compose.ts';
import * as Cluster from '../embedded/cluster.ts';
import * as LocalSecret from '../local-secret.ts';
import * as NpmParent from '../npm-parent.ts';
import * as Port from '../port.ts';

/** A database that is lost more often without a steady minute in between is not restarted. */
const lossesMax = 6;
const steadyMs = 60_000;
/** After DRAIN_SECONDS and DRAIN_MAX_SECONDS, the storefront ends its jobs, its ledger writer and the mails under way. */
const closeMsMax = 15_000;
const restartMs = 200;
/** Children of a start that was just killed may need a moment to release their ports. */
const portsMsMax = 2_000;

/** `.ts` in a checkout, `.js` in the compiled package. */
const extension = extname(import.meta.filename);

const startedAt = performance.now();
/** Aborted at shutdown: programs that are still starting are stopped. */
const abandon = new AbortController();
/** Settles at shutdown with the reason, or with null when the user requested it. */
const ending = Promise.withResolvers<Error | null>();
const children: ChildProcess.ManagedProcess[] = [];
let database: Promise<Cluster.Cluster> | null = null;

function end(): void {
  abandon.abort();
  ending.resolve(null);
}
export const help = `Runs the whole shop on this machine until Ctrl-C; a second Ctrl-C does not wait for running calls.

  sluice start                                   everything bundled: an API with sample data, simulated card payments, a mailbox
  sluice start --settings shop.env               with the settings of shop.env, and the rest bundled; SIGHUP reloads them
  CATALOG=my-catalog.yaml UPSTREAM_URL=https://api.example.com UPSTREAM_API_KEY=... sluice start

It starts a bundled program for everything that no setting names: PostgreSQL under DATA_DIR, the data API, the card sandbox, the mailbox.
With NODE_ENV=production, cards and mail need real services. All settings: sluice settings. To check them: sluice check.

Exit code: 0 stopped by the user, 1 could not start, or a program failed.`;

export async function run(args: string[]): Promise<number> {
  CommandLine.noMore(CommandLine.read(args, {}).positionals);
  StopSignals.listen(end, () => {
    for (const child of children) child.hurry();
  });
  process.on('SIGHUP', () => {
    if (Terminal.isAttended()) end();
    else children.find((child) => child.name === 'storefront')?.reload();
  });
  void NpmParent.gone().then(end);
  // The terminal may close before this process ends.
  process.stdout.on('error', () => {});
  await open().catch(ending.resolve);
  const reason = await ending.promise;
  abandon.abort();
  await close();
  if (reason) console.error(`\n${reason.message}`);
  process.exit(reason ? 1 : 0);
}

async function open(): Promise<void> {
  const gathered = await Settings.gather(process.env);
  if (!gathered.ok) throw new Error(gathered.faults.join('\n'));
  const { env } = gathered;
  for (const warning of gathered.warnings) console.error(`Warning: ${warning}`);
  const wiring = Compose.read(env);
  const { dataDir } = wiring;
  await Port.requireFree(
    [
      wiring.port,
      wiring.direct,
      wiring.sandbox,
      wiring.mailbox?.page ?? null,
      wiring.mailbox?.smtp ?? null,
    ].filter((port) => port !== null),
    portsMsMax,
  );
  console.log(`Opening the shop; data and logs are in ${dataDir}`);
  await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });

  const { adminToken, directAdminToken, ...secrets } = await keptSecrets(dataDir, env, wiring);
  if (wiring.embedded) database = openDatabase(dataDir);
  const cluster = await database;
  const url = cluster?.url ?? env.DATABASE_URL ?? '';
  const named = { ...env, SANDBOX_BUSINESS_NAME: env.SANDBOX_BUSINESS_NAME || (await shopName(env)) };
  await startAll(Compose.programs(wiring, named, url, secrets, process.env), wiring, drainMsMax(env));
  if (abandon.signal.aborted) return;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    banner({
      wiring,
      env,
      catalog: await CatalogFile.load(catalogPath(env)),
      cluster,
      seconds,
      adminToken,
      directAdminToken,
    }),
  );
}

/** Returns the name of the shop for the card sandbox; none for a catalogue with faults, which the storefront reports. */
async function shopName(env: Settings.Env): Promise<string> {
  return CatalogFile.load(catalogPath(env)).then(
    ({ storefront }) => storefront.name,
    () => '',
  );
}

type KeptSecrets = Compose.Secrets & { adminToken: string | null; directAdminToken: string | null };

/** `adminToken` and `directAdminToken`: the generated tokens, at the first start only. */
async function keptSecrets(
  dataDir: string,
  env: Settings.Env,
  wiring: Compose.Composition,
): Promise<KeptSecrets> {
  const folder = join(dataDir, 'secrets');
  const isGiven = env.ADMIN_TOKEN || env.ADMIN_TOKEN_DIGEST;
  const needsDirect = wiring.direct !== null && !env.DIRECT_ADMIN_TOKEN && !env.DIRECT_ADMIN_TOKEN_DIGEST;
  const none = { digest: '', fresh: null };
  const [direct, webhook, encryptionKey, admin, directAdmin] = await Promise.all([
    LocalSecret.keep(folder, 'direct', 'sk'),
    LocalSecret.keep(folder, 'webhook', 'whsec'),
    LocalSecret.keepEncryptionKey(folder),
    isGiven ? none : LocalSecret.keepDigest(folder, 'admin-token.sha256', 'adm'),
    needsDirect ? LocalSecret.keepDigest(folder, 'direct-admin-token.sha256', 'dadm') : none,
  ]);
  return {
    direct,
    webhook,
    encryptionKey,
    adminDigest: admin.digest,
    adminToken: admin.fresh,
    directAdminDigest: directAdmin.digest,
    directAdminToken: directAdmin.fresh,
  };
}

/** Opens the embedded database and restarts it when it is lost. `losses`: times of earlier losses. */
async function openDatabase(dataDir: string, losses: readonly number[] = []): Promise<Cluster.Cluster> {
  const cluster = await Cluster.openCluster({
    dir: join(dataDir, 'postgres'),
    database: 'sluice',
    durable: true,
    logFile: join(dataDir, 'logs', 'postgres.log'),
  });
  cluster.lost
    .then(async () => {
      if (abandon.signal.aborted) return;
      const recent = [...losses, Date.now()].filter((at) => Date.now() - at < steadyMs);
      if (recent.length > lossesMax) throw new Error('The database keeps stopping');
      console.log('The database stopped; it is started again');
      database = openDatabase(dataDir, recent);
      if ((await database).url !== cluster.url) throw new Error('The database runs on another port now');
    })
    .catch(ending.resolve);
  return cluster;
}

/** Returns the time in which a child stops by itself. A setting that is wrong is reported by the storefront. */
function drainMsMax(env: Settings.Env): number {
  const read = Settings.reader(env, []);
  return (read('DRAIN_SECONDS') + read('DRAIN_MAX_SECONDS')) * 1_000 + closeMsMax;
}

/** Starts the children in parallel. When one fails, stops the others and throws its error. */
async function startAll(
  programs: readonly Compose.Program[],
  wiring: Compose.Composition,
  drainMsMax: number,
): Promise<void> {
  const starts = programs.map(({ name, script, env }) =>
    ChildProcess.start({
      name,
      script: join(import.meta.dirname, '../../..', `${script}${extension}`),
      // With cached compiled code, the next start takes half the time and 20 MB less.
      env: { NODE_COMPILE_CACHE: join(wiring.dataDir, 'compiled'), ...env },
      logFile:
        name === 'storefront' && wiring.logsToOutput ? null : join(wiring.dataDir, 'logs', `${name}.log`),
      notice: (line) => console.log(line),
      abandon: abandon.signal,
      drainMsMax,
      restartMs,
    }),
  );
  try {
    await Promise.all(starts);
  } catch (error) {
    abandon.abort();
    throw error;
  } finally {
    for (const outcome of await Promise.allSettled(starts)) {
      if (outcome.status === 'rejected') continue;
      children.push(outcome.value);
      void outcome.value.failed.then(ending.resolve);
    }
  }
}

/** Stops the storefront first, which finishes running calls, then the programs that these calls need, and the database last. */
async function close(): Promise<void> {
  await children.find((child) => child.name === 'storefront')?.stop();
  await Promise.all(children.map((child) => child.stop()));
  await database?.then(
    (cluster) => cluster.stop(),
    () => {},
  );
}
