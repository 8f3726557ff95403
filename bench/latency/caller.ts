// Calls a server at a constant average rate, whatever its responses take, so that a slow response does not lower the load.
// node caller.ts <URL> <calls a second> <seconds> <file of tokens> <seed> <output file>

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { nowMs } from './span.ts';

/** Trace id, start and end in milliseconds since the epoch, status (0: no response). */
export type Record = readonly [trace: string, startMs: number, endMs: number, status: number];

const [url = '', rate = '', seconds = '', tokenFile = '', seed = '', out = ''] = process.argv.slice(2);
const paths = ['/v1/small', '/v1/small-2', '/v1/small-3', '/v1/small-4'];
const body = Buffer.from(`{"max":5,"note":"${'n'.repeat(279)}"}`);
const timeoutMs = 10_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const tokens = readFileSync(tokenFile, 'utf8').trim().split('\n');
const records: Record[] = [];
const { hostname, port } = new URL(url);

let state = Number(seed) >>> 0;
/** Returns the next of a reproducible sequence of numbers between 0 and 1. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

let sent = 0;
function call(): Promise<void> {
  const number = sent++;
  const trace = (number + 1).toString(16).padStart(32, '0');
  const headers = {
    authorization: `Bearer ${tokens[number % tokens.length]}`,
    'content-type': 'application/json',
    'content-length': body.length,
    traceparent: `00-${trace}-${trace.slice(16)}-01`,
  };
  return new Promise((resolve) => {
    const startMs = nowMs();
    const done = (status: number) => {
      records.push([trace, startMs, nowMs(), status]);
      resolve();
    };
    const outgoing = request(
      {
        agent,
        hostname,
        port,
        method: 'POST',
        path: paths[number % paths.length],
        headers,
        timeout: timeoutMs,
      },
      (response) => {
        response.resume();
        response.once('end', () => done(response.statusCode ?? 0));
        response.once('error', () => done(0));
      },
    );
    outgoing.once('timeout', () => outgoing.destroy());
    outgoing.once('error', () => done(0));
    outgoing.end(body);
  });
}

const startedMs = nowMs();
const untilMs = startedMs + Number(seconds) * 1_000;
const underWay = new Set<Promise<void>>();
let dueMs = startedMs;
while (dueMs < untilMs) {
  for (; dueMs <= nowMs() && dueMs < untilMs; dueMs += (-Math.log(1 - random()) * 1_000) / Number(rate)) {
    const one = call().finally(() => underWay.delete(one));
    underWay.add(one);
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - nowMs())));
}
await Promise.all(underWay);
await writeFile(out, JSON.stringify(records));
agent.destroy();
