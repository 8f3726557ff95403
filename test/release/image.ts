import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** The container image, built without a daemon and mounted. */
export type Image = {
  /** Its settings, as container runtimes read them. */
  config: { Env: string[]; Cmd: string[]; User: string; WorkingDir: string; Healthcheck: { Test: string[] } };
  /** The path of its root file system. */
  root: string;
  remove(): Promise<void>;
};

/** Builds the image of dist/sluice by the Dockerfile, with the root file system that release/rootfs.sh makes. */
export async function build(): Promise<Image> {
  const store = await mkdtemp(join(tmpdir(), 'sluice-image-'));
  const buildah = (...args: string[]) => {
    const places = [
      '--storage-driver',
      'vfs',
      '--root',
      join(store, 'root'),
      '--runroot',
      join(store, 'run'),
    ];
    return execFileSync('buildah', [...places, ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  };
  execFileSync('release/rootfs.sh', { cwd: root, stdio: 'pipe' });
  const arch = { x64: 'amd64' }[process.arch as string] ?? process.arch;
  const sources = ['--build-context', 'rootfs=dist/image', '--build-arg', `TARGETARCH=${arch}`];
  buildah(
    'bud',
    '--quiet',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    ...sources,
    '--tag',
    'sluice',
    '.',
  );
  const inspected = JSON.parse(buildah('inspect', '--type', 'image', 'sluice'));
  const container = buildah('from', 'sluice');
  return {
    config: inspected.Docker.config,
    root: buildah('mount', container),
    async remove() {
      buildah('umount', container);
      await rm(store, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a program of the image as a container runtime with a read-only root does: as the user of the image, with its environment, and with
 * /data and /tmp as the only folders that can be written. The network is that of this machine.
 */
export function run(
  image: Image,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Running {
  // Absolute, because PATH is that of the image.
  const mounts = `set -e; mount=/usr/bin/mount
    $mount --bind "$1" "$1"; $mount -o remount,bind,ro "$1"; $mount -t proc proc "$1/proc"
    for folder in tmp data; do $mount -t tmpfs -o mode=1777 tmpfs "$1/$folder"; done
    exec /usr/bin/setpriv --clear-groups /usr/bin/unshare --root="$1" --wd="$2" --setuid="$3" --setgid="$4" -- "\${@:5}"`;
  const [first = '', ...rest] = command;
  const { User, WorkingDir, Env } = image.config;
  const program = first.startsWith('/') ? first : `/usr/local/bin/${first}`;
  const args = ['-c', mounts, 'bash', image.root, WorkingDir, ...User.split(':'), program, ...rest];
  const child = spawn('/usr/bin/unshare', ['--mount', '/bin/bash', ...args], {
    env: { ...Object.fromEntries(Env.map((line) => line.split(/=(.*)/s).slice(0, 2))), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output: () => said, ended };
}

export type Running = { child: ChildProcess; output(): string; ended: Promise<number | null> };
