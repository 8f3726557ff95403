import * as Schema from '@sluice/kernel/json-schema';

/** An operation of a description that could be sold. */
export type FoundOperation = {
  call: string;
  method: string;
  path: string;
  operation: Schema.Node;
  /** The parameters of the operation and of its path. */
  parameters: readonly unknown[];
  tags: readonly string[];
  /** The base URL of its API; null when the description has none that is complete. */
  server: string | null;
};

const soldMethods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Returns the operations of an OpenAPI 3 document, in its order.
 * @param address the address of the document, for relative server addresses; null when it is a file
 */
export function listOperations(
  document: Schema.Node,
  read: Schema.Reader,
  address: string | null,
): FoundOperation[] {
  return Object.entries(Schema.node(document.paths)).flatMap(([path, value]) => {
    const item = read(value);
    return soldMethods
      .filter((method) => item[method] !== undefined)
      .map((method) => {
        const operation = read(item[method]);
        return {
          call: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          operation,
          parameters: [...Schema.list(operation.parameters), ...Schema.list(item.parameters)],
          tags: Schema.list(operation.tags).filter((tag) => typeof tag === 'string'),
          server: serverOf(read, [operation.servers, item.servers, document.servers], address),
        };
      });
  });
}

/** Returns the first server of the innermost list, with the defaults of its variables; null when it is not an address. */
function serverOf(read: Schema.Reader, lists: readonly unknown[], address: string | null): string | null {
  const servers = lists.map(Schema.list).find((list) => list.length > 0) ?? [];
  const server = read(servers[0]);
  const variables = Schema.node(server.variables);
  const url = Schema.text(server.url).replace(/\{([^}]*)\}/g, (whole, name) => {
    const value = read(variables[name]).default;
    return value === undefined ? whole : String(value);
  });
  const base = address ?? undefined;
  if (url === '' || url.includes('{') || !URL.canParse(url, base)) return null;
  const { protocol, origin, pathname } = new URL(url, base);
  return /^https?:$/.test(protocol) ? `${origin}${pathname.replace(/\/+$/, '')}` : null;
}
