import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Schema from '@sluice/kernel/json-schema';

/** An API that behaves as its OpenAPI description says: it returns examples, and requires the key. */
export type DescribedUpstream = {
  url: string;
  /** `GET /planets`, each with the status of its response. */
  calls: string[];
  close(): Promise<void>;
};

const depthMax = 6;

/** Serves `document`. Operations with `security: []` are open to anyone; all others need `key` in `header`. */
export async function open(
  document: Schema.Node,
  { header, value }: { header: string; value: string },
): Promise<DescribedUpstream> {
  const read = Schema.reader(document);
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://upstream');
    const found = operationAt(read, document, request.method ?? '', pathname);
    const isOpen = found !== null && Array.isArray(found.security) && found.security.length === 0;
    const isLetIn = isOpen || request.headers[header] === value;
    const status = isLetIn ? (found === null ? 404 : statusOf(found)) : 401;
    calls.push(`${request.method} ${pathname} ${status}`);
    const body = status < 300 && found !== null ? settledInTime(read, found, String(status)) : { status };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? undefined : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function operationAt(
  read: Schema.Reader,
  document: Schema.Node,
  method: string,
  path: string,
): Schema.Node | null {
  for (const [template, item] of Object.entries(read(document.paths))) {
    const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
    const operation = read(item)[method.toLowerCase()];
    // The probe of `check` requests a path that does not exist, so it gets a 404.
    if (operation !== undefined && pattern.test(path) && !path.includes('sluice-check'))
      return read(operation);
  }
  return null;
}

function statusOf(operation: Schema.Node): number {
  return Number(
    Object.keys(Schema.node(operation.responses)).find((status) => /^2\d\d$/.test(status)) ?? 200,
  );
}

function settledInTime(read: Schema.Reader, operation: Schema.Node, status: string): unknown {
  const media = read(read(read(read(operation.responses)[status]).content)['application/json']);
  const [first] = Object.values(Schema.node(media.examples));
  return media.example ?? read(first).value ?? sample(read, media.schema, 0);
}

/** Returns a value for a schema: its example, or a generated one. */
function sample(read: Schema.Reader, schema: unknown, depth: number): unknown {
  const node = read(schema);
  if (node.example !== undefined) return node.example;
  if (Array.isArray(node.examples)) return node.examples[0];
  if (Array.isArray(node.enum)) return node.enum[0];
  if (depth > depthMax) return null;
  if (node.type === 'array')
    return [sample(read, node.items, depth + 1), sample(read, node.items, depth + 1)];
  if (node.properties !== undefined)
    return Object.fromEntries(
      Object.entries(read(node.properties)).map(([name, value]) => [name, sample(read, value, depth + 1)]),
    );
  return node.type === 'integer' || node.type === 'number' ? 1 : node.type === 'boolean' ? true : 'text';
}
