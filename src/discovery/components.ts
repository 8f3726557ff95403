import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Schema from '@sluice/kernel/json-schema';

/**
 * Components of an OpenAPI document by their reference, such as `#/components/schemas/Job`. Each is serialised once and copied into every
 * page that needs it.
 */
export type Components = Map<string, { json: string; bytes: number; refs: ReadonlySet<string> }>;

/** A value converted for the shop's own description, and the components that it references. */
export type Adopted = { value: Schema.Node; refs: ReadonlySet<string> };

/** A document to convert: its version, and the new names of its components. */
export type ComponentSource = { root: Schema.Node; isVersion30: boolean; rename: (ref: string) => string };

/** Members whose keys are chosen by the author. */
const named = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  ...['responses', 'headers', 'content', 'encoding', 'variables'],
]);
/** Members that contain plain data and no references. */
const data = new Set(['example', 'default', 'enum', 'const']);
/** Members that reference operations, which may be on another page. */
const leading = new Set(['links', 'callbacks']);
const component = /^#\/components\/([^/]+)\/([^/]+)/;
const depthMax = 64;

/** Reads a document; `rename` changes the names of components that are already in use. */
export function source(document: unknown, rename: ComponentSource['rename'] = (ref) => ref): ComponentSource {
  const root = Schema.node(document);
  return { root, isVersion30: Schema.text(root.openapi).startsWith('3.0'), rename };
}

/** Adds all components of a document, with its security schemes if `schemes` is true. */
export function add(components: Components, from: ComponentSource, schemes: boolean): void {
  for (const [kind, parts] of Object.entries(Schema.node(from.root.components))) {
    if (kind === 'securitySchemes' && !schemes) continue;
    for (const [name, part] of Object.entries(Schema.node(parts))) {
      const { value, refs } = adopt(from, part);
      const json = JSON.stringify(value);
      components.set(from.rename(`#/components/${kind}/${name}`), {
        json,
        bytes: Buffer.byteLength(json),
        refs,
      });
    }
  }
}

/** Resolves a reference: some readers do not follow references to bodies or responses. */
export function whole(from: ComponentSource, part: unknown): Schema.Node {
  const { named: _, ...value } = Schema.reader(from.root)(part);
  return value;
}

/** Returns `refs` and everything that they reference, directly or indirectly. */
export function closure(components: Components, refs: Iterable<string>): Set<string> {
  const found = new Set<string>();
  const open = [...refs];
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    const part = components.get(ref);
    if (found.has(ref) || part === undefined) continue;
    found.add(ref);
    open.push(...part.refs);
  }
  return found;
}

/** Returns the size of `refs` in bytes of JSON. */
export function weigh(components: Components, refs: Iterable<string>): number {
  return [...refs].reduce((sum, ref) => sum + ref.length + (components.get(ref)?.bytes ?? 0), 0);
}

/** Returns the member `components` of a page as JSON: only `refs`, in a stable order. */
export function serialise(components: Components, refs: ReadonlySet<string>): string {
  const kinds = new Map<string, string[]>();
  for (const ref of [...refs].sort()) {
    const [, kind = '', name = ''] = component.exec(ref) ?? [];
    const list = kinds.get(kind) ?? [];
    kinds.set(kind, list);
    list.push(`${JSON.stringify(name)}:${components.get(ref)?.json ?? '{}'}`);
  }
  const parts = [...kinds].map(([kind, list]) => `${JSON.stringify(kind)}:{${list.join(',')}}`);
  return `{${parts.join(',')}}`;
}

/** Converts a value for the shop's own OpenAPI 3.1 document: renames references, translates 3.0, removes external references. */
export function adopt(from: ComponentSource, value: unknown): Adopted {
  const refs = new Set<string>();

  const reference = (node: Schema.Node, ref: string, depth: number): unknown => {
    const { $ref: _, ...others } = node;
    const beside = from.isVersion30 ? {} : Object.fromEntries(members(others, false, depth));
    if (component.test(ref)) {
      const own = ref.replace(component, (whole) => from.rename(whole));
      refs.add(component.exec(own)?.[0] ?? own);
      return { $ref: own, ...beside };
    }
    // A self-contained page cannot reference another file or anything but a component.
    const pointer = ref.startsWith('#') ? JsonPointer.parse(ref.slice(1)) : null;
    const target = pointer === null ? undefined : JsonPointer.resolve(from.root, pointer);
    return { ...Schema.node(visit(target, false, depth + 1)), ...beside };
  };

  const members = (node: Schema.Node, isNamed: boolean, depth: number): [string, unknown][] =>
    Object.entries(node).flatMap(([key, item]): [string, unknown][] => {
      if (isNamed) return [[key, visit(item, false, depth + 1)]];
      if (leading.has(key)) return [];
      if (key.startsWith('x-') || data.has(key)) return [[key, item]];
      if (key === 'examples') return [[key, examples(item, depth)]];
      if (key === 'discriminator') return [[key, discriminator(Schema.node(item))]];
      return [[key, visit(item, named.has(key) && !Array.isArray(item), depth + 1)]];
    });

  const visit = (item: unknown, isNamed: boolean, depth: number): unknown => {
    if (Array.isArray(item)) return item.map((one) => visit(one, false, depth + 1));
    if (typeof item !== 'object' || item === null || depth > depthMax) return depth > depthMax ? {} : item;
    const node = Schema.node(item);
    if (!isNamed && typeof node.$ref === 'string') return reference(node, node.$ref, depth);
    const adopted = Object.fromEntries(members(node, isNamed, depth));
    return from.isVersion30 && !isNamed ? modern(adopted) : adopted;
  };

  /** In a schema a list of values; in a media type named examples, which may be components. */
  const examples = (item: unknown, depth: number): unknown => {
    if (Array.isArray(item)) return item;
    const entries = Object.entries(Schema.node(item)).map(([name, example]) => {
      const { $ref } = Schema.node(example);
      return [name, typeof $ref === 'string' ? visit(example, false, depth + 1) : example];
    });
    return Object.fromEntries(entries);
  };

  const discriminator = (item: Schema.Node): Schema.Node => {
    const mapping = Object.entries(Schema.node(item.mapping)).map(([name, ref]) => {
      if (typeof ref !== 'string' || !component.test(ref)) return [name, ref];
      refs.add(from.rename(ref));
      return [name, from.rename(ref)];
    });
    return item.mapping === undefined ? item : { ...item, mapping: Object.fromEntries(mapping) };
  };

  return { value: Schema.node(visit(value, false, 0)), refs };
}

/** Translates a schema of OpenAPI 3.0 to JSON Schema 2020-12, which 3.1 uses. */
function modern({ nullable, ...schema }: Record<string, unknown>): Schema.Node {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue;
    const { [flag]: isExclusive, [bound]: limit, ...rest } = schema;
    return modern({
      ...rest,
      nullable,
      ...(limit !== undefined && { [isExclusive === true ? flag : bound]: limit }),
    });
  }
  if (nullable !== true)
    return nullable === undefined || nullable === false ? schema : { ...schema, nullable };
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const values = Array.isArray(schema.enum) ? { enum: [...new Set([...schema.enum, null])] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}
