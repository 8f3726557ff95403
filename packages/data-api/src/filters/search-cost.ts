import type { Node } from '../schema/schema.ts';
import type { FieldError } from '../schema/wording.ts';
import * as Words from './words.ts';

/** Number of terms that a request searches for, and the field that most of them are in. */
export type SearchCost = { terms: number; largest: { field: string; terms: number } };

/**
 * Estimates the work of a search before it runs. A term is a word of a value, once for each part of the records that it is
 * searched in; a value of a list of codes or names is one term.
 */
export function of(schema: Node, request: unknown): SearchCost {
  const largest = { field: 'body', terms: 0 };
  const terms = visit(schema, request, '', largest);
  return { terms, largest };
}

/** Fault of a search with more than `termsMax` terms. */
export function tooManyTerms({ terms, largest }: SearchCost, termsMax: number): FieldError {
  return {
    field: largest.field,
    message: `The search has ${count(terms)} terms, but at most ${count(termsMax)} are allowed: each word counts once for each field it is searched in. ${count(largest.terms)} of them are here. ${advice}`,
  };
}

/** Fault of a search that did not end in its time. */
export function tooSlow({ terms, largest }: SearchCost): FieldError {
  return {
    field: largest.field,
    message: `The search has ${count(terms)} terms, ${count(largest.terms)} of them here, and matches so many records that it took too long. ${advice}`,
  };
}

const advice = 'Send fewer or shorter values, or split them over several requests';

function visit(node: Node, value: unknown, path: string, largest: SearchCost['largest']): number {
  if (value === null || value === undefined) return 0;
  switch (node.kind) {
    case 'optional':
    case 'nullable':
      return visit(node.inner, value, path, largest);
    case 'list':
      return listTerms(node, value as unknown[], path, largest);
    case 'object': {
      const fields = Object.entries(node.fields);
      const inner = (name: string) => (value as Record<string, unknown>)[name];
      return fields.reduce(
        (sum, [name, field]) =>
          sum + visit(field, inner(name), path === '' ? name : `${path}.${name}`, largest),
        0,
      );
    }
    default:
      return 0;
  }
}

function listTerms(
  { item }: Node & { kind: 'list' },
  values: readonly unknown[],
  path: string,
  largest: SearchCost['largest'],
): number {
  const terms = values.reduce<number>(
    (sum, value, index) =>
      sum +
      (item.kind === 'object' || item.kind === 'list'
        ? visit(item, value, `${path}[${index}]`, largest)
        : leafTerms(item, value)),
    0,
  );
  if (item.kind !== 'object' && terms > largest.terms) Object.assign(largest, { field: path, terms });
  return terms;
}

function leafTerms(node: Node, value: unknown): number {
  if (node.kind !== 'text' || node.termsPerWord === undefined || typeof value !== 'string') return 1;
  // The words that the query has, after folding: one character can become a dozen words, and some names are searched in two spellings.
  const terms = Words.ofValue(value).reduce((sum, { apart }) => sum + 1 + (apart?.length ?? 0), 0);
  return node.termsPerWord * Math.max(1, terms);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
