import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as TransactionPooler from '../../src/adapters/postgres/transaction-pooler.ts';
import { checkDatabase } from '../../src/cli/check/database.ts';
import { createDatabase } from '../support/database.ts';
import * as Program from '../support/program.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let folder: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  database = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755);
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});
afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Debian's PgBouncer in front of the test server; the address of the same database through it. */
async function pgbouncer(mode: 'session' | 'transaction'): Promise<string> {
  const server = new URL(inject('databaseUrl'));
  const port = await Program.freePort();
  const target = [
    `host=${server.hostname}`,
    `port=${server.port}`,
    `user=${server.username}`,
    server.password && `password=${decodeURIComponent(server.password)}`,
  ];
  const path = join(folder, `${mode}.ini`);
  await writeFile(
    path,
    `[databases]
* = ${target.filter(Boolean).join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 30
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
`,
  );
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  started.push(spawn('/usr/sbin/pgbouncer', ['-q', ...user, path], { stdio: 'ignore' }));
  await expect.poll(() => answers(port)).toBe(true);
  const url = new URL(database.url);
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

describe('a pooler in transaction mode', () => {
  test('is found each time, and refused with an explanation by every start and by check', async () => {
    const url = await pgbouncer('transaction');
    for (let at = 0; at < 10; at++) expect(await TransactionPooler.isThere(url)).toBe(true);
    for (let start = 0; start < 2; start++)
      await expect(migrate(url)).rejects.toThrow('pooler in transaction mode');
    expect(await checkDatabase(url, Date.now)).toEqual([
      expect.objectContaining({ state: 'problem', says: TransactionPooler.explanation }),
    ]);
  });
});

describe('a pooler in session mode', () => {
  test('is taken by the first start and by later ones', async () => {
    const url = await pgbouncer('session');
    expect(await TransactionPooler.isThere(url)).toBe(false);
    await migrate(url);
    await migrate(url);
  });
});
