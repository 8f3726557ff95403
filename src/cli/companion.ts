import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Left to itself V8 lets the young generation grow to 128 MB of garbage at the start; with this it takes 80 MB less, and no more time. */
const youngMemory = '--max-semi-space-size=16';

/**
 * A program of ours that runs as a child: it sends `{ready: true, url}` once it listens, drains and ends on SIGTERM,
 * and ends by itself when its channel to us is cut.
 */
export type Companion = {
  name: string;
  url: string;
  /** Settles with the reason when the child has ended so often that it is not started again. */
  failed: Promise<Error>;
  /** Has the child read its settings and files again, by SIGHUP. */
  reload(): void;
  /** Ends the child: by SIGTERM, by force after `drainMsMax`. */
  stop(): Promise<void>;
};

export type Options = {
  name: string;
  /** The program's file, absolute. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** Where its output goes, absolute; null for our own output. */
  logFile: string | null;
  /** Told, in a line, whenever the child ends unasked. */
  notice(line: string): void;
  /** When aborted, a child that is not ready yet is given up. */
  abandon: AbortSignal;
  /** How long it may take to end when asked. */
  drainMsMax: number;
  /** A child that ended is started again after this, then after twice this, and so on. */
  restartMs: number;
};

const readyMsMax = 60_000;
/** A child that ends more often, with no steady minute between, is not started again. */
const restartsMax = 6;
const steadyMs = 60_000;
/** A log above this size is set aside as `.1` when its program starts. */
const logBytesMax = 32 * 1024 * 1024;
const lastLinesMax = 20;
const lineLengthMax = 500;

/** Starts the child and waits until it listens. Throws, with its last words, when it does not. */
export async function start(options: Options): Promise<Companion> {
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
      if (ends > restartsMax) throw new Error(`The ${options.name} keeps ending${await lastWords(options)}`);
      options.notice(`The ${options.name} ended (${child.signalCode ?? child.exitCode}), starting it again`);
      await sleep(options.restartMs * 2 ** (ends - 1));
      if (stopping) return;
      since = Date.now();
      child = await launch(options);
      // One that does not become ready has been ended, and is counted as such.
      await ready(child, options).catch(() => {});
    }
  }
  keepRunning().catch((error: Error) => failed.resolve(error));

  return {
    name: options.name,
    url,
    failed: failed.promise,
    reload: () => void child.kill('SIGHUP'),
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
    // A group of its own: Ctrl-C at the terminal is for us, who end the children in order.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  await log?.close();
  return child;
}

/** The address that `child` says it listens on. Throws, and ends it, when it says none in time. */
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
