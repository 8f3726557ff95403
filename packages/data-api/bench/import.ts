import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as ScratchPostgres from '../../../bench/scratch-postgres.ts';
import * as DataSets from '../src/commands/data-sets.ts';
import * as Sample from '../src/data/sample.ts';
import * as BadRows from '../src/import/bad-rows.ts';
import * as DataFile from '../src/import/data-file.ts';
import * as Export from '../src/import/export.ts';
import * as Import from '../src/import/import.ts';
import * as CpuTime from './cpu-time.ts';

const help = `Measures an import of JSONL files by stage: rows per second, and CPU seconds per 100,000 rows in Node and PostgreSQL.

  node packages/data-api/bench/import.ts                 40,000 companies, 200,000 people and 200,000 jobs

  --companies N --people N --jobs N     number of generated rows; emails and phones depend on them
  --from FOLDER         imports these files instead of generated ones
  --json                prints the report as JSON

PostgreSQL's CPU time is read from /proc, so it needs Linux and a database on this machine.`;

const { values } = parseArgs({
  options: {
    companies: { type: 'string', default: '40000' },
    people: { type: 'string', default: '200000' },
    jobs: { type: 'string', default: '200000' },
    from: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false, short: 'h' },
  },
});

/** One stage of an import. CPU times are in seconds; that of PostgreSQL includes indexes that are built meanwhile. */
type Stage = { name: string; rows: number; seconds: number; nodeSeconds: number; postgresSeconds: number };

if (values.help) console.log(help);
else await run();

async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-import-'));
  const scratch = await ScratchPostgres.start(join(folder, 'postgres'));
  try {
    const files = values.from ?? (await generated(join(folder, 'files')));
    const stages = await measured(scratch.url, files);
    const machine = `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`;
    console.log(values.json ? JSON.stringify({ machine, stages }) : report(machine, stages));
  } finally {
    await scratch.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function generated(folder: string): Promise<string> {
  const dayMs = 86_400_000;
  const sample = Sample.generate({
    seed: Sample.seed,
    todayMs: Math.floor(Date.now() / dayMs) * dayMs,
    companies: Number(values.companies),
    people: Number(values.people),
    jobs: Number(values.jobs),
  });
  await Export.write(sample, folder, { format: 'jsonl', gzip: false }, () => {});
  return folder;
}

async function measured(databaseUrl: string, folder: string): Promise<Stage[]> {
  const { files } = await DataFile.find([folder], {});
  const { sql, dataSets, close } = await DataSets.at(databaseUrl);
  const stages: Stage[] = [];
  try {
    const meter = await CpuTime.meter(sql);
    let current: Stage | null = null;
    let since = meter.read();
    const next = (name: string | null) => {
      const now = meter.read();
      if (current !== null)
        stages.push({
          ...current,
          seconds: now.wall - since.wall,
          nodeSeconds: now.node - since.node,
          postgresSeconds: now.postgres - since.postgres,
        });
      since = now;
      current = name === null ? null : { name, rows: 0, seconds: 0, nodeSeconds: 0, postgresSeconds: 0 };
    };
    const outcome = await Import.run({
      files,
      limit: BadRows.limitDefault,
      dataSets,
      signal: new AbortController().signal,
      listener: {
        file: ({ kind }) => next(kind),
        read: () => {},
        row() {
          if (current !== null) current.rows++;
        },
        bad: ({ faults }) => {
          throw new Error(`a generated row is invalid: ${JSON.stringify(faults)}`);
        },
      },
      stage: (name) => next(name),
    });
    next(null);
    if (outcome.kind !== 'loaded') throw new Error(`the import ended as ${outcome.kind}`);
    return stages;
  } finally {
    await close();
  }
}

function report(machine: string, stages: readonly Stage[]): string {
  const sum = (pick: (stage: Stage) => number) => stages.reduce((total, stage) => total + pick(stage), 0);
  const all: Stage = {
    name: 'all',
    rows: sum(({ rows }) => rows),
    seconds: sum(({ seconds }) => seconds),
    nodeSeconds: sum(({ nodeSeconds }) => nodeSeconds),
    postgresSeconds: sum(({ postgresSeconds }) => postgresSeconds),
  };
  const head = ['', 'rows', 'seconds', 'rows/s', 'Node CPU s', 'per 100k', 'PostgreSQL CPU s', 'per 100k'];
  const lines = [...stages, all].map(({ name, rows, seconds, nodeSeconds, postgresSeconds }) => [
    name,
    rows === 0 ? '' : String(rows),
    seconds.toFixed(1),
    rows === 0 ? '' : String(Math.round(rows / seconds)),
    nodeSeconds.toFixed(1),
    rows === 0 ? '' : ((nodeSeconds / rows) * 100_000).toFixed(2),
    postgresSeconds.toFixed(1),
    rows === 0 ? '' : ((postgresSeconds / rows) * 100_000).toFixed(2),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...lines].map((cells) => cells[at]?.length ?? 0)));
  const rows = [head, ...lines].map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  return [machine, ...rows].join('\n');
}
