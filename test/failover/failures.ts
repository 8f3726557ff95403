import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { HaCluster } from './ha-cluster.ts';
import type { Node } from './node.ts';
import type { Sales } from './sales.ts';

export type Durations = {
  /** Time for which Patroni is stopped. Longer than its `ttl`. */
  stoppedMs: number;
  /** Time for which etcd or a network is unavailable. */
  lostMs: number;
};

/** A failure of one round. It returns when it has been repaired, with what it found wrong. */
export type Failure = {
  what: string;
  strike(cluster: HaCluster, sales: Sales, durations: Durations): Promise<string[]>;
};

const takeoverMsMax = 60_000;
const probeMs = 3_000;
/** Until then Patroni has noticed that PostgreSQL was killed. */
const killedMs = 3_000;
/** Long enough for many calls, and shorter than Patroni needs to notice. */
const aloneMs = 1_500;

export const failures: readonly Failure[] = [
  {
    what: 'primary killed',
    async strike(cluster) {
      const primary = await primaryOf(cluster);
      await primary.killPostgres();
      await sleep(killedMs);
      // Patroni restarts it instead when no other node may take over at that moment.
      await found(async () => {
        const now = await cluster.leader();
        return now !== null && (await isPromoted(now)) ? now : null;
      }, 'no primary');
      return [];
    },
  },
  {
    what: 'network between the primary and all standbys cut, then its node killed',
    async strike(cluster, sales) {
      const primary = await primaryOf(cluster);
      // Its commits are on no other node now.
      primary.relay.cut();
      await sleep(aloneMs);
      await primary.kill();
      primary.relay.heal();
      return await replaced(cluster, primary, sales);
    },
  },
  {
    what: 'Patroni stopped on the primary, which clients still reach',
    async strike(cluster, _, { stoppedMs }) {
      const primary = await primaryOf(cluster);
      const untilMs = performance.now() + stoppedMs;
      await primary.stopPatroni();
      try {
        await another(cluster, primary);
        const committed = await commits(primary);
        await sleep(Math.max(0, untilMs - performance.now()));
        return committed
          ? [`${primary.name} committed after ${(await primaryOf(cluster)).name} had taken over`]
          : [];
      } finally {
        primary.continuePatroni();
      }
    },
  },
  {
    what: 'network between the primary and its synchronous standby cut',
    async strike(cluster, _, { lostMs }) {
      const primary = await primaryOf(cluster);
      const standby = await standbyOf(cluster);
      primary.relay.cut(standby.name);
      await sleep(lostMs);
      primary.relay.heal();
      return [];
    },
  },
  {
    what: 'all processes of the primary’s node killed',
    async strike(cluster, sales) {
      const primary = await primaryOf(cluster);
      await primary.kill();
      return await replaced(cluster, primary, sales);
    },
  },
  {
    what: 'all processes of the synchronous standby’s node killed',
    async strike(cluster, sales) {
      const standby = await standbyOf(cluster);
      await standby.kill();
      await sleep(1_000);
      await sales.soldAfter(performance.now(), takeoverMsMax);
      await cluster.startPatroni(standby);
      return [];
    },
  },
  {
    what: 'quorum of etcd lost',
    async strike(cluster, _, { lostMs }) {
      const stopped = cluster.nodes.slice(0, 2);
      for (const node of stopped) node.signalEtcd('SIGSTOP');
      await sleep(lostMs);
      for (const node of stopped) node.signalEtcd('SIGCONT');
      return [];
    },
  },
];

/** Waits until another node sells, and then starts the killed one again. */
async function replaced(cluster: HaCluster, killed: Node, sales: Sales): Promise<string[]> {
  try {
    await another(cluster, killed);
    await sales.soldAfter(performance.now(), takeoverMsMax);
    return [];
  } finally {
    await cluster.startPatroni(killed);
  }
}

async function primaryOf(cluster: HaCluster): Promise<Node> {
  return await found(() => cluster.leader(), 'no primary');
}

async function standbyOf(cluster: HaCluster): Promise<Node> {
  return await found(() => cluster.synchronousStandby(), 'no synchronous standby');
}

/**
 * Waits until another node than `before` is the primary. Patroni calls a node the leader a moment before its promotion: until then it still confirms
 * commits of the former primary, and has them.
 */
async function another(cluster: HaCluster, before: Node): Promise<Node> {
  return await found(async () => {
    const now = await cluster.leader();
    return now === null || now === before || !(await isPromoted(now)) ? null : now;
  }, `no node takes over from ${before.name}`);
}

async function found(look: () => Promise<Node | null>, fault: string): Promise<Node> {
  for (const end = performance.now() + takeoverMsMax; performance.now() < end; await sleep(100)) {
    const node = await look();
    if (node !== null) return node;
  }
  throw new Error(fault);
}

async function isPromoted(node: Node): Promise<boolean> {
  const sql = postgres(node.url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    const [row] = await sql`SELECT NOT pg_is_in_recovery() AS promoted`;
    return row?.promoted === true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Returns true if a former primary answers a commit. */
async function commits(node: Node): Promise<boolean> {
  const sql = postgres(node.url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  const answered =
    sql`INSERT INTO shop.catalog (digest, text) VALUES (${`probe ${performance.now()}`}, '')`.then(
      () => true,
      () => false,
    );
  const result = await Promise.race([answered, sleep(probeMs, false)]);
  await sql.end({ timeout: 0 });
  return result;
}
