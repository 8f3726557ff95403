import { expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import * as JobWatch from '../../src/journeys/job-watch.ts';
import type { PaidCallContext } from '../../src/journeys/paid-call-context.ts';
import * as WithheldLimit from '../../src/journeys/withheld-limit.ts';
import type { DueJob } from '../../src/ledger/jobs.ts';
import { WithheldCalls } from '../../src/proxy/withheld-calls.ts';

const starting = {
  ...{ id: 'start', method: 'POST', path: '/v1/jobs', service: { price: 10_000 }, uncountable: 'withhold' },
  ...{ units: { kind: 'pointer', pointer: ['units'] }, unitsMax: { kind: 'fixed', units: 9 } },
  job: {
    poll: '/v1/jobs/{id}',
    done: { pointer: ['status'], values: ['done'] },
    failed: null,
    unended: 'free',
  },
} as unknown as Operation;
const call = { account: 'acc_1', operation: starting } as PaidCall;

/** A process that lets one withheld response pass. `ends` settles a job of which a poll shows this. */
function opened(operation = starting) {
  const withheld = new WithheldCalls(() => 1_000_000, 1);
  let due: DueJob[] = [];
  let body = '';
  let settled = 'ended';
  const shop = {
    ...{ withheld, clock: () => 1_000_000, report() {}, uncountable() {} },
    catalog: { operations: [operation], upstream: { mount: '' } },
    jobs: { due: async () => due.splice(0), end: async () => settled },
    upstream: {
      send: () => ({
        response: Promise.resolve({ kind: 'whole', status: 200, headers: [], body: Buffer.from(body) }),
      }),
    },
  } as unknown as PaidCallContext;
  return {
    shop,
    async ends(shown: string, { isExpired = false, repeated = false } = {}) {
      body = shown;
      settled = repeated ? 'repeated' : 'ended';
      due = [
        {
          ...{ callId: '019ac900-0000-7000-8000-000000000000', account: 'acc_1', operation: 'start' },
          ...{ id: 'job', prices: null, isExpired, isOverdue: isExpired },
        },
      ];
      await JobWatch.settleDue(shop);
    },
    wait: () => withheld.take('acc_1', 'start'),
  };
}

test('a job whose end cannot be counted makes the next one wait, until one is paid', async () => {
  const { shop, ends, wait } = opened();
  await ends('{"status":"done","units":"many"}');
  expect(wait()).toBe(60);
  // The start of a job is charged, but shows nothing of its end.
  WithheldLimit.counted(shop, call, { kind: 'served', units: 9 } as never);
  expect(wait()).toBe(60);
  await ends('{"status":"done","units":3}');
  expect(wait()).toBe(0);
});

test('a job whose state cannot be read until its time is over counts too', async () => {
  const { ends, wait } = opened();
  await ends('no JSON', { isExpired: true });
  expect(wait()).toBe(60);
});

test('an end that several polls see counts once, whether it is paid or cannot be counted', async () => {
  const { ends, wait } = opened();
  await ends('{"status":"done","units":"many"}', { repeated: true });
  expect(wait()).toBe(0);
  await ends('{"status":"done","units":"many"}');
  await ends('{"status":"done","units":3}', { repeated: true });
  expect(wait()).toBe(60);
});

test('a job that costs nothing by its rule does not count', async () => {
  const { ends, wait } = opened();
  await ends('{"status":"queued"}', { isExpired: true });
  expect(wait()).toBe(0);
  const free = opened({ ...starting, uncountable: 'free' });
  await free.ends('{"status":"done","units":"many"}');
  expect(free.wait()).toBe(0);
});
