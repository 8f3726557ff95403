import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type * as TcpRelay from '../support/tcp-relay.ts';
import * as Processes from './processes.ts';

export const password = 'failover';
/** Patroni begins another turn of its loop in this time (`loop_wait`). */
const loopMs = 1_500;

/** A database node: Patroni, its PostgreSQL and an etcd. Other nodes replicate from it through the relay. */
export class Node {
  readonly name: string;
  readonly ports: { etcd: number; peer: number; patroni: number; postgres: number };
  readonly relay: TcpRelay.TcpRelay;
  readonly dir: string;
  patroni: ChildProcess | null = null;
  etcd: ChildProcess | null = null;

  constructor(name: string, dir: string, ports: Node['ports'], relay: TcpRelay.TcpRelay) {
    this.name = name;
    this.dir = dir;
    this.ports = ports;
    this.relay = relay;
  }

  get url(): string {
    return `postgres://postgres:${password}@127.0.0.1:${this.ports.postgres}/postgres`;
  }

  /** The main process of PostgreSQL, or null when there is none. */
  postmaster(): number | null {
    const pid = postmasterOf(this.dir);
    return Processes.signal(pid, 0) ? pid : null;
  }

  /** Kills all processes of PostgreSQL. */
  async killPostgres(): Promise<void> {
    await Processes.killFamilies([this.postmaster()]);
  }

  /** Kills all processes of the node except etcd, which the other nodes count on. */
  async kill(): Promise<void> {
    const patroni = this.patroni;
    this.patroni = null;
    await Processes.killFamilies([patroni?.pid ?? null, this.postmaster()]);
  }

  /**
   * Stops Patroni at the worst place: it has read who the leader is, and has not renewed its own leadership yet, so its knowledge is old when it
   * continues. Between the two it asks PostgreSQL, whose process for it is stopped first.
   */
  async stopPatroni(): Promise<void> {
    const sql = postgres(this.url, { max: 1, connect_timeout: 2, onnotice: () => {} });
    const rows = await sql<
      { pid: number }[]
    >`SELECT pid FROM pg_stat_activity WHERE application_name = 'Patroni'`;
    await sql.end({ timeout: 1 });
    for (const { pid } of rows) Processes.signal(pid, 'SIGSTOP');
    await sleep(loopMs);
    if (this.patroni?.pid) Processes.signal(this.patroni.pid, 'SIGSTOP');
    for (const { pid } of rows) Processes.signal(pid, 'SIGCONT');
  }

  continuePatroni(): void {
    if (this.patroni?.pid) Processes.signal(this.patroni.pid, 'SIGCONT');
  }

  signalEtcd(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.etcd?.pid) Processes.signal(this.etcd.pid, name);
  }
}

/** Returns the process id in a node's lock file; 0 if there is none. */
export function postmasterOf(dir: string): number {
  try {
    return Number(readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}
