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
  const value = visit(schema, input, '', faults);
  return faults.length === 0 ? { kind: 'valid', value: value as T } : { kind: 'invalid', faults };
}

function visit(node: Node, input: unknown, path: string, faults: Fault[]): unknown {
  if (faults.length >= Wording.faultsMax) return undefined;
  const wrong = (message: string) => void faults.push({ field: path || 'body', message });
  switch (node.kind) {
    case 'optional':
      return input === undefined || input === null ? node.fallback : visit(node.inner, input, path, faults);
    case 'nullable':
      return input === null ? null : visit(node.inner, input, path, faults);
    case 'text':
      return readText(node, input, wrong);
    case 'choice':
      if (typeof input !== 'string') return wrong(expected('string', input));
      return node.values.includes(input) ? input : wrong(Wording.invalidValue(input, node.values));
    case 'number':
      return readNumber(node, input, wrong);
    case 'flag':
      return typeof input === 'boolean' ? input : wrong(expected('boolean', input));
    case 'list':
      if (!Array.isArray(input)) return wrong(expected('array', input));
      if (input.length > node.max) return wrong(Wording.items(node.max));
      return input.map((item, index) => visit(node.item, item, `${path}[${index}]`, faults));
    case 'object':
      return readObject(node, input, path, faults, wrong);
  }
}

type Wrong = (message: string) => void;

function readText(node: Node & { kind: 'text' }, input: unknown, wrong: Wrong): unknown {
  if (typeof input !== 'string') return wrong(expected('string', input));
  // Counting characters walks the text, which one that is plainly too long need not be.
  const length = input.length > 2 * node.max ? input.length : [...input].length;
  if (length < node.min || length > node.max) return wrong(Wording.length(node.min, node.max, length));
  return node.rule && !node.rule.holds(input) ? wrong(node.rule.otherwise) : input;
}

function readNumber(node: Node & { kind: 'number' }, input: unknown, wrong: Wrong): unknown {
  if (typeof input !== 'number' || !Number.isFinite(input)) {
    return wrong(expected(node.whole ? 'integer' : 'number', input));
  }
  if (node.whole && !Number.isInteger(input)) return wrong(expected('integer', input));
  return input < node.min || input > node.max ? wrong(Wording.between(node.min, node.max)) : input;
}

function readObject(
  node: Node & { kind: 'object' },
  input: unknown,
  path: string,
  faults: Fault[],
  wrong: Wrong,
): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return wrong(expected('object', input));
  }
  const faultsBefore = faults.length;
  const given = new Map<string, unknown>(Object.entries(input));
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(node.fields)) {
    value[name] = visit(field, given.get(name), path ? `${path}.${name}` : name, faults);
  }
  for (const name of given.keys()) {
    if (faults.length >= Wording.faultsMax) break;
    if (!Object.hasOwn(node.fields, name)) wrong(Wording.unknownField(name, Object.keys(node.fields)));
  }
  if (node.ordered && faults.length === faultsBefore) {
    const { from, to } = node.ordered;
    const [low, high] = [Number(value[from]), Number(value[to])];
    if (high !== 0 && low > high) wrong(`${from} must not be greater than ${to}`);
  }
  return value;
}

function expected(what: string, input: unknown): string {
  return input === undefined || input === null ? 'Required' : `Expected ${what}`;
}
