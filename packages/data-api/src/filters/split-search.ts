import type { Search } from './tsquery.ts';

/**
 * A search with many terms, in parts that the index can answer one by one. The index checks each candidate against all terms of
 * a query, so one query with n terms costs n times its candidates; in parts, each candidate is checked against the few terms
 * of the part that found it.
 */
export type SplitSearch = {
  /** The rest of the search, with few terms; null for no condition. */
  main: Search;
  /** Each group is a list of alternatives: a record must match one of every group. */
  groups: string[][];
  /** A record must match none of these. */
  excluded: string[];
};

/** From this number of terms on, a search is split. Searches below it are fast as one query. */
const splitFrom = 40;
const termsPerPart = 16;
const term = /'(?:[^'\\]|''|\\\\)*'/g;

/** Number of terms of a search: its lexemes, repeated ones included. */
export function terms(search: Search): number {
  return search?.match(term)?.length ?? 0;
}

/** Returns true if the search should be split, and never be checked record by record. */
export function isLarge(search: Search): boolean {
  return terms(search) >= splitFrom;
}

/** Splits the generated query of `tsquery.ts` at its top level. */
export function split(search: string): SplitSearch {
  const result: SplitSearch = { main: null, groups: [], excluded: [] };
  const small: string[] = [];
  for (const part of operands(search, '&')) {
    const excluded = part.startsWith('!') ? part.slice(1) : null;
    if (terms(part) <= termsPerPart) small.push(part);
    else if (excluded !== null) result.excluded.push(...inParts(excluded));
    else result.groups.push(inParts(part));
  }
  result.main = small.length === 0 ? null : `(${small.join(' & ')})`;
  return result;
}

/** Alternatives of a query, combined to parts of at most `termsPerPart` terms where possible. */
function inParts(search: string): string[] {
  const parts: string[] = [];
  let open: string[] = [];
  let count = 0;
  const close = () => {
    if (open.length > 0) parts.push(`(${open.join(' | ')})`);
    [open, count] = [[], 0];
  };
  for (const alternative of operands(search, '|')) {
    const found = terms(alternative);
    if (count + found > termsPerPart) close();
    open.push(alternative);
    count += found;
  }
  close();
  return parts;
}

/** Operands of the operator at the top level, also of nested groups of the same operator. */
function operands(search: string, operator: '&' | '|'): string[] {
  const inner = withoutParentheses(search);
  if (inner === null) return [search];
  const parts = topLevel(inner, operator);
  return parts.length === 1
    ? operandsOfSingle(inner, search, operator)
    : parts.flatMap((part) => operands(part, operator));
}

/** A group in double parentheses, or of another operator. */
function operandsOfSingle(inner: string, search: string, operator: '&' | '|'): string[] {
  return withoutParentheses(inner) === null ? [search] : operands(inner, operator);
}

function withoutParentheses(search: string): string | null {
  if (!search.startsWith('(') || closing(search) !== search.length - 1) return null;
  return search.slice(1, -1);
}

/** Index of the parenthesis that closes the first one. */
function closing(search: string): number {
  let depth = 0;
  for (const { 0: token, index } of search.matchAll(/'(?:[^'\\]|''|\\\\)*'|[()]/g)) {
    if (token === '(') depth++;
    if (token === ')' && --depth === 0) return index;
  }
  return -1;
}

function topLevel(inner: string, operator: '&' | '|'): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of inner.matchAll(/'(?:[^'\\]|''|\\\\)*'|[()&|]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (depth === 0 && token === operator) {
      parts.push(inner.slice(start, index).trim());
      start = index + 1;
    }
  }
  parts.push(inner.slice(start).trim());
  return parts;
}
