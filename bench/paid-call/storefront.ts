import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import * as Accounts from '../../src/adapters/postgres/accounts.ts';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import * as Nginx from './nginx.ts';
import * as Program from './program.ts';

export type Shop = {
  urls: string[];
  pids: number[];
  /** Files of tokens, of one account and of a thousand. */
  tokens: { one: string; many: string };
  /** Returns the number of settlement batches that it has committed so far. */
  commits(): Promise<number>;
  stop(): Promise<void>;
};

const here = fileURLToPath(new URL('../../', import.meta.url));
const publicUrl = 'http://localhost:4020';
const accounts = 1_000;
/** The balance of each account: a hundred thousand dollars, in micro-dollars. */
const credit = 100_000_000_000;

/**
 * The plan's rate limit applies to one operation. It is counted and never reached. One account may use all connections of the upstream, so
 * that the crowd shares commits as in versions without shares. Calls wait when the machine stalls, and are not refused.
 */
const catalogue = `
storefront: { name: Bench, contact: bench@example.com }
upstream: { key: { header: x-api-key }, limits: { account_connections: 64, queue: 2000, account_queue: 2000 } }
services:
  - slug: lists
    name: Lists
    price_usd: "0.0001"
    operations:
${Object.keys(Nginx.sizes)
  .flatMap(Nginx.names)
  .map(
    (size) =>
      `      - { call: POST /v1/${size}, units: /count, units_max: { pointer: /max, default: 10, ceiling: 50 } }`,
  )
  .join('\n')}
  - slug: exports
    name: Exports
    price_usd: "0.0001"
    operations:
      - { call: GET /v1/export, units: 1 }
plans:
  - { id: credit, kind: credit, covers: "*", requests_per_second: 10000 }
`;

export type Options = {
  processes: number;
  /** Further settings of the storefront. */
  env?: Readonly<Record<string, string>>;
  /** Further arguments of Node, before the program. */
  nodeArgs?: readonly string[];
};

/** The flags that `npm start` uses. */
const usualNodeArgs = ['--max-semi-space-size=16'];

/** Starts storefront processes on one database as a host runs them, log included, with funded accounts and their tokens. */
export async function open(
  dir: string,
  databaseUrl: string,
  upstreamUrl: string,
  { processes, env: more = {}, nodeArgs = [] }: Options,
): Promise<Shop> {
  const main = join(here, 'src/main.ts');
  const catalog = join(dir, 'catalog.yaml');
  await writeFile(catalog, catalogue);
  const running: Program.Program[] = [];
  const urls: string[] = [];
  for (let count = 0; count < processes; count++) {
    const port = String(await Program.freePort());
    const env = {
      PORT: port,
      PUBLIC_URL: publicUrl,
      DATABASE_URL: databaseUrl,
      CATALOG: catalog,
      UPSTREAM_URL: upstreamUrl,
      UPSTREAM_API_KEY: 'upstream-key-0123456789',
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_WEBHOOK_SECRET: 'whsec_bench',
      STRIPE_NETWORK_ID: 'profile_bench',
      NODE_COMPILE_CACHE: join(dir, 'compiled'),
      ...more,
    };
    running.push(
      await Program.node([...usualNodeArgs, ...nodeArgs, main], env, join(dir, `storefront-${port}.log`)),
    );
    urls.push(`http://127.0.0.1:${port}`);
  }
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => {} }) as unknown as postgres.Sql;
  return {
    urls,
    pids: running.map(({ pid }) => pid),
    tokens: await tokens(join(dir, `tokens-${urls[0]?.split(':').at(-1)}`), sql),
    async commits() {
      const [row] = await sql<[{ commits: number }]>`SELECT coalesce(sum(seq), 0)::integer AS commits
        FROM (SELECT max(seq) AS seq FROM ledger.batch GROUP BY writer_id, epoch) l`;
      return row.commits;
    },
    async stop() {
      for (const program of running) await program.stop();
      await sql.end();
    },
  };
}

async function tokens(file: string, sql: postgres.Sql): Promise<Shop['tokens']> {
  const stored = await Accounts.openSigningKeys(sql).all();
  const ring = KeyRing.keyRing(publicUrl, await Promise.all(stored.map(SigningKey.load)));
  const list = await Promise.all(Array.from({ length: accounts }, () => token(sql, ring)));
  await writeFile(`${file}-1`, `${list[0]}\n`);
  await writeFile(`${file}-1000`, `${list.join('\n')}\n`);
  return { one: `${file}-1`, many: `${file}-1000` };
}

async function token(sql: postgres.Sql, ring: KeyRing.KeyRing): Promise<string> {
  const account = await buyer(sql);
  const issued = await AccessToken.issue(
    ring,
    { account, sid: id('ses'), member: null, epoch: 0 },
    Date.now(),
  );
  return issued.token;
}

/** Creates an account that has bought credit. */
export async function buyer(sql: postgres.Sql): Promise<string> {
  const account = id('acc');
  const order = id('pur');
  await Accounts.openAccounts(sql).register(account, null);
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES (${order}, ${account}, 'credit', ${credit}, now() + interval '1 hour')`;
  await sql`SELECT shop.grant_purchase(${order}, ${id('pi')}, ${account})`;
  return account;
}
