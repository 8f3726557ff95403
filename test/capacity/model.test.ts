import { describe, expect, test } from 'vitest';
import { forecast, type Layout, simulate } from '../../bench/cells/model.ts';
import { costs } from '../../bench/cells/simulate.ts';

const large: Layout = { callsPerSecond: 1_000_000, cells: 50, processes: 200, cellsEach: 1, coresOfCell: 16 };
const shareOf = (layout: Layout, resource: string) =>
  forecast(costs, layout, 0.3).uses.find((use) => use.resource === resource)?.share ?? Number.NaN;

describe('the simulation of cells', () => {
  test('loses no call, and gives the same figures again', () => {
    for (const [lanes, callsPerSecond] of [
      [1, 2_000],
      [4, 20_000],
      [200, 20_000],
    ] as const) {
      const once = simulate(costs, { lanes, callsPerSecond, cores: 16 }, 0.5);
      expect(once).toEqual(simulate(costs, { lanes, callsPerSecond, cores: 16 }, 0.5));
      const settled = once.rows * once.batchesPerSecond;
      expect(settled / callsPerSecond, `${lanes} lanes`).toBeGreaterThan(0.95);
      expect(settled / callsPerSecond, `${lanes} lanes`).toBeLessThan(1.05);
    }
  });

  test('never commits faster than the flush allows, and a call waits for at least one flush', () => {
    const { batchesPerSecond, flushesPerSecond, p50 } = simulate(
      costs,
      { lanes: 3, callsPerSecond: 30_000, cores: 16 },
      2,
    );
    expect(flushesPerSecond).toBeLessThanOrEqual(1_000 / costs.flushMs);
    expect(batchesPerSecond).toBeLessThanOrEqual(3 * flushesPerSecond);
    expect(p50).toBeGreaterThan(costs.flushMs);
  });

  test('more cores never slow it down, and too few of them queue its batches', () => {
    const at = (cores: number) => simulate(costs, { lanes: 64, callsPerSecond: 20_000, cores }, 1);
    expect(at(16).p50).toBeLessThan(at(4).p50);
    expect(at(1).rows).toBeGreaterThan(at(16).rows);
  });

  test('costs what was measured for batches of the measured sizes, within a third', () => {
    // Microseconds of a call in Node's ledger and in PostgreSQL, by calls a batch: docs/capacity.md, "Measured".
    for (const [rows, nodeUs, postgresUs] of [
      [2.93, 63.5, 186],
      [6.17, 38.5, 90],
      [9.49, 25.6, 71],
    ] as const) {
      const ledgerUs = 7 + costs.gatewayBatchUs / rows;
      const databaseUs = costs.databaseCallUs + costs.databaseBatchUs / rows;
      expect(Math.abs(ledgerUs / nodeUs - 1), `Node, ${rows}`).toBeLessThan(1 / 3);
      expect(Math.abs(databaseUs / postgresUs - 1), `PostgreSQL, ${rows}`).toBeLessThan(1 / 3);
    }
  });

  test('processes that serve every cell fill no batches, and give way first to their connections', () => {
    const all = { ...large, cellsEach: large.cells };
    const [first] = forecast(costs, all, 0.3).uses;
    expect(first).toMatchObject({ resource: 'connections of a cell' });
    expect(shareOf(all, 'cores of a cell')).toBeGreaterThan(4 * shareOf(large, 'cores of a cell'));
    expect(forecast(costs, large, 0.3).uses.every(({ share }) => share <= 1)).toBe(true);
  });
});
