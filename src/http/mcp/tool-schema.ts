/** An unchecked JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** Longer enumerations are summarised: they would fill a model's context, and a wrong value is refused at no charge. */
const enumItemsMax = 60;
const enumItemsShown = 8;
const depthMax = 40;
/** Keywords that are dropped: not needed to fill or check a value, or not part of JSON Schema. */
const droppedKeywords = new Set([
  'example',
  'examples',
  'xml',
  'externalDocs',
  'discriminator',
  'nullable',
  'deprecated',
]);
/** Keywords whose members are names, not keywords. */
const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/**
 * The use of a schema. In arguments, optional values lose the type null, because models handle a single type better. Responses lose their
 * formats, because validators interpret them differently.
 */
export type SchemaUse = 'arguments' | 'response';

/** Copies a schema of an OpenAPI document (3.0 or 3.1) into a self-contained one: referenced schemas are copied below `$defs`. */
export function standalone(document: unknown, schema: unknown, use: SchemaUse): Schema {
  const copier = new SchemaCopier(document, use);
  const copied = copier.copy(schema, 0) as Schema;
  return copier.hasDefs ? { ...copied, $defs: copier.defs } : copied;
}

class SchemaCopier {
  readonly defs: Record<string, unknown> = {};
  readonly #document: unknown;
  readonly #use: SchemaUse;
  /** Names below `$defs`, by reference. */
  readonly #names = new Map<string, string>();

  constructor(document: unknown, use: SchemaUse) {
    this.#document = document;
    this.#use = use;
  }

  get hasDefs(): boolean {
    return this.#names.size > 0;
  }

  copy(value: unknown, depth: number): unknown {
    if (depth > depthMax) return {};
    if (Array.isArray(value)) return value.map((item) => this.copy(item, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    const own = value as Schema;
    const copied: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(own)) this.#copyMember(own, key, member, copied, depth);
    if (own.nullable === true && typeof own.type === 'string') copied.type = [own.type, 'null'];
    return copied;
  }

  #copyMember(
    own: Schema,
    key: string,
    member: unknown,
    copied: Record<string, unknown>,
    depth: number,
  ): void {
    if (droppedKeywords.has(key) || (key === 'format' && this.#use === 'response')) return;
    if (key === '$ref' && typeof member === 'string') copied.$ref = this.#refer(member, depth);
    else if (key === 'enum' && Array.isArray(member) && member.length > enumItemsMax)
      copied.description = summary(own.description, member);
    else if (key === 'description' && copied.description !== undefined) return;
    else if (mapKeywords.has(key) && isObject(member))
      copied[key] = this.#copyMap(key, member, own.required, depth);
    else copied[key] = key === 'const' || key === 'default' ? member : this.copy(member, depth + 1);
  }

  #copyMap(key: string, map: Schema, required: unknown, depth: number): Schema {
    const isOptional = (name: string) => !(Array.isArray(required) && required.includes(name));
    const isNarrowed = key === 'properties' && this.#use === 'arguments';
    return Object.fromEntries(
      Object.entries(map).map(([name, member]) => [
        name,
        this.copy(isNarrowed && isOptional(name) ? withoutNull(member) : member, depth + 1),
      ]),
    );
  }

  #refer(ref: string, depth: number): string {
    const known = this.#names.get(ref);
    if (known !== undefined) return `#/$defs/${known}`;
    const plain = (ref.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_');
    const name = Object.hasOwn(this.defs, plain) ? `${plain}_${this.#names.size}` : plain;
    this.#names.set(ref, name);
    // Reserves the name before the schema is copied, because it may refer to itself.
    this.defs[name] = {};
    this.defs[name] = this.copy(resolve(this.#document, ref), depth + 1);
    return `#/$defs/${name}`;
  }
}

/** Resolves a reference into the document, through further references; `{}` when it leads nowhere. */
export function deref(document: unknown, value: unknown): Schema {
  let at = value;
  for (let step = 0; step < depthMax && isObject(at) && typeof at.$ref === 'string'; step++)
    at = resolve(document, at.$ref);
  return isObject(at) ? at : {};
}

function resolve(document: unknown, ref: string): unknown {
  if (!ref.startsWith('#/')) return {};
  return ref
    .slice(2)
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document);
}

/** The schema of a value that may be omitted but not null. */
function withoutNull(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { default: given, type, anyOf, ...rest } = value;
  const kept = given === null || given === undefined ? rest : { ...rest, default: given };
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null');
    return { ...kept, type: types.length === 1 ? types[0] : types, ...(anyOf !== undefined && { anyOf }) };
  }
  if (!Array.isArray(anyOf)) return { ...kept, ...(type !== undefined && { type }) };
  const choices = anyOf.filter((one) => !(isObject(one) && one.type === 'null'));
  const [only] = choices;
  return choices.length === 1 && isObject(only) ? { ...only, ...kept } : { ...kept, anyOf: choices };
}

function summary(description: unknown, values: readonly unknown[]): string {
  const shown = values.slice(0, enumItemsShown).map((value) => JSON.stringify(value));
  const some = `One of ${values.length} values, such as ${shown.join(', ')}. Other values are refused at no charge.`;
  return typeof description === 'string' ? `${description} ${some}` : some;
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
