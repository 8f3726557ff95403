import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as Cluster from '../../src/cli/embedded/cluster.ts';

let dir = '';
const opened: Cluster.Cluster[] = [];

beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'sluice cluster ')), 'postgres');
});

afterEach(async () => {
  for (const cluster of opened.splice(0)) await cluster.stop();
  await rm(join(dir, '..'), { recursive: true, force: true });
});

async function open(at = dir, durable = false): Promise<Cluster.Cluster> {
  await mkdir(at, { recursive: true });
  const cluster = await Cluster.openCluster({
    dir: at,
    database: 'sluice',
    durable,
    logFile: join(at, 'log'),
  });
  opened.push(cluster);
  return cluster;
}

async function query(cluster: Cluster.Cluster, statement: string): Promise<Record<string, string>[]> {
  const sql = postgres(cluster.url, { max: 1 });
  const rows = await sql.unsafe(statement);
  await sql.end();
  return [...rows] as Record<string, string>[];
}

/** The number of the server's process. */
async function serverPid(at = dir): Promise<number> {
  return Number((await readFile(join(at, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Opens the cluster in a program of its own and kills that: the server stays behind. */
async function leaveServerBehind(): Promise<void> {
  const owner = fork(join(import.meta.dirname, 'fixtures', 'owner.ts'), [dir]);
  await once(owner, 'message');
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

test('keeps data, password and port from one start to the next', async () => {
  const first = await open();
  await query(first, 'create table kept as select 7 as n');
  await first.stop();
  const second = await open();
  expect(second).toMatchObject({ url: first.url, adopted: false });
  expect(await query(second, 'select n from kept')).toEqual([{ n: 7 }]);
});

test('commits to disk, knows letters beyond ASCII and takes no connection without the password', async () => {
  const cluster = await open(dir, true);
  const [row] = await query(
    cluster,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
            current_setting('listen_addresses') as address, lower('ÄÉ') as lower, 'é' ~ '\\w' as letter`,
  );
  expect(row).toEqual({ fsync: 'on', commit: 'on', address: '127.0.0.1', lower: 'äé', letter: true });
  const url = new URL(cluster.url);
  url.password = 'guessed';
  const sql = postgres(url.href, { max: 1 });
  await expect(sql`select 1`).rejects.toMatchObject({ code: '28P01' });
  expect((await stat(join(dir, 'password'))).mode & 0o077).toBe(0);
});

test('takes over the server that a killed program left running', async () => {
  await leaveServerBehind();
  const pid = await serverPid();
  const cluster = await open();
  expect(cluster.adopted).toBe(true);
  expect(await serverPid()).toBe(pid);
  await cluster.stop();
  expect(await readdir(join(dir, 'data'))).not.toContain('postmaster.pid');
});

test('two programs that find a server left behind at the same time: one has it, the other is refused', async () => {
  await leaveServerBehind();
  const outcomes = await Promise.allSettled([open(), open()]);
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toBeInstanceOf(Cluster.InUse);
});

test('tells when the server was killed, and brings what was committed back on the same port', async () => {
  const first = await open(dir, true);
  await query(first, 'create table kept as select 7 as n');
  process.kill(await serverPid(), 'SIGKILL');
  await first.lost;
  const second = await open();
  expect(second).toMatchObject({ url: first.url, adopted: false });
  expect(await query(second, 'select n from kept')).toEqual([{ n: 7 }]);
});

test('starts after both the program and its server were killed', async () => {
  await leaveServerBehind();
  process.kill(await serverPid(), 'SIGKILL');
  expect((await open()).adopted).toBe(false);
});

test('starts although the number in an old lock file now belongs to another process', async () => {
  await (await open()).stop();
  await writeFile(
    join(dir, 'data', 'postmaster.pid'),
    `${process.pid}\n${join(dir, 'data')}\n1\n5432\n\n127.0.0.1\n\nready\n`,
  );
  expect((await open()).adopted).toBe(false);
});

test('never takes the server of one folder for that of its copy', async () => {
  const first = await open();
  await query(first, 'checkpoint');
  const copy = `${dir} copy`;
  await cp(dir, copy, { recursive: true });
  const second = await open(copy);
  expect(second.adopted).toBe(false);
  expect(await serverPid(copy)).not.toBe(await serverPid());
});

test('begins anew where making the data folder was interrupted', async () => {
  await mkdir(join(dir, 'new-abc', 'base'), { recursive: true });
  await open();
  expect((await readdir(dir)).sort()).toEqual(['data', 'log', 'password', 'port']);
});

test('refuses data of another version of PostgreSQL, naming both', async () => {
  await (await open()).stop();
  await writeFile(join(dir, 'data', 'PG_VERSION'), '12\n');
  await expect(open()).rejects.toThrow(/written by PostgreSQL 12, and npm installed 1\d\./);
});

test("passes on the server's own words when it does not start", async () => {
  await (await open()).stop();
  await writeFile(join(dir, 'data', 'postgresql.auto.conf'), 'no_such_setting = 1\n');
  await expect(open()).rejects.toThrow(/unrecognized configuration parameter "no_such_setting"/);
});

test.runIf(process.getuid?.() === 0)('runs under another user when started by root', async () => {
  const cluster = await open();
  expect(cluster.account?.uid).toBeGreaterThan(0);
  expect((await stat(join(dir, 'data'))).uid).toBe(cluster.account?.uid);
});
