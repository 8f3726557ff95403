import type { Node, Schema } from './schema.ts';
import * as Wording from './wording.ts';

type Fault = Wording.Fault;
export type Reading<T> = { kind: 'valid'; value: T } | { kind: 'invalid'; faults: readonly Fault[] };

/**
 * Checks `input` and gives the typed value, or every fault in the order of the schema (an object's unknown fields after
 * its known ones, list items by index), at most twenty. The work ends with the twentieth, so a refusal is cheap.
 */
export function read<T>(schema: Schema<T>, input: unknown): Reading<T> {
  const faults: Fault[] = [];
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

/** A fault is named on the way back up (`within`), so that what is right costs no path. */
function visit(node: Node, input: unknown, faults: Fault[]): unknown {
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
      if (!Array.isArray(input)) return wrong(faults, expected('array', input));
      if (input.length < node.min || input.length > node.max) {
        return wrong(faults, Wording.items(node.min, node.max, input.length));
      }
      return input.map((item, index) => {
        const before = faults.length;
        const value = visit(node.item, item, faults);
        if (faults.length > before) within(`[${index}]`, faults, before);
        return value;
      });
    case 'object':
      return readObject(node, input, faults);
  }
}

function wrong(faults: Fault[], message: string): void {
  faults.push({ field: '', message });
}

/** Puts `step` before the paths of the faults that were found since there were `before` of them. */
function within(step: string, faults: Fault[], before: number): void {
  for (const fault of faults.slice(before)) {
    const isNested = fault.field !== '' && !fault.field.startsWith('[');
    fault.field = isNested ? `${step}.${fault.field}` : step + fault.field;
  }
}

function readText(node: Node & { kind: 'text' }, input: unknown, faults: Fault[]): unknown {
  if (typeof input !== 'string') return wrong(faults, expected('string', input));
  // A character is one or two units, so most texts need not be walked to be counted.
  if (input.length > node.max || input.length < 2 * node.min) {
    const length = input.length > 2 * node.max ? input.length : [...input].length;
    if (length < node.min || length > node.max)
      return wrong(faults, Wording.length(node.min, node.max, length));
  }
  return node.rule && !node.rule.holds(input) ? wrong(faults, node.rule.otherwise) : input;
}

function readNumber(node: Node & { kind: 'number' }, input: unknown, faults: Fault[]): unknown {
  if (typeof input !== 'number' || !Number.isFinite(input)) {
    return wrong(faults, expected(node.whole ? 'integer' : 'number', input));
  }
  if (node.whole && !Number.isInteger(input)) return wrong(faults, expected('integer', input));
  return input < node.min || input > node.max ? wrong(faults, Wording.between(node.min, node.max)) : input;
}

function readObject(node: Node & { kind: 'object' }, input: unknown, faults: Fault[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return wrong(faults, expected('object', input));
  }
  const faultsBefore = faults.length;
  const given = input as Record<string, unknown>;
  const value: Record<string, unknown> = {};
  for (const name in node.fields) {
    const before = faults.length;
    value[name] = visit(
      node.fields[name] as Node,
      Object.hasOwn(given, name) ? given[name] : undefined,
      faults,
    );
    if (faults.length > before) within(name, faults, before);
  }
  for (const name of Object.keys(given)) {
    if (faults.length >= Wording.faultsMax) break;
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
