import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { run } from './run.ts';

test('two gateways are replaced in turn under load, streams included: no caller sees an error, and only what was delivered is charged', async () => {
  const database = await createDatabase();
  const report = await run({ databaseUrl: database.url, rounds: 2, rate: 200, streams: 10, drainSeconds: 3 });
  await database.drop();
  expect(report.errors).toEqual([]);
  expect(report).toMatchObject({
    replacements: 4,
    exits: [],
    faults: [],
    breaches: [],
    charged: report.cost,
  });
  expect(report.calls).toBeGreaterThan(2_000);
  expect(report.streams).toBeGreaterThan(30);
}, 300_000);
