import * as Schema from '../advisor/schema.ts';
import * as Components from './components.ts';

/** One operation, serialised once. */
export type Entry = {
  at: number;
  /** The operationId, unique in the shop. */
  id: string;
  method: string;
  path: string;
  summary: string;
  /** The slug of the service that it belongs to; null for the storefront's own. */
  service: string | null;
  tag: string;
  json: string;
  bytes: number;
  /** The components that it needs, and those that they need. */
  refs: ReadonlySet<string>;
  operation: Schema.Node;
};

/** An operation before it has a place; `refs` are the components that it names itself. */
export type Draft = Pick<Entry, 'method' | 'path' | 'service' | 'tag' | 'operation' | 'refs'>;

/** Gives an operation its place, a name of its own among `ids`, and its JSON. */
export function of(draft: Draft, at: number, components: Components.Components, ids: Set<string>): Entry {
  const id = freeId(draft, ids);
  const operation: Schema.Node = { ...draft.operation, operationId: id };
  const json = JSON.stringify(operation);
  return {
    ...draft,
    at,
    id,
    operation,
    summary: Schema.text(operation.summary),
    json,
    bytes: Buffer.byteLength(json),
    refs: Components.closure(components, [...draft.refs, ...schemes(operation)]),
  };
}

/** The operationId that was given, or one made of method and path; with a number behind where it is taken. */
function freeId({ operation, method, path }: Draft, ids: Set<string>): string {
  const words = path.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '');
  const wanted = Schema.text(operation.operationId) || `${method.toLowerCase()}_${words}`;
  let id = wanted;
  for (let count = 2; ids.has(id); count += 1) id = `${wanted}_${count}`;
  ids.add(id);
  return id;
}

/** The security schemes that an operation names. */
function schemes(operation: Schema.Node): string[] {
  return Schema.list(operation.security)
    .flatMap((requirement) => Object.keys(Schema.node(requirement)))
    .map((name) => `#/components/securitySchemes/${name}`);
}
