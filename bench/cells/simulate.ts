import { table } from '../paid-call/part.ts';
import { type Costs, forecast, type Layout } from './model.ts';

/**
 * The costs of a call and of a batch: those of a call from docs/performance.md, those of a batch fitted to `--only routing` on a loaded machine,
 * which is careful (a quiet one takes 180 instead of 500 µs in PostgreSQL). The flush is assumed.
 */
export const costs: Costs = {
  gatewayCallUs: 73,
  gatewayBatchUs: 170,
  databaseBatchUs: 500,
  databaseCallUs: 12,
  flushMs: 2,
  usageBytes: 229,
  logBytes: 300,
  logBatchBytes: 600,
};

const cellCores = 16;
const small = 100_000;
const large = 1_000_000;
const layouts: readonly Layout[] = [
  layout(small, 1, 16, 1),
  layout(small, 5, 20, 5),
  layout(small, 5, 20, 1),
  layout(large, 10, 200, 10),
  layout(large, 50, 200, 50),
  layout(large, 50, 200, 4),
  layout(large, 50, 200, 1),
];

function layout(callsPerSecond: number, cells: number, processes: number, cellsEach: number): Layout {
  return { callsPerSecond, cells, processes, cellsEach, coresOfCell: cellCores };
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Prints the forecast of each layout. */
export function simulate(): string[] {
  const rows = layouts.map((one) => {
    const {
      rows: batch,
      batchesPerSecond,
      p50,
      p99,
      gatewayCores,
      databaseCores,
      uses,
    } = forecast(costs, one);
    const [first, second] = uses;
    return [
      `${one.callsPerSecond.toLocaleString('en')} calls/s, ${one.cells} cells, ${one.processes} processes with ${one.cellsEach} each`,
      batch.toFixed(1),
      batchesPerSecond.toFixed(0),
      gatewayCores.toFixed(1),
      (databaseCores * one.cells).toFixed(1),
      p50.toFixed(1),
      p99.toFixed(1),
      `${first?.resource} ${percent(first?.share ?? 0)}`,
      `${second?.resource} ${percent(second?.share ?? 0)}`,
    ];
  });
  const head = [
    'simulated',
    'calls a batch',
    'batches/s and cell',
    'gateway cores',
    'database cores',
    'p50 ms',
    'p99 ms',
    'gives way first',
    'and then',
  ];
  return ['Simulated, 100 % is the limit of a resource', ...table([head, ...rows])];
}
