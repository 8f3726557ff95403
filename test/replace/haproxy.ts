import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Program from '../support/program.ts';

/** HAProxy in front of gateways. */
export type Balancer = {
  url: string;
  /** Resolves when it sends requests to server `index` (true), or no longer does (false). */
  until(index: number, isUp: boolean): Promise<void>;
  stop(): Promise<void>;
};

const pollMs = 50;
const statusMsMax = 60_000;

/**
 * The configuration that docs/upgrading.md recommends, and without any second attempt: a caller sees every request that a gateway loses.
 * Idle connections to servers are kept and shared.
 */
const configuration = (dir: string, port: number, ports: readonly number[]) => `
global
  stats socket ${join(dir, 'haproxy.sock')} level admin
defaults
  mode http
  retries 0
  timeout connect 5s
  timeout check 10s
  timeout client 120s
  timeout server 120s
  timeout http-keep-alive 120s
frontend shop
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  http-reuse always
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr host shop
  http-check expect status 200
  default-server check inter 500ms fall 3 rise 1
${ports.map((at, index) => `  server gateway${index} 127.0.0.1:${at}`).join('\n')}
`;

/** Starts HAProxy with its files in `dir`. */
export async function start(dir: string, ports: readonly number[]): Promise<Balancer> {
  const port = await Program.freePort();
  const file = join(dir, 'haproxy.cfg');
  await writeFile(file, configuration(dir, port, ports));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  child.stderr.on('data', (chunk) => (printed += chunk));
  const ended = Promise.race([
    once(child, 'exit'),
    once(child, 'error').then(([fault]) => Promise.reject(fault)),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const status = async (index: number) => {
    const socket = connect(join(dir, 'haproxy.sock'));
    socket.end('show stat\n');
    const line = (await text(socket).catch(() => ''))
      .split('\n')
      .find((row) => row.startsWith(`gateways,gateway${index},`));
    return line?.split(',')[17] ?? '';
  };
  const until = async (index: number, isUp: boolean) => {
    for (let waitedMs = 0; (await status(index)).startsWith('UP') !== isUp; waitedMs += pollMs) {
      if (child.exitCode !== null) throw new Error(`haproxy ended: ${printed}`);
      if (waitedMs >= statusMsMax)
        throw new Error(`gateway ${index} is not ${isUp ? 'up' : 'down'}: ${printed}`);
      await sleep(pollMs);
    }
  };
  return {
    url,
    until,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
