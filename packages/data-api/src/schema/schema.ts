/**
 * Schemas of bodies as plain data, with four uses: `read.ts` validates with them, `form.ts` converts form fields by them,
 * `json-schema.ts` describes them in OpenAPI, and TypeScript infers value types from them. This is not a library because
 * errors must come in the order of the schema and stop at twenty, however long an invalid list is.
 */
type Notes = { about?: string; name?: string };

export type Node = Notes &
  (
    | {
        kind: 'text';
        min: number;
        max: number;
        format?: string;
        rule?: Rule;
        /** Number of parts of a record that each word is searched in, for the cost of a search. */
        termsPerWord?: number;
      }
    | { kind: 'choice'; values: readonly string[] }
    | { kind: 'number'; min: number; max: number; whole: boolean }
    | { kind: 'flag' }
    | { kind: 'list'; item: Node; min: number; max: number }
    | { kind: 'object'; fields: Readonly<Record<string, Node>>; ordered?: { from: string; to: string } }
    | { kind: 'optional'; inner: Node; fallback: unknown }
    | { kind: 'nullable'; inner: Node }
    | { kind: 'or_word'; inner: Node; word: string }
  );

/** A condition on a text beyond its length. */
export type Rule = {
  holds(text: string): boolean;
  /** Error message. A function also replaces the message about the length. */
  otherwise: string | ((text: string) => string);
  /** Equivalent JSON Schema pattern, if there is one. */
  pattern?: string;
  /** Converts a valid text to the form that the program works with. */
  canonical?(text: string): string;
};

declare const value: unique symbol;
/** A node with the type of its values. The type exists at compile time only. */
export type Schema<T = unknown> = Node & { readonly [value]?: T };
export type Value<S> = S extends Schema<infer T> ? T : never;
type Fields = Readonly<Record<string, Schema>>;
type Values<F extends Fields> = { [K in keyof F]: Value<F[K]> };

/** A text. Lengths are in Unicode characters. */
export function text(
  bounds: { min?: number; max?: number; format?: string; rule?: Rule; termsPerWord?: number } = {},
): Schema<string> {
  return { kind: 'text', min: 0, max: 10_000, ...bounds };
}

export function choice<T extends string>(values: readonly T[]): Schema<T> {
  return { kind: 'choice', values };
}

/** A number with inclusive bounds. */
export function number(min: number, max: number): Schema<number> {
  return { kind: 'number', min, max, whole: false };
}

/** A whole number with inclusive bounds. */
export function integer(min: number, max: number): Schema<number> {
  return { kind: 'number', min, max, whole: true };
}

export function flag(): Schema<boolean> {
  return { kind: 'flag' };
}

/** A list of `min` to `max` items. Null items of a request count as left out. */
export function list<T>(item: Schema<T>, max: number, min = 0): Schema<T[]> {
  return { kind: 'list', item, min, max };
}

/** A closed object: unknown fields are errors. */
export function object<F extends Fields>(fields: F): Schema<Values<F>> {
  return { kind: 'object', fields };
}

/** `{min, max}`, inclusive. 0 means no bound, so `min` is compared with `max` only if `max` is above 0. */
export function range(lowest: Schema<number>, highest: Schema<number>): Schema<{ min: number; max: number }> {
  const fields = { min: optional(lowest, 0), max: optional(highest, 0) };
  return { kind: 'object', fields, ordered: { from: 'min', to: 'max' } };
}

/** A value that may be left out or null, which means the same; then it is `fallback`. */
export function optional<T, D>(inner: Schema<T>, fallback: D): Schema<T | D> {
  return { kind: 'optional', inner, fallback };
}

/** An object that defaults to `{}`. All of its fields must be optional. */
export function optionalObject<T>(inner: Schema<T>): Schema<T> {
  return { kind: 'optional', inner, fallback: empty(inner) };
}

/** A value that is always present, but null if unknown. */
export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return { kind: 'nullable', inner };
}

/** A value of `inner`, or the given word. */
export function orWord<T, W extends string>(inner: Schema<T>, word: W): Schema<T | W> {
  return { kind: 'or_word', inner, word };
}

/** A response field that is left out if unknown. */
export function ifKnown<T>(inner: Schema<T>): Schema<T | undefined> {
  return { kind: 'optional', inner, fallback: undefined };
}

/** Adds a description to a schema. */
export function about<T>(sentence: string, schema: Schema<T>): Schema<T> {
  return { ...schema, about: sentence };
}

/** Names a schema, so that the API description references it instead of repeating it. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return { ...schema, name };
}

/** Fields of an object schema, to include them in another one. */
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
