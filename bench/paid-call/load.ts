import { fileURLToPath } from 'node:url';
import * as Program from './program.ts';

/** A server under load: where it is, and which processes (with all below them) do its work. */
export type Target = {
  name: string;
  urls: readonly string[];
  gateway: readonly number[];
  database: readonly number[];
  /** How many commits its ledger has made until now. */
  commits?: () => Promise<number>;
};

export type Load = {
  /** Asked for in turn. */
  paths: readonly string[];
  /** A file with a token a line, one for each account. */
  tokens: string;
  connections: number;
  /** Milliseconds that a connection waits between two requests, on average; 0: none. */
  waitMs: number;
  seconds: number;
};

/** Latencies in milliseconds. */
export type Result = { requests: number; seconds: number; failed: number; p50: number; p99: number };

const script = fileURLToPath(new URL('load.lua', import.meta.url));
let seed = 0;

/** Puts a load on a server: its connections are shared by its URLs. */
export async function put({ urls }: Target, load: Load): Promise<Result> {
  const results = await Promise.all(
    urls.map((url) => wrk(url, { ...load, connections: load.connections / urls.length })),
  );
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    seconds: Math.max(...results.map(({ seconds }) => seconds)),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

async function wrk(url: string, { paths, tokens, connections, waitMs, seconds }: Load): Promise<Result> {
  seed += 1;
  const settings = [
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
  ];
  const args = [...settings, url, '--', paths.join(','), tokens, String(seed)];
  const printed = await Program.output('wrk', args, { WAIT_MS: String(waitMs) });
  const { requests, microseconds, failed, p50, p99 } = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  return { requests, seconds: microseconds / 1e6, failed, p50: p50 / 1e3, p99: p99 / 1e3 };
}
