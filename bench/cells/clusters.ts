import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { account } from '../../test/support/replica-pair.ts';
import * as Program from '../paid-call/program.ts';

const programs = '/usr/lib/postgresql/15/bin';
const readyMsMax = 60_000;
const pollMs = 20;
/** Those of a small host: a disk with fsync, and enough log that no checkpoint falls into a measurement. */
const settings = {
  listen_addresses: "'127.0.0.1'",
  unix_socket_directories: "''",
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  max_connections: '200',
};

/** A PostgreSQL cluster of Debian on loopback, on disk with fsync. */
export type Cluster = {
  pid: number;
  port: number;
  dir: string;
  url(database: string): string;
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
};

export type Clusters = {
  dir: string;
  /** @param fsync false to leave the disk out of a measurement */
  start(name: string, fsync?: boolean): Promise<Cluster>;
  /** Copies a running cluster with pg_basebackup, and starts the copy as its streaming standby. */
  standby(of: Cluster, name: string): Promise<Cluster>;
  close(): Promise<void>;
};

/** Opens a folder for clusters. They run as the user of Debian's PostgreSQL if this process is root. */
export async function open(): Promise<Clusters> {
  const [uid, gid] = await account();
  const dir = await mkdtemp(join(tmpdir(), 'sluice-cells-'));
  await chmod(dir, 0o711);
  const running: Cluster[] = [];
  const run = async (command: string, args: readonly string[]) => {
    const child = spawn(join(programs, command), args, {
      uid,
      gid,
      cwd: dir,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
  };
  const launch = async (data: string): Promise<Cluster> => {
    const port = await Program.freePort();
    const lines = Object.entries({ ...settings, port: String(port) }).map(
      ([name, value]) => `${name} = ${value}\n`,
    );
    await appendFile(join(data, 'postgresql.conf'), lines.join(''));
    const child = spawn(join(programs, 'postgres'), ['-D', data], { uid, gid, cwd: dir, stdio: 'ignore' });
    const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
    await answers(url('postgres'));
    const cluster: Cluster = {
      pid: child.pid ?? 0,
      port,
      dir: data,
      url,
      async createDatabase(name) {
        const sql = postgres(url('postgres'), { max: 1, onnotice: () => {} });
        await sql.unsafe(`CREATE DATABASE ${name}`);
        await sql.end();
        return url(name);
      },
      async stop() {
        if (child.exitCode === null && child.signalCode === null && child.kill('SIGINT'))
          await once(child, 'exit');
      },
    };
    running.push(cluster);
    return cluster;
  };
  const folder = async (name: string) => {
    const data = join(dir, name);
    await mkdir(data, { mode: 0o700 });
    await chown(data, uid, gid);
    return data;
  };
  return {
    dir,
    async start(name, fsync = true) {
      const data = await folder(name);
      await run('initdb', [
        '-D',
        data,
        '-U',
        'postgres',
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '-N',
      ]);
      if (!fsync) await appendFile(join(data, 'postgresql.conf'), 'fsync = off\n');
      return launch(data);
    },
    async standby(of, name) {
      const data = await folder(name);
      await run('pg_basebackup', [
        '-D',
        data,
        '-h',
        '127.0.0.1',
        '-p',
        String(of.port),
        '-U',
        'postgres',
        '-R',
        '-c',
        'fast',
      ]);
      return launch(data);
    },
    async close() {
      await Promise.all(running.map((cluster) => cluster.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<void> {
  for (const end = performance.now() + readyMsMax; ; await sleep(pollMs)) {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
    try {
      await sql`SELECT 1`;
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}
