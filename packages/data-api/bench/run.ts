import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as ScratchPostgres from '../../../bench/scratch-postgres.ts';
import * as Database from '../src/adapters/database.ts';
import type * as Sample from '../src/data/sample.ts';
import * as DataSet from './data-set.ts';
import * as Explain from './explain.ts';
import * as Measure from './measure.ts';
import * as Program from './program.ts';
import { queries as companies } from './queries/companies.ts';
import { queries as jobs } from './queries/jobs.ts';
import { queries as lookups } from './queries/lookups.ts';
import { queries as markets } from './queries/markets.ts';
import { queries as oneCompany } from './queries/one-company.ts';
import { queries as people } from './queries/people.ts';
import * as Report from './report.ts';

const help = `Measures the queries of the data API and compares each with plain SQL on the same tables.

  node packages/data-api/bench/run.ts --companies 20000 --people 100000 --jobs 100000     a small data set

  --companies N --people N --jobs N     size of the data set (default: 200000, 1000000 and 1000000)
  --database-url URL    an empty PostgreSQL database, or one with this data set (default: a temporary one)
  --keep                keeps the temporary database for the next run with the same sizes
  --rounds N            each round sends 5 requests to the API and 1 plain statement per query (default: 20)
  --only TEXT           only queries whose names start with TEXT
  --explain             adds the query plans of queries above the target; only with a temporary database
  --json                prints the report as JSON

Exit code: 0, or 1 if a result is missing or differs from that of plain SQL.`;

const { values } = parseArgs({
  options: {
    companies: { type: 'string', default: '200000' },
    people: { type: 'string', default: '1000000' },
    jobs: { type: 'string', default: '1000000' },
    'database-url': { type: 'string' },
    keep: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    explain: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false, short: 'h' },
  },
});

/** Number of fresh processes, to measure first requests. */
const firstTimes = 3;
const connectionsMax = 8;
const statementTimeoutMs = 600_000;

if (values.help) console.log(help);
else process.exitCode = await run();

async function run(): Promise<number> {
  const sizes = {
    companies: count('companies', values.companies),
    people: count('people', values.people),
    jobs: count('jobs', values.jobs),
  };
  const given = values['database-url'];
  const folder = join(tmpdir(), `sluice-bench-direct-${Object.values(sizes).join('-')}`);
  const scratch = given === undefined ? await ScratchPostgres.start(folder) : null;
  try {
    const report = await measure(given ?? scratch?.url ?? '', sizes, scratch?.logFile ?? null);
    console.log(values.json ? JSON.stringify(report, null, 2) : Report.text(report));
    return report.lines.some(({ differs }) => differs !== null) ? 1 : 0;
  } finally {
    await (values.keep ? scratch?.stop() : scratch?.remove());
  }
}

async function measure(
  databaseUrl: string,
  sizes: Sample.Sizes,
  logFile: string | null,
): Promise<Report.Report> {
  const rounds = count('rounds', values.rounds);
  const sql = Database.openPool(databaseUrl, { connectionsMax, statementTimeoutMs });
  try {
    const data = await DataSet.prepare(sql, sizes, tell);
    const [server] = await sql<{ version: string; memory: string }[]>`
      select current_setting('server_version') as version, current_setting('shared_buffers') as memory`;
    const before = loadavg()[0] ?? 0;
    const times = await timesOf(databaseUrl, sql, data.version, rounds);
    const lines = [...times].map(([benchCase, each]) => Report.lineOf(benchCase, each));
    if (values.explain && logFile !== null) {
      const slow = [...times.keys()].filter((_, index) => Report.isSlow(lines[index] as Report.Line));
      tell(`explaining ${slow.length} queries`);
      const plans = await Explain.plans(databaseUrl, logFile, slow);
      for (const line of lines) line.plans = plans.get(line.name) ?? [];
    }
    const machine = {
      Node: process.version,
      PostgreSQL: server?.version ?? '',
      shared_buffers: server?.memory ?? '',
      cores: cpus().length,
      'load before': before.toFixed(1),
      'load after': (loadavg()[0] ?? 0).toFixed(1),
      rounds,
    };
    return { machine, data, lines, totals: Report.totalsOf(lines) };
  } finally {
    await sql.end();
  }
}

async function timesOf(databaseUrl: string, sql: Database.Sql, version: number, rounds: number) {
  const chosen = [...people, ...companies, ...jobs, ...markets, ...oneCompany, ...lookups].filter(
    ({ name }) => name.startsWith(values.only),
  );
  const warm = await Program.start(databaseUrl);
  try {
    tell(`comparing ${chosen.length} queries`);
    const cases: Measure.BenchCase[] = [];
    for (const query of chosen) cases.push(await Measure.prepareCase(warm, sql, version, query));
    const times = await Measure.inTurn(warm, sql, cases, rounds, tell);
    for (let time = 1; time <= firstTimes; time++) {
      tell(`first time ${time} of ${firstTimes}`);
      const fresh = await Program.start(databaseUrl);
      await Measure.first(fresh, times).finally(() => fresh.stop());
    }
    return times;
  } finally {
    await warm.stop();
  }
}

function tell(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

function count(option: string, text: string): number {
  const number = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${option} is a whole number above 0`);
  return number;
}
