import * as Schema from '@sluice/kernel/json-schema';
import * as Components from './components.ts';
import type { Entry } from './entry.ts';
import { path as at } from './paths.ts';
import type { Reference } from './reference.ts';

/** Maximum size of the short description of one operation. */
const bytesMax = 8 * 1024;
/** Reserved for what is not counted exactly: separators and the names of kinds of components. */
const reservedBytes = 300;
const exampleBytesMax = 600;
const valuesShown = 3;
/** The refusals that say how to continue. All others are described by `default`. */
const leadingStatuses = new Set(['401', '402', '403', 'default']);

type Part = { ref: string; json: string };

/**
 * Returns a short OpenAPI document of operations that were selected by their path: the request is described here as far as it fits, and
 * long lists of values, shared refusals and parts of responses by references to other documents of this shop.
 * @param complete the address of the same operations with everything that they need
 */
export function pageOf(reference: Reference, entries: readonly Entry[], complete: string): string {
  const { context, catalog, tags } = reference;
  const operations = entries.map(shorten);
  const byPath = new Map<string, Record<string, Schema.Node>>();
  entries.forEach(({ path, method }, index) => {
    const item = byPath.get(path) ?? {};
    byPath.set(path, { ...item, [method.toLowerCase()]: operations[index] ?? {} });
  });
  const used = [...new Set(entries.map(({ tag }) => tag))];
  const document = {
    openapi: '3.1.0',
    info: {
      title: catalog.storefront.name,
      version: '1.0.0',
      'x-complete': complete,
      'x-guide': `${context.baseUrl}${at.guide}?goal={goal}`,
    },
    servers: [{ url: context.baseUrl }],
    tags: used.map((tag): unknown => JSON.parse(tags.get(tag) ?? JSON.stringify({ name: tag }))),
    paths: Object.fromEntries(byPath),
  };
  const outer = JSON.stringify(document).slice(0, -1);
  const parts = choose(reference, operations, bytesMax * entries.length - Buffer.byteLength(outer));
  return `${outer},"components":${componentsOf(parts)}}`;
}

/** Returns a document with one component and everything that it needs; null when there is no such component. */
export function componentPage({ components, catalog, context }: Reference, name: string): string | null {
  const ref = `#/components/${name}`;
  if (!components.has(ref)) return null;
  const info = JSON.stringify({ title: `${catalog.storefront.name}: ${name}`, version: '1.0.0' });
  const servers = JSON.stringify([{ url: context.baseUrl }]);
  const parts = Components.serialise(components, Components.closure(components, [ref]));
  return `{"openapi":"3.1.0","info":${info},"servers":${servers},"paths":{},"components":${parts}}`;
}

/** Leaves out the refusals that `default` describes too, and long examples of responses. */
function shorten({ operation }: Entry): Schema.Node {
  const all = Schema.node(operation.responses);
  const responses = Object.entries(all).flatMap(([status, value]) => {
    const response = Schema.node(value);
    const isDefault = 'default' in all && !leadingStatuses.has(status);
    if (typeof response.$ref === 'string') return isDefault ? [] : [[status, response]];
    return [[status, withoutLongExamples(response)]];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

function withoutLongExamples(response: Schema.Node): Schema.Node {
  if (response.content === undefined) return response;
  const content = Object.entries(Schema.node(response.content)).map(([type, value]) => {
    const { example, ...media } = Schema.node(value);
    const isShort = example !== undefined && JSON.stringify(example).length <= exampleBytesMax;
    return [type, isShort ? { ...media, example } : media];
  });
  return { ...response, content: Object.fromEntries(content) };
}

/** Chooses the components to describe here, those of requests first, as far as they fit. The others become references. */
function choose(reference: Reference, operations: readonly Schema.Node[], bytes: number): Part[] {
  const { components } = reference;
  const schemes = operations.flatMap(({ security }) =>
    Schema.list(security).flatMap((need) =>
      Object.keys(Schema.node(need)).map((name) => `#/components/securitySchemes/${name}`),
    ),
  );
  const requests = operations.flatMap(({ requestBody, parameters }) => refsIn([requestBody, parameters]));
  const others = operations.flatMap(({ responses }) => refsIn(responses));
  const queue = [...new Set([...schemes, ...requests, ...others])];
  const stubs = new Map(queue.map((ref) => [ref, stubOf(reference, ref)]));
  let left = bytes - reservedBytes - weigh([...stubs.values()]);
  const chosen: Part[] = [];
  for (let ref = queue.shift(); ref !== undefined; ref = queue.shift()) {
    const stub = stubs.get(ref) ?? stubOf(reference, ref);
    const json = components.get(ref)?.json;
    const fresh = [...(components.get(ref)?.refs ?? [])].filter((inner) => !stubs.has(inner));
    const added = fresh.map((inner) => stubOf(reference, inner));
    const growth =
      json === undefined ? 0 : Buffer.byteLength(json) - Buffer.byteLength(stub.json) + weigh(added);
    const fits = json !== undefined && (growth <= left || ref.includes('/securitySchemes/'));
    chosen.push(fits ? { ref, json } : stub);
    if (!fits) continue;
    left -= growth;
    for (const part of added) stubs.set(part.ref, part);
    queue.push(...fresh);
  }
  return chosen;
}

function refsIn(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).matchAll(/"\$ref":"(#\/components\/[^"/]+\/[^"/]+)"/g);
  return [...found].map(([, ref = '']) => ref);
}

/** A reference to the document with the component; for a list of values with the first ones. */
function stubOf({ components, context }: Reference, ref: string): Part {
  const name = ref.slice('#/components/'.length);
  const url = `${context.baseUrl}${at.openapi}?component=${name}${ref}`;
  const values = Schema.list(Schema.node(JSON.parse(components.get(ref)?.json ?? '{}')).enum);
  const description =
    values.length > valuesShown
      ? { description: `One of ${values.length} values, such as ${values.slice(0, valuesShown).join(', ')}.` }
      : {};
  return { ref, json: JSON.stringify({ $ref: url, ...description }) };
}

function weigh(parts: readonly Part[]): number {
  return parts.reduce((sum, { ref, json }) => sum + ref.length + Buffer.byteLength(json), 0);
}

function componentsOf(parts: readonly Part[]): string {
  const chosen: Components.Components = new Map(
    parts.map(({ ref, json }) => [ref, { json, bytes: Buffer.byteLength(json), refs: new Set<string>() }]),
  );
  return Components.serialise(chosen, new Set(chosen.keys()));
}
