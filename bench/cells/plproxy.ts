import postgres from 'postgres';
import type { Cluster, Clusters } from './clusters.ts';
import * as Measure from './measure.ts';
import * as Table from './table.ts';

const accountsMax = 1_000;
const callerCounts = [1, 64];
const warmUpSeconds = 2;
/** The functions that a ledger writer calls. */
const called = ['open_writer', 'batch', 'close_writer', 'credit_undelivered', 'send_notices'];

/**
 * Measures one ledger writer on a cell directly, and through a PostgreSQL whose functions PL/Proxy forwards to the same cluster. A batch never
 * spans cells, so every call goes to one partition in both cases. Without fsync, because a wait for the disk would hide the difference.
 */
export async function plproxy(clusters: Clusters, rounds: number, seconds: number): Promise<string[]> {
  const cell = await clusters.start('cell', false);
  const proxy = await clusters.start('proxy', false);
  const subjects = [];
  for (const name of ['direct', 'proxied']) {
    const { urls, accounts } = await Measure.cells([cell], name, accountsMax);
    const isProxied = name === 'proxied';
    if (isProxied) urls[0] = await forward(proxy, cell, urls[0] ?? '');
    const own = isProxied ? [cell, proxy] : [cell];
    subjects.push({ name, subject: await Measure.start({ urls, name, accounts }, own, clusters.dir) });
  }
  const taken = new Map<string, Measure.Sample[]>();
  for (const { subject } of subjects) await Measure.sample(subject, { callers: 64, seconds: warmUpSeconds });
  for (let round = 0; round < rounds; round++)
    for (const callers of callerCounts)
      for (const { name, subject } of subjects) {
        await Measure.sample(subject, { callers, seconds: 1 });
        const key = `${callers} ${name}`;
        taken.set(key, [...(taken.get(key) ?? []), await Measure.sample(subject, { callers, seconds })]);
      }
  for (const { subject } of subjects) await subject.stop();
  const of = (callers: number, name: string) => taken.get(`${callers} ${name}`) ?? [];
  const rows = callerCounts.flatMap((callers) => {
    const [direct, proxied] = [of(callers, 'direct'), of(callers, 'proxied')];
    return [
      [`${callers} callers, directly`, ...Table.columns(direct), '1', '1'],
      [
        `${callers} callers, PL/Proxy`,
        ...Table.columns(proxied),
        Table.ratio(proxied, direct, ({ postgresUs }) => postgresUs),
        Table.ratio(proxied, direct, ({ p50 }) => p50),
      ],
    ];
  });
  return [
    'One ledger writer on one cell',
    ...Table.table(rows, ['PostgreSQL, times direct', 'p50, times direct']),
  ];
}

/** Creates a database in `proxy` whose functions PL/Proxy runs in the database at `url`. */
async function forward(proxy: Cluster, cell: Cluster, url: string): Promise<string> {
  const origin = postgres(url, { max: 1, onnotice: () => {} });
  const functions = await origin<{ name: string; parameters: string; result: string }[]>`
    SELECT proname AS name, pg_get_function_arguments(oid) AS parameters, pg_get_function_result(oid) AS result
      FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace AND proname IN ${origin(called)}`;
  await origin.end();
  const forwarding = await proxy.createDatabase('forwarding');
  const sql = postgres(forwarding, { max: 1, onnotice: () => {} });
  const database = new URL(url).pathname.slice(1);
  await sql.unsafe(`CREATE EXTENSION plproxy;
    CREATE SCHEMA ledger;
    CREATE SERVER shop FOREIGN DATA WRAPPER plproxy OPTIONS (p0 'dbname=${database} host=127.0.0.1 port=${cell.port}');
    CREATE USER MAPPING FOR postgres SERVER shop OPTIONS (user 'postgres');`);
  for (const { name, parameters, result } of functions)
    await sql.unsafe(`CREATE FUNCTION ledger.${name}(${parameters}) RETURNS ${result} LANGUAGE plproxy AS $$
      CLUSTER 'shop';
      RUN ON 0;
    $$`);
  await sql.end();
  return forwarding;
}
