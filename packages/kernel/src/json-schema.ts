/** A JSON Schema from an untrusted document, which may be invalid. */
export type Node = Readonly<Record<string, unknown>>;

/** The depth to which schemas are read. */
export const depthMax = 8;

export function node(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A reader of one document, which follows its references. */
export type Reader = (value: unknown) => Node & { readonly named?: string };

/** Follows `$ref` and selects the only alternative of an `anyOf` that is not null; its sibling keywords stay in force. */
export function reader(root: Node): Reader {
  const read = (value: unknown, depth: number): Node => {
    const own = node(value);
    if (depth > depthMax) return {};
    if (typeof own.$ref === 'string') {
      const { $ref: ref, ...beside } = own;
      const target = ref.startsWith('#/')
        ? ref
            .slice(2)
            .split('/')
            .map(unescaped)
            .reduce<unknown>((at, key) => node(at)[key], root)
        : {};
      return { ...joined([read(target, depth + 1)], beside), named: ref.split('/').at(-1) ?? '' };
    }
    const choices = [...list(own.anyOf), ...list(own.oneOf)].map((choice) => read(choice, depth + 1));
    const real = choices.filter((choice) => choice.type !== 'null');
    const [only] = real;
    if (only !== undefined) {
      const { anyOf: _any, oneOf: _one, ...beside } = own;
      return { ...only, ...beside };
    }
    const parts = list(own.allOf).map((part) => read(part, depth + 1));
    if (parts.length === 0) return own;
    const { allOf: _all, ...beside } = own;
    return joined(parts, beside);
  };
  return (value) => read(value, 0);
}

/** Joins the parts of a schema with the keywords beside them: all fields of all of them; for other keywords the last one. */
function joined(parts: readonly Node[], beside: Node): Node {
  const all = [...parts, beside];
  const required = all.flatMap((part) => list(part.required));
  return {
    ...Object.assign({}, ...all),
    ...(all.some(isObject) && { properties: Object.assign({}, ...all.map((part) => node(part.properties))) }),
    ...(required.length > 0 && { required }),
  };
}

function unescaped(token: string): string {
  return decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Decodes a token. Percent signs that do not encode an octet are kept. */
function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

export function isType(schema: Node, type: string): boolean {
  return schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));
}

export function isObject(schema: Node): boolean {
  return schema.properties !== undefined;
}

/** `{ min, max }`, which one number range fills at once. */
export function isRange(schema: Node): boolean {
  const keys = Object.keys(node(schema.properties));
  return keys.length === 2 && keys.includes('min') && keys.includes('max');
}

/** A small value that the schema takes: its default, its example, or the least that fits. */
export function sample(read: Reader, schema: unknown, depth = 0): unknown {
  const here = read(schema);
  if (depth > depthMax) return null;
  for (const given of [
    here.example,
    list(here.examples)[0],
    here.const,
    here.default ?? undefined,
    list(here.enum)[0],
  ])
    if (given !== undefined) return given;
  if (isType(here, 'object') && !isObject(here)) return {};
  if (isObject(here)) {
    const needed = list(here.required).map(text);
    return Object.fromEntries(
      needed.map((key) => [key, sample(read, node(here.properties)[key], depth + 1)]),
    );
  }
  if (isType(here, 'array'))
    return typeof here.minItems === 'number' && here.minItems > 0
      ? [sample(read, here.items, depth + 1)]
      : [];
  if (isType(here, 'integer') || isType(here, 'number'))
    return typeof here.minimum === 'number' ? here.minimum : 1;
  if (isType(here, 'boolean')) return false;
  return textSample(here);
}

const formats: Readonly<Record<string, string>> = {
  uri: 'https://example.com',
  email: 'somebody@example.com',
  date: '2030-01-31',
  'date-time': '2030-01-31T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textSample(schema: Node): string {
  const plain = formats[text(schema.format)] ?? 'example';
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : plain.length;
  return plain.padEnd(Math.min(least, 100), 'x').slice(0, Math.max(most, 1));
}
