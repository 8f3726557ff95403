import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../support/program.ts';

/** The program of a real Redis (`REDIS_SERVER=/usr/bin/redis-server`). Without it these tests are skipped. */
export const program = process.env.REDIS_SERVER ?? '';

export type RedisServer = {
  url: string;
  /** Starts again on the same port, empty. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Stops responding without closing any connection. */
  pause(): void;
  resume(): void;
};

const startMsMax = 10_000;

/** Starts a Redis for one test file, in memory only. */
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
