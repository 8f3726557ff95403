import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { createDatabase, createFilled, createMigrated, type Database } from './database.ts';
import * as Mailbox from './mailbox.ts';
import * as Program from './program.ts';

const webhookSecret = 'whsec_test';
const directKey = `sk_${'d'.repeat(43)}`;

/** A complete shop of real processes on its own database. */
export type Shop = {
  url: string;
  sandboxUrl: string;
  /** The URL and key of the API that the storefronts resell. */
  upstream: { url: string; key: string };
  databaseUrl: string;
  sql: postgres.Sql;
  storefronts: Program.Program[];
  /** Starts another storefront process on the same database. Returns its URL. */
  addStorefront(env?: Record<string, string>, user?: typeof Program.unprivileged): Promise<string>;
  stop(): Promise<void>;
};

export type Options = {
  /** The API to resell instead of the bundled data API. */
  upstream?: { url: string; key: string };
  /** A file under test/fixtures instead of the shipped catalogue. */
  catalog?: string;
  env?: Record<string, string>;
  /** The PostgreSQL server of its database, instead of that of the run. */
  server?: string;
  /** Storefronts connect as this role, which owns nothing, and migrate as the owner. */
  runsAs?: { role: string; password: string };
};

/** Starts the sandbox, the upstream and one storefront. */
export async function open(options: Options = {}): Promise<Shop> {
  const database = await databaseFor(options);
  const programs: Program.Program[] = [];
  const storefronts: Program.Program[] = [];
  const port = await Program.freePort();
  const sandboxPort = await Program.freePort();
  const sandboxUrl = `http://localhost:${sandboxPort}`;
  const url = `http://localhost:${port}`;

  const addStorefront = async (at: number, env: Record<string, string> = {}, user = {}) => {
    const settings = {
      PORT: String(at),
      HOST: '127.0.0.1',
      PUBLIC_URL: url,
      DATABASE_URL: options.runsAs ? as(database.url, options.runsAs) : database.url,
      ...(options.runsAs && { DATABASE_OWNER_URL: database.url }),
      UPSTREAM_URL: upstream.url,
      UPSTREAM_API_KEY: upstream.key,
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_NETWORK_ID: 'profile_test_sluice',
      STRIPE_API_BASE: `http://127.0.0.1:${sandboxPort}`,
      ...(options.catalog && {
        CATALOG: fileURLToPath(new URL(`../fixtures/${options.catalog}`, import.meta.url)),
      }),
      ...options.env,
      ...env,
    };
    const storefront = await Program.start('src/main.ts', settings, undefined, user);
    storefronts.push(storefront);
    return `http://127.0.0.1:${at}`;
  };
  const startSandbox = async () => {
    programs.push(
      await Program.start('packages/stripe-sandbox/src/main.ts', {
        SANDBOX_PORT: String(sandboxPort),
        SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/stripe`,
        SANDBOX_WEBHOOK_SECRET: webhookSecret,
      }),
    );
  };
  const startDirect = async () => {
    const { url, program } = await startDataApi(database.url);
    programs.push(program);
    return { url, key: directKey };
  };
  const stop = async () => {
    await Promise.all(storefronts.map((storefront) => storefront.stop()));
    await Promise.all(programs.map((program) => program.stop()));
    await sql.end({ timeout: 1 });
    await database.drop();
  };
  const sql = postgres(database.url, {
    max: 2,
    onnotice: () => {},
    types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
  });
  const [upstream] = await Promise.all([options.upstream ?? startDirect(), startSandbox()]);
  await addStorefront(port);
  if (options.env?.SMTP_URL) Mailbox.watch(options.env.SMTP_URL, sql as unknown as postgres.Sql);
  return {
    url,
    sandboxUrl,
    upstream,
    databaseUrl: database.url,
    sql: sql as unknown as postgres.Sql,
    storefronts,
    addStorefront: async (env, user) => addStorefront(await Program.freePort(), env, user),
    stop,
  };
}

/** A database of its own; for a shop of the bundled data API one that already has its sample, whose load takes longer than all else of a start. */
function databaseFor({ server, upstream }: Options): Promise<Database> {
  if (server) return createDatabase(server);
  return upstream ? createMigrated() : createFilled(loadSample);
}

async function loadSample(databaseUrl: string): Promise<void> {
  const { program } = await startDataApi(databaseUrl);
  await program.stop();
}

async function startDataApi(databaseUrl: string): Promise<{ url: string; program: Program.Program }> {
  const port = await Program.freePort();
  const program = await Program.start('packages/data-api/src/main.ts', {
    DIRECT_PORT: String(port),
    DIRECT_API_KEY: directKey,
    DIRECT_SAMPLE_SCALE: '0.1',
    DATABASE_URL: databaseUrl,
  });
  return { url: `http://127.0.0.1:${port}`, program };
}

function as(url: string, { role, password }: { role: string; password: string }): string {
  const address = new URL(url);
  [address.username, address.password] = [role, password];
  return address.href;
}

/** Returns every inconsistency of the ledger that `ledger.verify()` finds. */
export async function breaches({ sql }: Pick<Shop, 'sql'>): Promise<unknown[]> {
  return [...(await sql`SELECT * FROM ledger.verify()`)];
}

/** Returns every row of an account whose id or digest does not carry the slot of the account, as long as no accounts were joined. */
export async function strays({ sql }: Pick<Shop, 'sql'>): Promise<unknown[]> {
  return [
    ...(await sql`SELECT kind, id, account_id FROM (
        SELECT 'key' AS kind, id, account_id, substr(id, 5, 2) AS slot FROM shop.key
        UNION ALL SELECT 'key digest', id, account_id, left(digest, 2) FROM shop.key
        UNION ALL SELECT 'purchase', id, account_id, substr(id, 5, 2) FROM shop.purchase WHERE account_id IS NOT NULL AND rail <> 'invoice'
        UNION ALL SELECT 'session', sid, account_id, substr(sid, 5, 2) FROM shop.oauth_grant
        UNION ALL SELECT 'code digest', sid, account_id, left(c.digest, 2) FROM shop.oauth_code c JOIN shop.oauth_grant USING (sid)
        UNION ALL SELECT 'refresh token digest', sid, account_id, left(t.digest, 2) FROM shop.oauth_refresh_token t JOIN shop.oauth_grant USING (sid)
        UNION ALL SELECT 'revocation', id, account_id, substr(split_part(id, '_', 2), 1, 2) FROM shop.revocation WHERE account_id IS NOT NULL
        UNION ALL SELECT 'call', call_id::text, account_id, right(call_id::text, 2) FROM ledger.usage
        UNION ALL SELECT 'job', call_id::text, account_id, right(call_id::text, 2) FROM ledger.job
        UNION ALL SELECT 'end of a job', end_call_id::text, account_id, right(end_call_id::text, 2) FROM ledger.job WHERE end_call_id IS NOT NULL
      ) rows WHERE slot <> substr(account_id, 5, 2)`),
  ];
}
