import { operationKey } from '@sluice/kernel/operation-key';
import type { Catalog } from './catalog.ts';
import type { Description } from './description.ts';
import type { Operation } from './operation.ts';

/** Number of units that an example asks for, where the request has a field for it: a small number makes a trial last longer. */
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

/** Returns the example body with a small limit, as text; empty for GET. */
export function smallBody(operation: Operation, description: Description): string {
  if (operation.method === 'GET') return '';
  const { unitsMax } = operation;
  const [limit, ...deeper] = unitsMax.kind === 'pointer' ? unitsMax.pointer : [];
  const few = limit !== undefined && deeper.length === 0 && { [limit]: exampleUnits };
  return JSON.stringify({ ...Object(describedBody(operation, description)), ...few }, null, 2);
}
