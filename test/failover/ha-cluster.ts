import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { freePorts } from '../support/free-port.ts';
import * as ReplicaPair from '../support/replica-pair.ts';
import * as TcpRelay from '../support/tcp-relay.ts';
import { Node, password, postmasterOf } from './node.ts';
import * as Processes from './processes.ts';

const files = fileURLToPath(new URL('../../deploy/ha/', import.meta.url));
const nodes = 3;
const pollMs = 200;
const readyMsMax = 120_000;
const logLinesMax = 40;

/** The differences between a cluster and deploy/ha. */
export type ClusterKind = {
  /** Replication is asynchronous. */
  isAsynchronous?: boolean;
  /** Patroni 3.0.2 uses the v3 interface of etcd. */
  usesEtcd3?: boolean;
};

/** Patroni's report on a member. */
type Member = { name: string; role: string; state: string };

/** Three nodes with Patroni and etcd, and HAProxy in front of them, as deploy/ha describes them. */
export class HaCluster {
  readonly nodes: Node[];
  readonly #dir: string;
  readonly #account: Processes.Account;
  readonly #proxyPorts: { primary: number; standby: number };
  readonly #kind: ClusterKind;
  #haproxy: ChildProcess | null = null;

  private constructor(
    dir: string,
    account: Processes.Account,
    members: Node[],
    ports: { primary: number; standby: number },
    kind: ClusterKind,
  ) {
    this.#kind = kind;
    this.#dir = dir;
    this.#account = account;
    this.nodes = members;
    this.#proxyPorts = ports;
  }

  /**
   * Starts everything, and returns when the cluster has a primary and a synchronous standby.
   * @param kind other than that of deploy/ha: a cluster that loses what was confirmed
   */
  static async open(kind: ClusterKind = {}): Promise<HaCluster> {
    const [uid, gid] = await ReplicaPair.account();
    const dir = await mkdtemp(join(tmpdir(), `sluice-failover-${process.pid}-`));
    await chmod(dir, 0o711);
    // The account of PostgreSQL may not reach the folder of this repository.
    for (const name of ['patroni.yml', 'haproxy.cfg']) {
      const own = await readFile(join(files, name), 'utf8');
      const given = !kind.isAsynchronous ? own : own.replace(/(synchronous_mode\w*): true/g, '$1: false');
      await writeFile(join(dir, name), given);
      await chmod(join(dir, name), 0o644);
    }
    const ports = await freePorts(nodes * 4 + 2);
    const port = () => ports.shift() ?? 0;
    const members: Node[] = [];
    for (let at = 1; at <= nodes; at++) {
      const own = { etcd: port(), peer: port(), patroni: port(), postgres: port() };
      const folder = join(dir, `node${at}`);
      await mkdir(folder, { mode: 0o700 });
      await chown(folder, uid, gid);
      members.push(new Node(`node${at}`, folder, own, await TcpRelay.open(own.postgres)));
    }
    const cluster = new HaCluster(dir, { uid, gid }, members, { primary: port(), standby: port() }, kind);
    // PostgreSQL outlives Patroni.
    process.once('exit', () => {
      for (const node of members) Processes.signal(postmasterOf(node.dir), 'SIGQUIT');
      rmSync(dir, { recursive: true, force: true });
    });
    try {
      for (const node of members) await cluster.#startEtcd(node);
      for (const node of members) await cluster.startPatroni(node);
      await cluster.#startHaproxy();
      await cluster.healthy();
    } catch (error) {
      const logs = await cluster.logs();
      await cluster.close();
      throw new Error(`the cluster does not start:\n${logs}`, { cause: error });
    }
    return cluster;
  }

  /** URL of the primary through HAProxy. */
  get url(): string {
    return `postgres://postgres:${password}@127.0.0.1:${this.#proxyPorts.primary}/postgres`;
  }

  get readUrl(): string {
    return `postgres://postgres:${password}@127.0.0.1:${this.#proxyPorts.standby}/postgres`;
  }

  /** URL with every node, as a storefront without HAProxy uses it. */
  get severalHostsUrl(): string {
    const hosts = this.nodes.map(({ ports }) => `127.0.0.1:${ports.postgres}`).join();
    return `postgres://postgres:${password}@${hosts}/postgres?target_session_attrs=primary`;
  }

