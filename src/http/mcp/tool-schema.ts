/** A JSON Schema, not trusted to be one. */
export type Schema = Readonly<Record<string, unknown>>;

/** A longer enumeration is told of, not listed: it would fill a model's memory, and a wrong value is refused at no charge. */
const enumItemsMax = 60;
const enumItemsShown = 8;
const depthMax = 40;
/** Of no use to who fills or checks a value, or not JSON Schema at all. */
const left = new Set([
  'example',
  'examples',
  'xml',
  'externalDocs',
  'discriminator',
  'nullable',
  'deprecated',
]);
/** Members whose own members are names, not keywords. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/**
 * What a schema is for. Of arguments, what may be left out need not be null: models and their makers' dialects fare better
 * with one type. An answer is not judged by formats, as validators differ in what they make of them.
 */
export type Use = 'arguments' | 'answer';

/**
 * A schema of an OpenAPI document (3.0 or 3.1) as one that stands by itself: what it refers to is below `$defs`, short of
 * what only a reader of the document needs.
 */
export function standalone(document: unknown, schema: unknown, use: Use): Schema {
  const names = new Map<string, string>();
  const defs: Record<string, unknown> = {};
  const copy = (value: unknown, depth: number): unknown => {
    if (depth > depthMax) return {};
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    const own = value as Schema;
    const copied: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(own)) {
      if (left.has(key) || (key === 'format' && use === 'answer')) continue;
      if (key === '$ref' && typeof member === 'string') copied.$ref = refer(member, depth);
      else if (key === 'enum' && Array.isArray(member) && member.length > enumItemsMax)
        copied.description = told(own.description, member);
      else if (key === 'description' && copied.description !== undefined) continue;
      else if (maps.has(key) && isObject(member)) {
        const needed = key === 'properties' && Array.isArray(own.required) ? own.required : [];
        const mayNarrow = key === 'properties' && use === 'arguments';
        copied[key] = Object.fromEntries(
          Object.entries(member).map(([name, it]) => [
            name,
            copy(mayNarrow && !needed.includes(name) ? withoutNull(it) : it, depth + 1),
          ]),
        );
      } else copied[key] = key === 'const' || key === 'default' ? member : copy(member, depth + 1);
    }
    if (own.nullable === true && typeof own.type === 'string') copied.type = [own.type, 'null'];
    return copied;
  };
  const refer = (ref: string, depth: number): string => {
    const known = names.get(ref);
    if (known !== undefined) return `#/$defs/${known}`;
    const plain = (ref.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_');
    const name = Object.hasOwn(defs, plain) ? `${plain}_${names.size}` : plain;
    names.set(ref, name);
    defs[name] = {};
    defs[name] = copy(resolve(document, ref), depth + 1);
    return `#/$defs/${name}`;
  };
  const copied = copy(schema, 0) as Schema;
  return names.size === 0 ? copied : { ...copied, $defs: defs };
}

/** The value that a reference into the document leads to, through further ones; `{}` where it leads nowhere. */
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

/** The schema of a value that is left out rather than null. */
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

function told(description: unknown, values: readonly unknown[]): string {
  const shown = values.slice(0, enumItemsShown).map((value) => JSON.stringify(value));
  const some = `One of ${values.length} values, such as ${shown.join(', ')}; a wrong one is refused at no charge.`;
  return typeof description === 'string' ? `${description} ${some}` : some;
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
