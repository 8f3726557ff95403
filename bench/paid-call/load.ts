import { fileURLToPath } from 'node:url';
import * as Program from './program.ts';

/** A server under load: its address, and the processes (with all their children) that do its work. */
export type Target = {
  name: string;
  urls: readonly string[];
  gateway: readonly number[];
  database: readonly number[];
  /** Returns the number of commits that its ledger has made so far. */
  commits?: () => Promise<number>;
};

export type Load = {
  /** Requested in turn. */
  paths: readonly string[];
  /** A file with one token per line, one for each account. */
  tokens: string;
  connections: number;
  /** Average pause of a connection between two requests, in milliseconds; 0 for none. */
  waitMs: number;
  seconds: number;
};

/** The result of a load; latencies are in milliseconds. */
export type Result = { requests: number; seconds: number; failed: number; p50: number; p99: number };

const script = fileURLToPath(new URL('load.lua', import.meta.url));
let seed = 0;

/** Puts a load on a server, whose URLs share the connections. */
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
