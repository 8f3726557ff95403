import { readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Schema from '@sluice/kernel/json-schema';
import { parse as parseYaml } from 'yaml';

/** A document without references to other files, and the sources of those files. */
export type Bundle = { document: unknown; texts: readonly string[] };

/** A description refers to a file that cannot be used; the message continues a sentence that starts with the description's name. */
export class BundleFault extends Error {}

const filesMax = 1_000;
const bytesMax = 32 * 1024 * 1024;
const depthMax = 200;

/** The kind of component that a member refers to, by the name of the member. */
const kinds: Readonly<Record<string, string>> = {
  parameters: 'parameters',
  responses: 'responses',
  requestBody: 'requestBodies',
  requestBodies: 'requestBodies',
  headers: 'headers',
  examples: 'examples',
  securitySchemes: 'securitySchemes',
  links: 'links',
  callbacks: 'callbacks',
};
/** Members whose keys are the author's: their values are schemas. */
const schemaMaps = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'schemas',
  'dependentSchemas',
]);

/** Returns true when a document refers to another file. */
export function hasOtherFiles(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOtherFiles);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, item]) =>
      (key === '$ref' && typeof item === 'string' && !item.startsWith('#')) || hasOtherFiles(item),
  );
}

/**
 * Moves what a document takes from other files into its own components, and path items to where they are named. The files must lie in the
 * folder of the document or below it. Throws BundleFault.
 * @param path the file of the document
 */
export async function bundle(path: string, document: unknown): Promise<Bundle> {
  const bundling = new Bundling(resolve(path), document);
  const root = Schema.node(await bundling.visit(document, bundling.main, '', 0));
  const components = new Map(Object.entries(Schema.node(root.components)));
  for (const [kind, parts] of bundling.added)
    components.set(kind, { ...Schema.node(components.get(kind)), ...Object.fromEntries(parts) });
  const { texts } = bundling;
  return { document: { ...root, components: Object.fromEntries(components) }, texts };
}

class Bundling {
  readonly main: string;
  readonly texts: string[] = [];
  /** The parts of other files, by kind and name. */
  readonly added = new Map<string, Map<string, unknown>>();
  readonly #documents = new Map<string, unknown>();
  /** The names of targets that were taken already. */
  readonly #names = new Map<string, string>();
  readonly #taken: Schema.Node;
  #bytes = 0;

  constructor(main: string, document: unknown) {
    this.main = main;
    this.#documents.set(main, document);
    this.#taken = Schema.node(Schema.node(document).components);
  }

  /** Copies a value of `file`. `kind`: what a reference at this place refers to; '' for a path item, which is copied in place. */
  async visit(value: unknown, file: string, kind: string, depth: number): Promise<unknown> {
    if (depth > depthMax) throw new BundleFault(`has references that are nested more than ${depthMax} deep`);
    if (Array.isArray(value))
      return Promise.all(value.map((item) => this.visit(item, file, kind, depth + 1)));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: ref, ...others } = value as Schema.Node;
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(typeof ref === 'string' ? others : value))
      copy[key] = await this.visit(item, file, kindOf(key, kind), depth + 1);
    if (typeof ref !== 'string') return copy;
    if (ref.startsWith('#') && file === this.main) return { $ref: ref, ...copy };
    const { target, pointer, part } = await this.#find(ref, file);
    if (target === this.main) return { $ref: `#${pointer}`, ...copy };
    if (kind === '') return { ...Schema.node(await this.visit(part, target, '', depth + 1)), ...copy };
    return { $ref: await this.#take(part, target, pointer, kind, depth), ...copy };
  }

  /** Finds what a reference in `file` means. */
  async #find(ref: string, file: string): Promise<{ target: string; pointer: string; part: unknown }> {
    const [name = '', fragment = ''] = ref.split('#');
    if (/^[a-z][a-z0-9+.-]*:/i.test(name) || name.startsWith('/'))
      throw new BundleFault(`refers to ${ref}: only files beside it are read, so copy that file there`);
    const target = name === '' ? file : resolve(dirname(file), decodeURIComponent(name));
    if (relative(dirname(this.main), target).split(sep)[0] === '..')
      throw new BundleFault(`refers to ${ref}, which lies outside of its folder`);
    // The settings of the shop may lie beside it, and what is read here is published.
    if (!/\.(json|ya?ml)$/i.test(target))
      throw new BundleFault(`refers to ${ref}: only .json, .yaml and .yml files are read`);
    const pointer = JsonPointer.parse(decodeURIComponent(fragment));
    const part = pointer === null ? undefined : JsonPointer.resolve(await this.#read(target, ref), pointer);
    if (part === undefined) throw new BundleFault(`refers to ${ref}, which does not exist`);
    return { target, pointer: decodeURIComponent(fragment), part };
  }

  async #read(target: string, ref: string): Promise<unknown> {
    if (this.#documents.has(target)) return this.#documents.get(target);
    if (this.#documents.size >= filesMax) throw new BundleFault(`refers to more than ${filesMax} files`);
    try {
      this.#bytes += (await stat(target)).size;
      if (this.#bytes > bytesMax) throw new BundleFault(`and its files are larger than ${bytesMax} bytes`);
      const text = await readFile(target, 'utf8');
      const parsed: unknown = parseYaml(text, { logLevel: 'error', uniqueKeys: false });
      this.texts.push(text);
      this.#documents.set(target, parsed);
      return parsed;
    } catch (error) {
      if (error instanceof BundleFault) throw error;
      throw new BundleFault(`refers to ${ref}, which cannot be read`);
    }
  }

  /** Makes a component of a part of another file, once, and returns the reference to it. */
  async #take(part: unknown, target: string, pointer: string, kind: string, depth: number): Promise<string> {
    const place = `${kind} ${target}#${pointer}`;
    const known = this.#names.get(place);
    if (known !== undefined) return `#/components/${kind}/${known}`;
    const parts = this.added.get(kind) ?? new Map<string, unknown>();
    this.added.set(kind, parts);
    const name = this.#freeName(pointer, target, kind, parts);
    this.#names.set(place, name);
    parts.set(name, {});
    parts.set(name, await this.visit(part, target, kind, depth + 1));
    return `#/components/${kind}/${name}`;
  }

  #freeName(pointer: string, target: string, kind: string, parts: ReadonlyMap<string, unknown>): string {
    const last = pointer.split('/').at(-1) || (target.split(sep).at(-1) ?? '').replace(/\.\w+$/, '');
    const stem = last.replace(/[^\w.-]+/g, '_') || 'part';
    const own = Schema.node(this.#taken[kind]);
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? stem : `${stem}_${count}`;
      if (!Object.hasOwn(own, name) && !parts.has(name)) return name;
    }
  }
}

function kindOf(key: string, kind: string): string {
  if (
    schemaMaps.has(key) ||
    ['schema', 'items', 'allOf', 'anyOf', 'oneOf', 'not', 'additionalProperties'].includes(key)
  )
    return 'schemas';
  // Within a schema, members have the names of properties at most.
  if (kind === 'schemas') return kind;
  return kinds[key] ?? kind;
}
