import * as RequestTarget from '@sluice/kernel/request-target';
import { expect, test } from 'vitest';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import * as JobWatch from '../../src/journeys/job-watch.ts';
import type { PaidCallContext } from '../../src/journeys/paid-call-context.ts';
import type { Outbound } from '../../src/proxy/upstream.ts';

const starting = {
  id: 'start',
  method: 'POST',
  path: '/v1/jobs',
  service: {},
  units: {},
  job: { poll: '/v1/jobs/{id}' },
};

/** Settles what a call names, in a shop with or without jobs. Returns the ids that were looked for, and the requests to the upstream. */
async function named(
  method: string,
  path: string,
  target: string,
  operations: readonly object[] = [starting],
) {
  const asked: string[] = [];
  const sent: Outbound[] = [];
  const job = {
    callId: 'call',
    account: 'acc_1',
    operation: 'start',
    id: 'job',
    isExpired: false,
    isOverdue: false,
  };
  const shop = {
    catalog: { operations, upstream: { mount: '' } },
    jobs: {
      named: async (_account: string, _operations: readonly string[], ids: readonly string[]) => {
        asked.push(...ids);
        return ids.includes('job') ? [job] : [];
      },
    },
    upstream: {
      send: (outbound: Outbound) => {
        sent.push(outbound);
        return { response: Promise.resolve({ kind: 'whole', status: 404 }) };
      },
    },
  } as unknown as PaidCallContext;
  const call = { operation: { method, path }, account: 'acc_1', target: RequestTarget.parse(target) };
  expect(await JobWatch.settleNamed(shop, call as unknown as PaidCall)).toBeNull();
  return { asked, sent };
}

test.each([
  ['DELETE', '/v1/jobs/{id}', '/v1/jobs/job'],
  ['DELETE', '/v1/jobs/{id}', '/v1/jobs/%6Aob'],
  ['DELETE', '/v1/jobs/{id}', '/v1/jobs/job;v=1'],
  ['POST', '/v1/jobs/{id}:cancel', '/v1/jobs/job:cancel'],
  ['DELETE', '/v1/jobs/{id}.json', '/v1/jobs/job.json'],
  ['DELETE', '/v1/jobs', '/v1/jobs?id=job'],
])('the job that %s %s names as %s is looked at before the call', async (method, path, target) => {
  const { sent } = await named(method, path, target);
  expect(sent).toHaveLength(1);
});

test('a look that a call causes takes no connection that the looks at the jobs of others need', async () => {
  const { sent } = await named('DELETE', '/v1/jobs/{id}', '/v1/jobs/job');
  expect(sent.map(({ share }) => share)).toEqual(['jobs of acc_1']);
});

test('no job is looked for where none is started, and for a call that names none', async () => {
  expect((await named('DELETE', '/v1/jobs/{id}', '/v1/jobs/job', [])).asked).toEqual([]);
  expect((await named('POST', '/v1/jobs', '/v1/jobs')).asked).toEqual([]);
  expect((await named('GET', '/v1/jobs/{id}', '/v1/jobs/job')).asked).toEqual([]);
});
