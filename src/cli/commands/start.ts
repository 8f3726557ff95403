/**
 * `sluice start`: the whole shop on one machine. What the environment does not name is opened here (an embedded
 * PostgreSQL, the bundled data interface, the card sandbox, the mailbox), and the storefront is told of it by its environment, as
 * it would be of the real thing.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as Cluster from '../../adapters/embedded/cluster.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Settings from '../../process/settings.ts';
import * as Terminal from '../../process/terminal.ts';
import * as Command from '../command.ts';
import * as Companion from '../companion.ts';
import * as KeptSecret from '../kept-secret.ts';
import * as NpmParent from '../npm-parent.ts';
import * as Port from '../port.ts';
import * as Welcome from '../welcome.ts';
import * as Wiring from '../wiring.ts';

/** A database that is lost so often, with no steady minute between, is not brought back again. */
const lossesMax = 6;
const steadyMs = 60_000;
/** The storefront itself gives calls under way 10 s, then closes its books. */
const drainMsMax = 15_000;
const restartMs = 200;
/** The children of a start that was killed a moment ago may take a moment to leave their ports. */
const portsMsMax = 2_000;

const startedAt = performance.now();
/** Aborted when we are to end: what is still starting is given up. */
const abandon = new AbortController();
/** Settles when we are to end: with the reason, or with null when asked to. */
const ending = Promise.withResolvers<Error | null>();
const children: Companion.Companion[] = [];
let database: Promise<Cluster.Cluster> | null = null;

function end(): void {
  abandon.abort();
  ending.resolve(null);
}
export const help = `Opens the whole shop on this machine, and stays until Ctrl-C.

  sluice start                                   all of it bundled: an API with sample data, play money, a mailbox
  sluice start --settings shop.env               what shop.env names, and the rest bundled; SIGHUP has the storefront read it again
  CATALOG=my-catalog.yaml UPSTREAM_URL=https://api.example.com UPSTREAM_API_KEY=... sluice start

What no setting names is opened here: PostgreSQL under DATA_DIR, the bundled data interface, the card sandbox, the mailbox. Every setting
is in docs/operations.md. With NODE_ENV=production nothing is stood in for. Is all well? sluice check, beside it or before.

Exit code: 0 ended as asked, 1 could not open, or could not go on.`;

export async function run(args: string[]): Promise<number> {
  Command.noMore(Command.read(args, {}).positionals);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  process.on('SIGHUP', () => {
    if (Terminal.isAttended()) end();
    else children.find((child) => child.name === 'storefront')?.reload();
  });
  void NpmParent.gone().then(end);
  // The terminal may be gone before we are.
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
  const wiring = Wiring.read(env);
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

  const { adminToken, ...secrets } = await keptSecrets(dataDir, env);
  if (wiring.embedded) database = openDatabase(dataDir);
  const cluster = await database;
  const url = cluster?.url ?? env.DATABASE_URL ?? '';
  await startAll(Wiring.programs(wiring, env, url, secrets, process.env), wiring);
  if (abandon.signal.aborted) return;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    Welcome.text({
      wiring,
      env,
      catalog: await CatalogFile.load(catalogPath(env)),
      cluster,
      seconds,
      adminToken,
    }),
  );
}

/** `adminToken`: at the first start, where none is given. */
async function keptSecrets(
  dataDir: string,
  env: Settings.Env,
): Promise<Wiring.Secrets & { adminToken: string | null }> {
  const folder = join(dataDir, 'secrets');
  const isGiven = env.ADMIN_TOKEN || env.ADMIN_TOKEN_DIGEST;
  const [direct, webhook, admin] = await Promise.all([
    KeptSecret.keep(folder, 'direct', 'sk'),
    KeptSecret.keep(folder, 'webhook', 'whsec'),
    isGiven ? { digest: '', fresh: null } : KeptSecret.keepDigest(folder, 'admin-token.sha256', 'adm'),
  ]);
  return { direct, webhook, adminDigest: admin.digest, adminToken: admin.fresh };
}

/** Opens the embedded database, and brings it back whenever it is lost. `losses`: when that happened before. */
async function openDatabase(dataDir: string, losses: readonly number[] = []): Promise<Cluster.Cluster> {
  const cluster = await Cluster.open({
    dir: join(dataDir, 'postgres'),
    database: 'sluice',
    durable: true,
    logFile: join(dataDir, 'logs', 'postgres.log'),
  });
  cluster.lost
    .then(async () => {
      if (abandon.signal.aborted) return;
      const recent = [...losses, Date.now()].filter((at) => Date.now() - at < steadyMs);
      if (recent.length > lossesMax) throw new Error('The database keeps ending');
      console.log('The database ended, starting it again');
      database = openDatabase(dataDir, recent);
      if ((await database).url !== cluster.url) throw new Error('The database came back on another port');
    })
    .catch(ending.resolve);
  return cluster;
}

/** Starts the children side by side. Throws what the first to fail said, when the others are given up. */
async function startAll(programs: readonly Wiring.Program[], wiring: Wiring.Wiring): Promise<void> {
  const starts = programs.map(({ name, script, env }) =>
    Companion.start({
      name,
      script: join(import.meta.dirname, '../..', script),
      // The next start takes half the time and 20 MB less: it reads no TypeScript.
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

/** The storefront first, which lets calls under way finish; then what those calls need; the database last. */
async function close(): Promise<void> {
  await children.find((child) => child.name === 'storefront')?.stop();
  await Promise.all(children.map((child) => child.stop()));
  await database?.then(
    (cluster) => cluster.stop(),
    () => {},
  );
}
