import { companies } from '../../src/adapters/companies.ts';
import { contacts } from '../../src/adapters/contacts.ts';
import { jobs } from '../../src/adapters/jobs.ts';
import { people } from '../../src/adapters/people.ts';
import type { DataSet, Operation } from '../../src/operation.ts';
import type { Body, SampleService } from '../support/sample-service.ts';

/** The data-set version of the test service. */
export const version = 1;

/** Calls an operation directly, such as one with a lower limit than the real one, on the data of the test service. */
export async function asker(service: SampleService, operation: Operation) {
  const data: DataSet = {
    version,
    cursorSecret: 'a secret of this test',
    isFictional: true,
    largeSearches: null,
    companies: companies(service.sql, version),
    people: people(service.sql, version),
    jobs: jobs(service.sql, version),
    contacts: contacts(service.sql, version),
  };
  const key = await service.keyOf(service.key);
  return async (body: object): Promise<Body> => {
    const call = { requestId: 'req_test', key, nowMs: service.clock.nowMs, data, live: null, apis: [] };
    const prepared = operation.prepare(body, call);
    if (prepared.kind !== 'ready') throw new Error(JSON.stringify(prepared));
    return (await prepared.run(prepared.recordsMax)).body;
  };
}
