/**
 * What a body may hold, as plain data. One schema serves four readers: `read.ts` checks with it, `form.ts` types form
 * fields by it, `json-schema.ts` describes it in OpenAPI, and TypeScript infers the value's type from it.
 * Validation is ours, and not a library's, because a refusal names up to twenty faults in the schema's own order and
 * must stay cheap however long the mistaken list is.
 */
type Notes = { about?: string; name?: string };

export type Node = Notes &
  (
    | { kind: 'text'; min: number; max: number; format?: string; rule?: Rule }
    | { kind: 'choice'; values: readonly string[] }
    | { kind: 'number'; min: number; max: number; whole: boolean }
    | { kind: 'flag' }
    | { kind: 'list'; item: Node; min: number; max: number }
    | { kind: 'object'; fields: Readonly<Record<string, Node>>; ordered?: { from: string; to: string } }
    | { kind: 'optional'; inner: Node; fallback: unknown }
    | { kind: 'nullable'; inner: Node }
    | { kind: 'or_word'; inner: Node; word: string }
  );

/** What a text has to be beyond its length, and what to say when it is not; `pattern` says it to JSON Schema if it can. */
export type Rule = { holds(text: string): boolean; otherwise: string; pattern?: string };

declare const value: unique symbol;
/** A node together with the type of what it admits. The type exists for the compiler alone. */
export type Schema<T = unknown> = Node & { readonly [value]?: T };
export type Value<S> = S extends Schema<infer T> ? T : never;
type Fields = Readonly<Record<string, Schema>>;
type Values<F extends Fields> = { [K in keyof F]: Value<F[K]> };

/** Lengths are in Unicode characters. */
export function text(
  bounds: { min?: number; max?: number; format?: string; rule?: Rule } = {},
): Schema<string> {
  return { kind: 'text', min: 0, max: 10_000, ...bounds };
}

export function choice<T extends string>(values: readonly T[]): Schema<T> {
  return { kind: 'choice', values };
}

/** A number with both bounds inside. */
export function number(min: number, max: number): Schema<number> {
  return { kind: 'number', min, max, whole: false };
}

/** A whole number with both bounds inside. */
export function integer(min: number, max: number): Schema<number> {
  return { kind: 'number', min, max, whole: true };
}

export function flag(): Schema<boolean> {
  return { kind: 'flag' };
}

export function list<T>(item: Schema<T>, max: number, min = 0): Schema<T[]> {
  return { kind: 'list', item, min, max };
}

/** A closed object: a field that is not named here is a fault. */
export function object<F extends Fields>(fields: F): Schema<Values<F>> {
  return { kind: 'object', fields };
}

/** `{min, max}`, both inclusive; 0 leaves that end open, so only a `max` above 0 is compared. */
export function range(lowest: Schema<number>, highest: Schema<number>): Schema<{ min: number; max: number }> {
  const fields = { min: optional(lowest, 0), max: optional(highest, 0) };
  return { kind: 'object', fields, ordered: { from: 'min', to: 'max' } };
}

/** May be left out, or be null, and is `fallback` then. */
export function optional<T, D>(inner: Schema<T>, fallback: D): Schema<T | D> {
  return { kind: 'optional', inner, fallback };
}

/** An object that may be left out and is then what `{}` would be. Every field of it must be optional. */
export function optionalObject<T>(inner: Schema<T>): Schema<T> {
  return { kind: 'optional', inner, fallback: empty(inner) };
}

/** Always present, but null where unknown. */
export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return { kind: 'nullable', inner };
}

/** Either what `inner` admits or that one word. */
export function orWord<T, W extends string>(inner: Schema<T>, word: W): Schema<T | W> {
  return { kind: 'or_word', inner, word };
}

/** A field of an answer that is left out where it is not known. */
export function ifKnown<T>(inner: Schema<T>): Schema<T | undefined> {
  return { kind: 'optional', inner, fallback: undefined };
}

/** The same schema with a sentence for the description. */
export function about<T>(sentence: string, schema: Schema<T>): Schema<T> {
  return { ...schema, about: sentence };
}

/** The same schema under a name: the description refers to it instead of repeating it. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return { ...schema, name };
}

/** The fields of an object schema, for making another that has them too. */
export function fieldsOf<T>(schema: Schema<T>): { [K in keyof T]: Schema<T[K]> } {
  if (schema.kind !== 'object') throw new TypeError(`a schema of kind ${schema.kind} has no fields`);
  return schema.fields as { [K in keyof T]: Schema<T[K]> };
}

function empty(node: Node): unknown {
  if (node.kind !== 'object') throw new TypeError(`only an object has an empty form, not ${node.kind}`);
  const entries = Object.entries(node.fields).map(([name, field]) => {
    if (field.kind !== 'optional')
      throw new TypeError(`${name} is required, so its object has no empty form`);
    return [name, field.fallback];
  });
  return Object.fromEntries(entries);
}
