import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import * as LockFile from '../../src/cli/embedded/lock-file.ts';
import * as ScratchPostgres from '../scratch-postgres.ts';
import * as Nginx from './nginx.ts';
import * as Program from './program.ts';

/** The environment that every part of the bench shares: a folder, a PostgreSQL on disk with fsync, and the API that is resold. */
export type Stage = {
  dir: string;
  upstreamUrl: string;
  upstreamPid: number;
  /** The parent of all PostgreSQL processes. */
  postgresPid: number;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Registers a program to stop before the stage is removed; the last one registered is stopped first. */
  keep<T extends { stop(): Promise<void> }>(program: T): T;
  strike(): Promise<void>;
};

const programs = ['nginx', 'wrk', 'pgbench'];
const contenders = fileURLToPath(new URL('contenders/', import.meta.url));

export async function set(): Promise<Stage> {
  await require(programs);
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-paid-call-'));
  const server = await ScratchPostgres.start(join(dir, 'postgres'));
  const kept: { stop(): Promise<void> }[] = [];
  const keep: Stage['keep'] = (program) => {
    kept.unshift(program);
    return program;
  };
  const upstream = keep(await Nginx.upstream(dir));
  const lock = await LockFile.read(join(dir, 'postgres', 'data'));
  let databases = 0;
  return {
    dir,
    upstreamUrl: upstream.url,
    upstreamPid: upstream.pid,
    postgresPid: lock?.pid ?? 0,
    async createDatabase() {
      databases += 1;
      const sql = postgres(server.url, { max: 1 });
      await sql.unsafe(`CREATE DATABASE bench_${databases}`);
      await sql.end();
      return server.url.replace(/\/postgres$/, `/bench_${databases}`);
    },
    keep,
    async strike() {
      for (const program of kept) await program.stop();
      await server.remove();
      await rm(dir, { recursive: true });
    },
  };
}

/** Returns bare Node proxies by name. Installs their package first when necessary. */
export async function bareProxies(
  stage: Stage,
  names: readonly string[],
): Promise<{ name: string; url: string; pid: number }[]> {
  // Keeps the environment, because npm may be configured there.
  if (!existsSync(join(contenders, 'node_modules')))
    await Program.output('npm', ['ci', '--prefix', contenders], process.env);
  const running = [];
  for (const name of names) {
    const port = String(await Program.freePort());
    const args = [join(contenders, 'serve.mjs'), name, port, stage.upstreamUrl];
    const { pid } = stage.keep(await Program.node(args, {}, join(stage.dir, `${name}.log`)));
    running.push({ name, url: `http://127.0.0.1:${port}`, pid });
  }
  return running;
}

async function require(commands: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const command of commands)
    await Program.output('sh', ['-c', `command -v ${command}`]).catch(() => missing.push(command));
  if (missing.length > 0)
    throw new Error(
      `not here: ${missing.join(', ')}. On Debian, as root: apt-get install nginx-light wrk postgresql-contrib`,
    );
}
