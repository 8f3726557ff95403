import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import * as Processes from '../failover/processes.ts';
import { freePort } from './free-port.ts';
import * as TcpRelay from './tcp-relay.ts';

const run = promisify(execFile);
const programs = '/usr/lib/postgresql/15/bin';
const pollMs = 20;

/** False where Debian's PostgreSQL 15 is not installed. */
export const isInstalled = existsSync(join(programs, 'postgres'));

/** A primary and its synchronous standby: two PostgreSQL 15 servers on loopback, with streaming replication through a relay. */
export type ReplicaPair = {
  /** URL of the superuser on the primary. */
  url: string;
  standbyUrl: string;
  /** The network between the two. */
  relay: TcpRelay.TcpRelay;
  /** Stops all processes of the standby: it confirms nothing. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Kills the primary, as the loss of its machine does, and promotes the standby. */
  failOver(): Promise<void>;
  close(): Promise<void>;
};

/** Opens both with an empty database, and returns when the standby is synchronous. */
export async function open(): Promise<ReplicaPair> {
  const [uid, gid] = await account();
  const dir = await mkdtemp(join(tmpdir(), `sluice-pair-${process.pid}-`));
  await chmod(dir, 0o700);
  await chown(dir, uid, gid);
  const as = { uid, gid, cwd: dir };
  const data = { primary: join(dir, 'primary'), standby: join(dir, 'standby') };
  await run(
    join(programs, 'initdb'),
    ['-D', data.primary, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'],
    as,
  );
  await cp(data.primary, data.standby, { recursive: true, preserveTimestamps: true });
  const ports = { primary: await freePort(), standby: await freePort() };
  const relay = await TcpRelay.open(ports.primary);
  await appendFile(join(data.primary, 'postgresql.conf'), settings(ports.primary));
  await appendFile(
    join(data.standby, 'postgresql.conf'),
    `${settings(ports.standby)}primary_conninfo = 'host=127.0.0.1 port=${relay.port} user=postgres application_name=standby'\n`,
  );
  await writeFile(join(data.standby, 'standby.signal'), '');
  await chmod(data.standby, 0o700);
  for (const path of [
    data.standby,
    ...(await readdir(data.standby, { recursive: true })).map((name) => join(data.standby, name)),
  ])
    await chown(path, uid, gid);
  const servers = [data.primary, data.standby].map((folder) =>
    spawn(join(programs, 'postgres'), ['-D', folder], { ...as, stdio: 'ignore' }),
  );
  const url = `postgres://postgres@127.0.0.1:${ports.primary}/postgres`;
  const standbyUrl = `postgres://postgres@127.0.0.1:${ports.standby}/postgres`;
  const signalStandby = async (name: 'SIGSTOP' | 'SIGCONT') => {
    const main = servers[1]?.pid ?? 0;
    for (const pid of [main, ...(await childrenOf(main))]) Processes.signal(pid, name);
  };
  const close = async () => {
    await signalStandby('SIGCONT').catch(() => undefined);
    for (const server of servers) {
      // Immediate, because a smart or fast shutdown of a primary waits for its standby.
      if (server.exitCode === null && server.signalCode === null && server.kill('SIGQUIT'))
        await once(server, 'exit');
    }
    await relay.close();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await makeSynchronous(url);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    standbyUrl,
    relay,
    pause: () => signalStandby('SIGSTOP'),
    resume: () => signalStandby('SIGCONT'),
    async failOver() {
      const main = servers[0]?.pid ?? 0;
      for (const pid of [main, ...(await childrenOf(main))]) Processes.signal(pid, 'SIGKILL');
      const sql = postgres(standbyUrl, { max: 1, onnotice: () => {} });
      await sql`SELECT pg_promote()`;
      // The promoted server has no standby of its own.
      await sql.unsafe("ALTER SYSTEM SET synchronous_standby_names = ''");
      await sql`SELECT pg_reload_conf()`;
      await sql.end({ timeout: 1 });
    },
    close,
  };
}

function settings(port: number): string {
  return `port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
shared_buffers = 32MB
max_connections = 100
autovacuum = off
wal_sender_timeout = 0
wal_receiver_timeout = 0
wal_retrieve_retry_interval = 100ms
synchronous_commit = on
`;
}

async function makeSynchronous(url: string): Promise<void> {
  for (const end = Date.now() + 30_000; ; await sleep(pollMs)) {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
    try {
      const rows = await sql`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`;
      if (rows.length > 0) {
        await sql.unsafe("ALTER SYSTEM SET synchronous_standby_names = '*'");
        await sql`SELECT pg_reload_conf()`;
        while ((await sql`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`).length === 0)
          await sleep(pollMs);
        return;
      }
    } catch (error) {
      if (Date.now() > end) throw error;
    } finally {
      await sql.end({ timeout: 1 });
    }
    if (Date.now() > end) throw new Error('the standby does not stream');
  }
}

/** Returns the user and group that run PostgreSQL, which refuses to run as root. */
export async function account(): Promise<[number, number]> {
  const own = process.getuid?.() ?? 0;
  if (own !== 0) return [own, process.getgid?.() ?? 0];
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return [Number(uid), Number(gid)];
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const isChild = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === parent;
    }),
  );
  return pids.filter((_, at) => isChild[at]).map(Number);
}
