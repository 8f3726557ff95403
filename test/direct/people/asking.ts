import { companies } from '../../../src/direct/adapters/companies.ts';
import { contacts } from '../../../src/direct/adapters/contacts.ts';
import { jobs } from '../../../src/direct/adapters/jobs.ts';
import { people } from '../../../src/direct/adapters/people.ts';
import type { DataSet, Operation } from '../../../src/direct/operation.ts';
import type { Body, House } from '../house.ts';

/** The first generation of the house. */
export const generation = 1;

/** Asks an operation of one's own making, such as one with a low ceiling, of what the house holds. */
export async function asker(house: House, operation: Operation) {
  const data: DataSet = {
    generation,
    cursorSecret: 'a secret of this test',
    companies: companies(house.sql, generation),
    people: people(house.sql, generation),
    jobs: jobs(house.sql, generation),
    contacts: contacts(house.sql, generation),
  };
  const key = await house.keyOf(house.key);
  return async (body: object): Promise<Body> => {
    const prepared = operation.prepare(body, { key, nowMs: house.clock.nowMs, data, apis: [] });
    if (prepared.kind !== 'ready') throw new Error(JSON.stringify(prepared.faults));
    return (await prepared.run(prepared.recordsMax)).body;
  };
}
