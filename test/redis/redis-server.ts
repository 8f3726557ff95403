import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../support/program.ts';

/** The program of a real Redis (`REDIS_SERVER=/usr/bin/redis-server`); without one there is nothing to test here. */
export const program = process.env.REDIS_SERVER ?? '';

export type RedisServer = {
  url: string;
  /** Starts again on the same port, empty. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** It answers nobody any more, and closes no connection. */
  pause(): void;
  resume(): void;
};

const startMsMax = 10_000;

/** A Redis of one test file, in memory alone. */
export async function open(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn(program, args, { stdio: 'ignore' });
    const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    redis.on('error', () => {});
    const late = AbortSignal.timeout(startMsMax);
    await Promise.race([redis.ping(), once(late, 'abort').then(() => Promise.reject(late.reason))]);
    redis.disconnect();
  };
  await start();
  return {
    url,
    start,
    async kill() {
      if (child === null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      child = null;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