  async #startEtcd(node: Node): Promise<void> {
    const url = (port: number) => `http://127.0.0.1:${port}`;
    node.etcd = Processes.start(
      '/usr/bin/etcd',
      [],
      {
        ...(await settings('etcd.env')),
        ETCD_NAME: node.name,
        ETCD_DATA_DIR: join(node.dir, 'etcd'),
        ETCD_LISTEN_CLIENT_URLS: url(node.ports.etcd),
        ETCD_ADVERTISE_CLIENT_URLS: url(node.ports.etcd),
        ETCD_LISTEN_PEER_URLS: url(node.ports.peer),
        ETCD_INITIAL_ADVERTISE_PEER_URLS: url(node.ports.peer),
        ETCD_INITIAL_CLUSTER: this.nodes.map(({ name, ports }) => `${name}=${url(ports.peer)}`).join(),
      },
      join(node.dir, 'etcd.log'),
      this.#account,
      node.dir,
    );
  }

  /** Starts Patroni on a node, which starts PostgreSQL. */
  async startPatroni(node: Node): Promise<void> {
    const { PATRONI_ETCD_HOSTS: _, ...shared } = await settings('patroni.env');
    const etcds = this.nodes.map(({ ports }) => `127.0.0.1:${ports.etcd}`).join();
    node.patroni = Processes.start(
      '/usr/bin/patroni',
      [join(this.#dir, 'patroni.yml')],
      {
        ...shared,
        PATRONI_NAME: node.name,
        PATRONI_RESTAPI_LISTEN: `127.0.0.1:${node.ports.patroni}`,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${node.ports.patroni}`,
        PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${node.ports.postgres}`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${node.relay.port}`,
        PATRONI_POSTGRESQL_DATA_DIR: join(node.dir, 'data'),
        [this.#kind.usesEtcd3 ? 'PATRONI_ETCD3_HOSTS' : 'PATRONI_ETCD_HOSTS']: etcds,
        PATRONI_SUPERUSER_PASSWORD: password,
        PATRONI_REPLICATION_PASSWORD: password,
        HOME: node.dir,
      },
      join(node.dir, 'patroni.log'),
      this.#account,
      node.dir,
    );
  }

  async #startHaproxy(): Promise<void> {
    const ofNodes = this.nodes.flatMap(({ name, ports }) => {
      const prefix = name.toUpperCase();
      return [
        [`${prefix}_HOST`, '127.0.0.1'],
        [`${prefix}_POSTGRES`, `127.0.0.1:${ports.postgres}`],
        [`${prefix}_PATRONI_PORT`, String(ports.patroni)],
      ];
    });
    const env = {
      ...(await settings('haproxy.env')),
      ...Object.fromEntries(ofNodes),
      BIND_PRIMARY: `127.0.0.1:${this.#proxyPorts.primary}`,
      BIND_STANDBY: `127.0.0.1:${this.#proxyPorts.standby}`,
    };
    this.#haproxy = Processes.start(
      '/usr/sbin/haproxy',
      ['-db', '-f', join(this.#dir, 'haproxy.cfg')],
      env,
      join(this.#dir, 'haproxy.log'),
      this.#account,
      '/',
    );
  }

  /** The members as the first node that responds reports them; empty while none does. */
  async members(): Promise<Member[]> {
    for (const { ports } of this.nodes) {
      try {
        const response = await fetch(`http://127.0.0.1:${ports.patroni}/cluster`, {
          signal: AbortSignal.timeout(1_000),
        });
        const { members } = (await response.json()) as { members: Member[] };
        return members;
      } catch {}
    }
    return [];
  }

  async #withRole(role: RegExp): Promise<Node | null> {
    const member = (await this.members()).find((each) => role.test(each.role) && each.state === 'running');
    return this.nodes.find(({ name }) => name === member?.name) ?? null;
  }

  leader(): Promise<Node | null> {
    return this.#withRole(/^leader$/);
  }

  synchronousStandby(): Promise<Node | null> {
    return this.#withRole(/^sync_standby$/);
  }

  /**
   * Waits until there is a primary with one synchronous and one other standby that stream, HAProxy leads to it, and etcd names that standby. While
   * Patroni changes the synchronous standby, etcd names none for some seconds, and no node may take over: a failure then would be a second one.
   */
  async healthy(): Promise<void> {
    for (const end = Date.now() + readyMsMax; ; await sleep(pollMs)) {
      const members = await this.members();
      const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
      if (
        running.length === nodes &&
        (this.#kind.isAsynchronous || members.some(({ role }) => role === 'sync_standby')) &&
        (await this.#streams())
      )
        return;
      if (Date.now() > end) throw new Error(`not healthy: ${JSON.stringify(members)}\n${await this.logs()}`);
    }
  }

  async #streams(): Promise<boolean> {
    const sql = postgres(this.url, { max: 1, connect_timeout: 2, onnotice: () => {} });
    try {
      const rows =
        await sql`SELECT sync_state, application_name AS name FROM pg_stat_replication WHERE state = 'streaming'`;
      const named = await this.#namedStandby();
      const isSafe = rows.some(({ sync_state, name }) => sync_state === 'sync' && name === (named ?? name));
      return rows.length === nodes - 1 && (isSafe || this.#kind.isAsynchronous === true);
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** The standby that may take over, as etcd names it; empty for none, and null when etcd is used over v3. */
  async #namedStandby(): Promise<string | null> {
    if (this.#kind.usesEtcd3 || this.#kind.isAsynchronous) return null;
    const url = `http://127.0.0.1:${this.nodes[0]?.ports.etcd}/v2/keys/sluice/sluice/sync?quorum=true`;
    const { node } = (await (await fetch(url, { signal: AbortSignal.timeout(1_000) })).json()) as {
      node: { value: string };
    };
    return JSON.parse(node.value).sync_standby ?? '';
  }

  /** The end of each log. */
  async logs(): Promise<string> {
    const paths = [
      join(this.#dir, 'haproxy.log'),
      ...this.nodes.flatMap(({ dir }) => [join(dir, 'patroni.log'), join(dir, 'etcd.log')]),
    ];
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')));
    // Patroni reports a check that HAProxy ends early with a traceback.
    const isEvent = (line: string) =>
      /INFO|WARN|ERROR|FATAL|ALERT|\bLOG\b/.test(line) && !/no action|raft|Lock owner/.test(line);
    const end = (text: string) => text.split('\n').filter(isEvent).slice(-logLinesMax).join('\n');
    return texts.map((text, at) => `${paths[at]}\n${end(text)}`).join('\n');
  }

  /** Ends every process that it started, and removes the data. */
  async close(): Promise<void> {
    if (this.#haproxy) await Processes.stop(this.#haproxy, 'SIGKILL', 1_000);
    for (const node of this.nodes) await node.kill();
    for (const node of this.nodes) {
      if (node.etcd) await Processes.stop(node.etcd, 'SIGKILL', 1_000);
      await node.relay.close();
    }
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Reads one of the environment files of deploy/ha. */
async function settings(name: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(files, name), 'utf8')).split('\n');
  return Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}
