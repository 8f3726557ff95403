import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** By default V8 lets the young generation grow to 128 MB at the start. This limit saves 80 MB and costs no time. */
const youngMemory = '--max-semi-space-size=16';

/**
 * A bundled program that runs as a child process: it sends `{ready: true, url}` when it listens, drains and exits on SIGTERM, and exits
 * when its channel to this process is closed.
 */
export type ManagedProcess = {
  name: string;
  url: string;
  /** Settles with the reason when the child has ended too often to be restarted. */
  failed: Promise<Error>;
  /** Makes the child reload its settings and files, by SIGHUP. */
  reload(): void;
  /** Stops the child by SIGTERM, and by SIGKILL after `drainMsMax`. */
  stop(): Promise<void>;
  /** Repeats SIGTERM to a child that is being stopped, which then ends without waiting. */
  hurry(): void;
};

export type Options = {
  name: string;
  /** The program's file, absolute. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** Absolute path of the file for its output; null for the output of this process. */
  logFile: string | null;
  /** Receives a line whenever the child ends unexpectedly. */
  notice(line: string): void;
  /** Aborts the start of a child that is not ready yet. */
  abandon: AbortSignal;
  /** Time that the child has to exit after SIGTERM. */
  drainMsMax: number;
  /** Delay before a restart; it doubles with each one. */
  restartMs: number;
};

const readyMsMax = 120_000;
/** A child that ends more often without a steady minute in between is not restarted. */
const restartsMax = 6;
const steadyMs = 60_000;
/** A log above this size is renamed to `.1` when its program starts. */
const logBytesMax = 32 * 1024 * 1024;
const lastLinesMax = 20;
const lineLengthMax = 500;

/** Starts the child and waits until it listens. Throws with the end of its output when it fails. */
export async function start(options: Options): Promise<ManagedProcess> {
  let stopping = false;
  let child = await launch(options);
  const url = await ready(child, options);
  const failed = Promise.withResolvers<Error>();

  async function keepRunning(): Promise<void> {
    let ends = 0;
    for (let since = Date.now(); ; ) {
      await ended(child);
      if (stopping) return;
      ends = Date.now() - since > steadyMs ? 1 : ends + 1;
      if (ends > restartsMax)
        throw new Error(`The ${options.name} keeps stopping${await lastWords(options)}`);
      options.notice(
        `The ${options.name} stopped (${child.signalCode ?? child.exitCode}); it is started again`,
      );
      await sleep(options.restartMs * 2 ** (ends - 1));
      if (stopping) return;
      since = Date.now();
      child = await launch(options);
      // A child that does not become ready has been stopped, which counts as an end.
      await ready(child, options).catch(() => {});
    }
  }
  keepRunning().catch((error: Error) => failed.resolve(error));

  return {
    name: options.name,
    url,
    failed: failed.promise,
    reload: () => void child.kill('SIGHUP'),
    hurry() {
      if (stopping) child.kill('SIGTERM');
    },
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), options.drainMsMax);
      await ended(child);
      clearTimeout(force);
    },
  };
}

async function launch(options: Options): Promise<ChildProcess> {
  const log = options.logFile === null ? null : await openLog(options.logFile);
  const output = log?.fd ?? 'inherit';
  const child = spawn(process.execPath, [youngMemory, options.script], {
    env: options.env,
    stdio: ['ignore', output, output, 'ipc'],
    // A process group of its own: this process receives Ctrl-C and stops the children in order.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  await log?.close();
  return child;
}

/** Returns the address that `child` listens on. Stops it and throws when it reports none in time. */
async function ready(child: ChildProcess, options: Options): Promise<string> {
  const signal = AbortSignal.any([AbortSignal.timeout(readyMsMax), options.abandon]);
  const said = once(child, 'message', { signal }).then(
    ([message]) => (message as { url?: unknown }).url,
    () => undefined,
  );
  const url = await Promise.race([said, ended(child).then(() => undefined)]);
  if (typeof url === 'string') return url;
  child.kill('SIGKILL');
  throw new Error(`The ${options.name} did not start${await lastWords(options)}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function openLog(path: string) {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logBytesMax) await rename(path, `${path}.1`);
  return open(path, 'a');
}

async function lastWords({ logFile }: Options): Promise<string> {
  if (logFile === null) return '';
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  const last = lines.slice(-lastLinesMax).map((line) => `\n  ${line.slice(0, lineLengthMax)}`);
  return `; ${logFile} ends with${last.join('')}`;
}
