import { operationKey } from '@sluice/kernel/operation-key';
import type { Catalog } from './catalog.ts';
import type { Description } from './description.ts';
import type { Operation } from './operation.ts';

/** Number of units that an example asks for: a small number makes a trial last longer. */
const exampleUnits = 3;

/** Returns the operation to show as an example: the first that the upstream serves. Throws when the catalogue sells nothing. */
export function exampleOperation({ operations }: Pick<Catalog, 'operations'>): Operation {
  const operation = operations.find(({ answeredBy }) => answeredBy === 'upstream') ?? operations[0];
  if (operation === undefined) throw new Error('the catalogue sells nothing');
  return operation;
}

/** Returns the example body of an operation's description; undefined when it has none. */
export function describedBody({ method, path }: Operation, description: Description): unknown {
  return description.get(operationKey(method, path))?.example;
}

/** Returns the example body with few units, as text; empty for GET. */
export function smallBody(operation: Operation, description: Description): string {
  if (operation.method === 'GET') return '';
  const body = Object(describedBody(operation, description));
  return JSON.stringify(withFewUnits(operation, body), null, 2);
}

/** Returns a body that asks for few units, and never for more than `left`, where a member of it states their number. */
export function withFewUnits({ unitsMax }: Operation, body: unknown, left = 0): unknown {
  const [limit, ...deeper] = unitsMax.kind === 'pointer' ? unitsMax.pointer : [];
  if (limit === undefined || deeper.length > 0 || typeof body !== 'object' || body === null) return body;
  const given = Number(Object(body)[limit] ?? exampleUnits);
  return { ...body, [limit]: Math.min(given, exampleUnits, left > 0 ? left : exampleUnits) };
}
