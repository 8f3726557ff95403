import type { Node, Schema } from './schema.ts';
import * as Wording from './wording.ts';

type FieldError = Wording.FieldError;
export type Reading<T> = { kind: 'valid'; value: T } | { kind: 'invalid'; faults: readonly FieldError[] };

/**
 * Validates `input`. Returns the typed value, or up to twenty errors in the order of the schema (list items by index,
 * unknown fields after the known ones). Validation stops after the twentieth, so refusing a large body is cheap.
 */
export function read<T>(schema: Schema<T>, input: unknown): Reading<T> {
  const faults: FieldError[] = [];
  const value = visit(schema, input, faults);
  if (faults.length === 0) return { kind: 'valid', value: value as T };
  return {
    kind: 'invalid',
    faults: faults.map(({ field, message }) => ({
      field: field || 'body',
      message,
    })),
  };
}

/** Validates one value. Callers prepend the path of errors afterwards (`within`), so valid values need no path. */
function visit(node: Node, input: unknown, faults: FieldError[]): unknown {
  if (faults.length >= Wording.faultsMax) return undefined;
  switch (node.kind) {
    case 'optional':
      return input === undefined || input === null ? node.fallback : visit(node.inner, input, faults);
    case 'nullable':
      return input === null ? null : visit(node.inner, input, faults);
    case 'or_word':
      return input === node.word ? input : visit(node.inner, input, faults);
    case 'text':
      return readText(node, input, faults);
    case 'choice':
      if (typeof input !== 'string') return wrong(faults, expected('string', input));
      return node.values.includes(input) ? input : wrong(faults, Wording.invalidValue(input, node.values));
    case 'number':
      return readNumber(node, input, faults);
    case 'flag':
      return typeof input === 'boolean' ? input : wrong(faults, expected('boolean', input));
    case 'list':
      return readList(node, input, faults);
    case 'object':
      return readObject(node, input, faults);
  }
}

function wrong(faults: FieldError[], message: string): void {
  faults.push({ field: '', message });
}

/** Prepends `step` to the paths of all errors after the first `before`. */
function within(step: string, faults: FieldError[], before: number): void {
  for (const fault of faults.slice(before)) {
    const isNested = fault.field !== '' && !fault.field.startsWith('[');
    fault.field = isNested ? `${step}.${fault.field}` : step + fault.field;
  }
}

/** Null means "not given" everywhere, so null items are left out. Errors keep the index of the item in the request. */
function readList(node: Node & { kind: 'list' }, input: unknown, faults: FieldError[]): unknown {
  if (!Array.isArray(input)) return wrong(faults, expected('array', input));
  if (input.length > node.max) return wrong(faults, Wording.items(node.min, node.max, input.length));
  const given = input.filter((item) => item !== null).length;
  if (given < node.min) return wrong(faults, Wording.items(node.min, node.max, given));
  const values: unknown[] = [];
  for (const [index, item] of input.entries()) {
    if (item === null) continue;
    const before = faults.length;
    values.push(visit(node.item, item, faults));
    if (faults.length > before) within(`[${index}]`, faults, before);
  }
  return values;
}

function readText(node: Node & { kind: 'text' }, input: unknown, faults: FieldError[]): unknown {
  if (typeof input !== 'string') return wrong(faults, expected('string', input));
  const { rule } = node;
  if (typeof rule?.otherwise === 'function' && !rule.holds(input))
    return wrong(faults, rule.otherwise(input));
  // A character has one or two UTF-16 units, so most texts need not be counted character by character.
  if (input.length > node.max || input.length < 2 * node.min) {
    const length = input.length > 2 * node.max ? input.length : [...input].length;
    if (length < node.min || length > node.max)
      return wrong(faults, Wording.length(node.min, node.max, length));
  }
  if (typeof rule?.otherwise === 'string' && !rule.holds(input)) return wrong(faults, rule.otherwise);
  return rule?.canonical ? rule.canonical(input) : input;
}

function readNumber(node: Node & { kind: 'number' }, input: unknown, faults: FieldError[]): unknown {
  if (typeof input !== 'number' || !Number.isFinite(input)) {
    return wrong(faults, expected(node.whole ? 'integer' : 'number', input));
  }
  if (node.whole && !Number.isInteger(input)) return wrong(faults, expected('integer', input));
  return input < node.min || input > node.max ? wrong(faults, Wording.between(node.min, node.max)) : input;
}

function readObject(node: Node & { kind: 'object' }, input: unknown, faults: FieldError[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return wrong(faults, expected('object', input));
  }
  const faultsBefore = faults.length;
  const given = input as Record<string, unknown>;
  const value: Record<string, unknown> = {};
  let known = 0;
  for (const name in node.fields) {
    const before = faults.length;
    const isGiven = Object.hasOwn(given, name);
    if (isGiven) known++;
    value[name] = visit(node.fields[name] as Node, isGiven ? given[name] : undefined, faults);
    if (faults.length > before) within(name, faults, before);
  }
  const names = Object.keys(given);
  for (let at = 0; known < names.length && at < names.length; at++) {
    if (faults.length >= Wording.faultsMax) break;
    const name = names[at] as string;
    if (!Object.hasOwn(node.fields, name))
      wrong(faults, Wording.unknownField(name, Object.keys(node.fields)));
  }
  if (node.ordered && faults.length === faultsBefore) {
    const { from, to } = node.ordered;
    const [low, high] = [Number(value[from]), Number(value[to])];
    if (high !== 0 && low > high) wrong(faults, `${from} must not be greater than ${to}`);
  }
  return value;
}

function expected(what: string, input: unknown): string {
  return input === undefined || input === null ? 'Required' : `Expected ${what}`;
}
