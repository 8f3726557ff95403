import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import * as Account from './account.ts';
import * as Binaries from './binaries.ts';
import * as DataFolder from './data-folder.ts';
import * as LockFile from './lock-file.ts';
import * as Server from './server.ts';

export type Options = {
  /** The cluster's own folder, absolute; made when absent. */
  dir: string;
  /** The database that `url` names; made when absent. */
  database: string;
  /** False trades safety against crashes for speed: for tests. */
  durable: boolean;
  /** Where the server writes its log, absolute; its folder exists. */
  logFile: string;
};

export type Cluster = {
  /** A connection URL with every right, password included. */
  url: string;
  /** Whether the server was running already, left behind by a program that was killed. */
  adopted: boolean;
  /** The folder that the server's programs run from. */
  binaries: string;
  /** The system account that the server runs under; null is our own. */
  account: Account.Account;
  /** Settles when the server is gone, or cut us off: open the same folder again to have it back. */
  lost: Promise<void>;
  /** Ends the server: connections are cut, what was committed is kept. */
  stop(): Promise<void>;
};

/** Another program owns the cluster. */
export class InUse extends Error {}

/** Whoever owns a cluster holds this advisory lock: it ends with its process, however that ends. */
const ownerLock = 4020;
const ownerMsMax = 3_000;
/** How long a server that is ending may take to be gone, before ours is started. */
const takeOverMsMax = 60_000;
const connectSecondsMax = 10;
const pollMs = 50;

/**
 * Opens the PostgreSQL in `options.dir`: makes it when it is new, takes over a server that a killed program left
 * running, starts one otherwise. Throws `InUse` when another program owns it, and Error with the server's own words
 * when it does not start.
 */
export async function open(options: Options): Promise<Cluster> {
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const account = Account.choose(join(options.dir, 'data'));
  const binaries = await Binaries.reachableBy(account, await Binaries.locate());
  const place: Server.Place = { ...options, account, binaries };

  await DataFolder.ready(place);
  for (const end = Date.now() + takeOverMsMax; Date.now() < end; ) {
    const running = await LockFile.untilReadyOrGone(Server.dataFolder(place), Server.readyMsMax);
    const opened = await connect(
      place,
      options.database,
      running ?? (await Server.launch(place)),
      running !== null,
    );
    if (opened) return opened;
    await sleep(pollMs);
  }
  throw new Error(`PostgreSQL in ${options.dir} is neither ending nor answering; see ${options.logFile}`);
}

/** The connection URL of a cluster that some program has open now, for a look into it; null where none is running. */
export async function visit(dir: string, database: string): Promise<string | null> {
  const running = await LockFile.read(join(dir, 'data'));
  return running?.ready ? address(await DataFolder.password({ dir }), running.port, database) : null;
}

function address(password: string, port: number, database: string): string {
  return `postgres://${DataFolder.user}:${password}@127.0.0.1:${port}/${database}`;
}

/** Becomes the owner of the server on `port`; null where it was running already and went away as we came. */
async function connect(
  place: Server.Place,
  database: string,
  port: number,
  adopted: boolean,
): Promise<Cluster | null> {
  const password = await DataFolder.password(place);
  const lost = Promise.withResolvers<void>();
  const sql = postgres(address(password, port, 'postgres'), {
    max: 1,
    max_lifetime: null,
    connect_timeout: connectSecondsMax,
    onnotice: () => {},
    onclose: () => lost.resolve(),
  });
  try {
    await own(sql, place.dir);
    const found = await sql`select from pg_database where datname = ${database}`;
    if (found.length === 0) await sql`create database ${sql(database)}`;
  } catch (error) {
    await sql.end({ timeout: 1 });
    if (error instanceof InUse) throw error;
    if (adopted) return null;
    await Server.halt(place);
    throw error;
  }
  return {
    url: address(password, port, database),
    adopted,
    binaries: place.binaries.root,
    account: place.account,
    lost: lost.promise,
    async stop() {
      // Owned until the end, so that no other program takes over a server that is about to go.
      await Server.halt(place);
      await sql.end({ timeout: 1 });
    },
  };
}

/** Becomes the owner. The lock of a program that was killed a moment ago may take a moment to go. */
async function own(sql: postgres.Sql, dir: string): Promise<void> {
  const end = Date.now() + ownerMsMax;
  for (;;) {
    const [row] = await sql<{ owned: boolean }[]>`select pg_try_advisory_lock(${ownerLock}) as owned`;
    if (row?.owned) return;
    if (Date.now() > end) throw new InUse(`the database in ${dir} is in use by another program`);
    await sleep(100);
  }
}
