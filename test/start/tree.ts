import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import * as FreePort from '../support/free-port.ts';

/** A copy of this tree as another user would have it: in their folder, run by them, with only node and npm. */
export type Tree = {
  dir: string;
  env: NodeJS.ProcessEnv;
  user: { uid: number; gid: number } | null;
  remove(): Promise<void>;
};

/** `npm start` in a tree. */
export type Shop = { npm: ChildProcess; text: string; seconds: number };

const source = resolve(import.meta.dirname, '../..');
/** Includes what the tests of the SDKs write, which may run at the same time. */
const leftOut =
  /(^|\/)(node_modules|\.git|\.data|coverage|dist|build|\.examples|\.test|__pycache__|\.mypy_cache|[^/]+\.egg-info)$/;
const startMsMax = 60_000;

/** Copies the tree to `name` in a new folder. With `closed`, other users cannot enter the folder. */
export async function copy(name: string, user: Tree['user'], closed: boolean): Promise<Tree> {
  const outer = await mkdtemp(join(tmpdir(), 'sluice tree '));
  const dir = join(outer, name);
  await cp(source, dir, { recursive: true, filter: (path) => !leftOut.test(relative(source, path)) });
  await mkdir(join(outer, 'home'));
  await chmod(outer, closed ? 0o700 : 0o755);
  if (user) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, outer]);
  const env = { ...surroundings(), HOME: join(outer, 'home'), ...(await freePorts()) };
  return { dir, env, user, remove: () => rm(outer, { recursive: true, force: true }) };
}

/** Gives a copy the packages that are installed in this tree, of which it shares the files. */
export async function copyPackages(tree: Tree): Promise<void> {
  for (const folder of [
    '.',
    ...(await readdir(join(source, 'packages'))).map((name) => `packages/${name}`),
  ]) {
    const installed = join(source, folder, 'node_modules');
    if (!existsSync(installed)) continue;
    const copied = join(tree.dir, folder, 'node_modules');
    // Another file system cannot share files.
    if (spawnSync('cp', ['-al', installed, copied]).status !== 0)
      await run(tree, 'cp', '-aT', installed, copied);
    for (const written of ['.cache', '.vite', '.vite-temp', '.vitest'])
      await rm(join(copied, written), { recursive: true, force: true });
  }
}

/** Returns an empty folder with the same surroundings as a copy of the tree. */
export async function empty(user: Tree['user']): Promise<Tree> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice folder '));
  if (user) spawnSync('chown', [`${user.uid}:${user.gid}`, dir]);
  const env = { ...surroundings(), HOME: dir, ...(await freePorts()) };
  return { dir, env, user, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Runs a command until it ends. Returns its output; throws when it fails. */
export async function run(tree: Tree, command: string, ...args: string[]): Promise<string> {
  const child = spawnIn(tree, command, args);
  const said = collect(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${said()}`);
  return said();
}

/** Runs `npm start`, or another command, until it reports that the shop is open. Throws with its output when it ends before. */
export async function start(
  tree: Tree,
  until = 'Ctrl-C stops all programs',
  [command = '', ...args]: readonly string[] = ['npm', 'start'],
): Promise<Shop> {
  const since = performance.now();
  const npm = spawnIn(tree, command, args);
  const said = collect(npm);
  const open = Promise.withResolvers<void>();
  npm.stdout?.on('data', () => said().includes(until) && open.resolve());
  npm.once('close', () => open.reject(new Error(`${command} ended:\n${said()}`)));
  const late = setTimeout(() => open.reject(new Error(`${command} hangs:\n${said()}`)), startMsMax);
  await open.promise.finally(() => clearTimeout(late));
  return { npm, text: said(), seconds: (performance.now() - since) / 1000 };
}

/** Returns the id of the node process below npm that runs `script`. */
export function pidOf(shop: Shop, script: string): number {
  const table = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).stdout.trim().split('\n');
  const rows = table.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line));
  const family = new Set([shop.npm.pid]);
  // Parents come before their children, because ids increase.
  for (const row of rows) {
    if (!family.has(Number(row?.[2]))) continue;
    family.add(Number(row?.[1]));
    if (/node /.test(row?.[3] ?? '') && row?.[3]?.endsWith(script) && !row[3].startsWith('sh ')) {
      return Number(row[1]);
    }
  }
  throw new Error(`nothing below npm runs ${script}`);
}

/** Returns the id of the tree's database server, or null when none is running. */
export async function serverPid(tree: Tree): Promise<number | null> {
  const path = join(tree.dir, '.data', 'postgres', 'data', 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => '');
  return Number(text.split('\n')[0]) || null;
}

/** Returns true when process `pid` exists, including one that has ended and was not waited for. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /\) [^ZX] /.test(stat);
}

function spawnIn(tree: Tree, command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, {
    ...tree.user,
    cwd: tree.dir,
    env: tree.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  }
  return () => said;
}

/** Returns the environment of the machine without anything of this tree, and with npm's registry settings. */
function surroundings(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const network = Object.entries(process.env).filter(([name]) => /proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name));
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
  return { ...Object.fromEntries(network), PATH: path.join(':'), npm_config_registry: registry };
}

/** Returns settings with free ports. */
export async function freePorts(): Promise<NodeJS.ProcessEnv> {
  const names = ['PORT', 'DIRECT_PORT', 'SANDBOX_PORT', 'MAILBOX_PORT', 'MAILBOX_SMTP_PORT'];
  const ports = await FreePort.freePorts(names.length);
  return Object.fromEntries(names.map((name, at) => [name, String(ports[at])]));
}
