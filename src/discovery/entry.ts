import * as Schema from '@sluice/kernel/json-schema';
import * as Components from './components.ts';

/** An operation, serialised once. */
export type Entry = {
  at: number;
  /** The operationId, unique in the shop. */
  id: string;
  method: string;
  path: string;
  summary: string;
  /** The slug of its service; null for the storefront's own operations. */
  service: string | null;
  tag: string;
  json: string;
  bytes: number;
  /** The components that it needs, directly or indirectly. */
  refs: ReadonlySet<string>;
  operation: Schema.Node;
};

/** An operation before it has a position and an id; `refs` are the components that it references directly. */
export type EntryDraft = Pick<Entry, 'method' | 'path' | 'service' | 'tag' | 'operation' | 'refs'>;

/** Adds the position, an id that is unique among `ids`, and the JSON of an operation. */
export function entryOf(
  draft: EntryDraft,
  at: number,
  components: Components.Components,
  ids: Set<string>,
): Entry {
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

/** Returns the given operationId, or one made of method and path, with a number when it is in use. */
function freeId({ operation, method, path }: EntryDraft, ids: Set<string>): string {
  const words = path.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '');
  const wanted = Schema.text(operation.operationId) || `${method.toLowerCase()}_${words}`;
  let id = wanted;
  for (let count = 2; ids.has(id); count += 1) id = `${wanted}_${count}`;
  ids.add(id);
  return id;
}

/** Returns the security schemes of an operation. */
function schemes(operation: Schema.Node): string[] {
  return Schema.list(operation.security)
    .flatMap((requirement) => Object.keys(Schema.node(requirement)))
    .map((name) => `#/components/securitySchemes/${name}`);
}
