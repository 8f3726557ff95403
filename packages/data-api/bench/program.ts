import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'undici';
import * as Key from '../src/keys/key.ts';

export type Answer = { ms: number; status: number; text: string };
export type Program = {
  /** Sends a request on a kept-alive connection. `ms` is the time to the last byte. */
  ask(path: string, body: object): Promise<Answer>;
  stop(): Promise<void>;
};

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** API key with practically unlimited quotas. */
const apiKey = Key.draw();
const readyMsMax = 120_000;

/** Starts the data API in a separate process, as in production, but without its log. */
export async function start(databaseUrl: string): Promise<Program> {
  const child = fork(main, {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, DIRECT_PORT: '0', DIRECT_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = await ready(child);
  const client = new Client(url);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return {
    async ask(path, body) {
      const started = performance.now();
      const { statusCode, body: stream } = await client.request({
        path,
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const text = await stream.text();
      return { ms: performance.now() - started, status: statusCode, text };
    },
    async stop() {
      await client.close();
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function ready(child: ChildProcess): Promise<string> {
  const said = once(child, 'message', { signal: AbortSignal.timeout(readyMsMax) });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`the direct program ended with ${code} before it was ready`);
  });
  const [message] = (await Promise.race([said, gone])) as [{ url: string }];
  gone.catch(() => {});
  return message.url;
}
