import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as Database from '../../src/direct/adapters/database.ts';
import type * as Sample from '../../src/direct/data/sample.ts';
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
import * as ScratchPostgres from './scratch-postgres.ts';

const help = `Measures the direct data interface, query by query, beside plain SQL against the same tables.

  node bench/direct/run.ts --companies 20000 --people 100000 --jobs 100000     a smaller one than the default

  --companies N --people N --jobs N     200000, 1000000 and 1000000 unless said otherwise
  --database-url URL    an empty PostgreSQL database, or one with this data set; else one is made for this
  --keep                leaves the database that was made for this, for the next run of the same sizes
  --rounds N            5 questions to the interface and 1 to plain SQL each; 20 unless said otherwise
  --only TEXT           the queries whose name begins so
  --explain             adds what PostgreSQL did for the queries above the aim; in a database made for this only
  --json                the report for programs

Exit code: 0, or 1 where an answer is missing or differs from that of plain SQL.`;

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

/** Processes that are asked everything for the first time. */
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
  const sql = Database.open(databaseUrl, { connectionsMax, statementTimeoutMs });
  try {
    const data = await DataSet.prepare(sql, sizes, tell);
    const [server] = await sql<{ version: string; memory: string }[]>`
      select current_setting('server_version') as version, current_setting('shared_buffers') as memory`;
    const before = loadavg()[0] ?? 0;
    const times = await timesOf(databaseUrl, sql, data.generation, rounds);
    const lines = [...times].map(([stand, each]) => Report.lineOf(stand, each));
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

async function timesOf(databaseUrl: string, sql: Database.Sql, generation: number, rounds: number) {
  const chosen = [...people, ...companies, ...jobs, ...markets, ...oneCompany, ...lookups].filter(
    ({ name }) => name.startsWith(values.only),
  );
  const warm = await Program.start(databaseUrl);
  try {
    tell(`comparing ${chosen.length} queries`);
    const stands: Measure.Stand[] = [];
    for (const query of chosen) stands.push(await Measure.stand(warm, sql, generation, query));
    const times = await Measure.inTurn(warm, sql, stands, rounds, tell);
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
