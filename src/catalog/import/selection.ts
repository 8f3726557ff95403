import { hint } from '@sluice/kernel/did-you-mean';
import type { FoundOperation } from './found-operation.ts';

/** The operations of a description that the seller wants to sell. Empty lists: everything. */
export type Selection = {
  /** Tags, in any case. */
  tags: readonly string[];
  /** Beginnings of paths, such as `/v1/search`; `/` is everything. */
  paths: readonly string[];
  /** Operations to sell although they are withheld otherwise: a call, or the beginning of a path. */
  include: readonly string[];
};

export type LeftOut = { call: string; reason: string };

export type Selected =
  /** `others`: the number of operations that were not selected. */
  | { kind: 'selected'; sold: readonly FoundOperation[]; leftOut: readonly LeftOut[]; others: number }
  /** There are more than `unselectedMax`, and nothing is selected. `tags`: their tags with counts, the most frequent first. */
  | { kind: 'too_many'; count: number; tags: readonly { tag: string; count: number }[] }
  | { kind: 'unknown'; reason: string };

/** More operations than this must be selected, so that nothing is sold by oversight. */
export const unselectedMax = 40;

/** Nouns of operations that manage the seller's account with the API: with the seller's key, a buyer would act as the seller. */
const managing: ReadonlySet<string> = new Set([
  ...['me', 'self', 'auth', 'oauth', 'oauth2', 'authorize', 'login', 'logout', 'signin', 'signup', 'signout'],
  ...[
    'password',
    'session',
    'token',
    'key',
    'apikey',
    'credential',
    'secret',
    'member',
    'membership',
    'collaborator',
  ],
  ...['invite', 'invitation', 'role', 'permission', 'billing', 'webhook', 'hook', 'limit', 'quota'],
]);
/** Words before `token` when it gives access. Other tokens are parts of a text, as in `input_tokens`. */
const access: ReadonlySet<string> = new Set([
  'api',
  'access',
  'refresh',
  'auth',
  'personal',
  'bearer',
  'client',
  'device',
  'id',
  'service',
]);
/** A path that ends in a count of tokens, which measures a text: `/tokens/count`, `/token-counts`. */
const tokenCounts = /\/tokens?[-_/]?count(s|er)?$/i;
/** Paths of the caller's own account: `/user` and below, unless a parameter follows. */
const ownPath = /^(\/v\d+)?\/(user|organization|account|workspace|billing)(\/(?!\{)|$)/i;

/** Chooses the operations to sell. */
export function select(found: readonly FoundOperation[], selection: Selection): Selected {
  if (found.length === 0) return { kind: 'unknown', reason: 'the description has no operations' };
  const unknown = unknownChoice(found, selection);
  if (unknown !== null) return { kind: 'unknown', reason: unknown };
  const isAll = selection.tags.length === 0 && selection.paths.length === 0;
  const chosen = isAll ? found : found.filter((operation) => isChosen(operation, selection));
  const judged = chosen.map((operation) => ({ operation, reason: withheld(operation, selection.include) }));
  const sold = judged.filter(({ reason }) => reason === null).map(({ operation }) => operation);
  if (isAll && sold.length > unselectedMax)
    return { kind: 'too_many', count: sold.length, tags: tally(sold) };
  const leftOut = judged.flatMap(({ operation: { call }, reason }) =>
    reason === null ? [] : [{ call, reason }],
  );
  return { kind: 'selected', sold, leftOut, others: found.length - chosen.length };
}

function isChosen({ tags, path, call }: FoundOperation, wanted: Selection): boolean {
  const names = wanted.tags.map((tag) => tag.toLowerCase());
  return (
    tags.some((tag) => names.includes(tag.toLowerCase())) ||
    wanted.paths.some((beginning) => isBelow(path, beginning)) ||
    wanted.include.some((named) => named === call)
  );
}

/** Returns true for the path itself and the paths below it. */
function isBelow(path: string, beginning: string): boolean {
  const folder = beginning.endsWith('/') ? beginning : `${beginning}/`;
  return path === beginning || path.startsWith(folder);
}

function withheld({ call, path, operation }: FoundOperation, include: readonly string[]): string | null {
  if (include.some((named) => named === call || isBelow(path, named))) return null;
  if (operation.deprecated === true) return 'is deprecated';
  const word = path
    .replace(tokenCounts, '')
    .split('/')
    .map(managedBy)
    .find((noun) => noun !== null);
  if (word === undefined && !ownPath.test(path)) return null;
  return `manages your own account with the API${word ? ` (${word})` : ''}: sell it with --include only if buyers may act in your name`;
}

/** Returns the noun of a path segment that shows what it manages, or null. `count_tokens` counts tokens, it does not manage them. */
function managedBy(segment: string): string | null {
  if (segment.startsWith('{')) return null;
  if (segment === 'admin') return segment;
  const words = segment
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words[0] === 'count' || words[0] === 'search') return null;
  const isManaging = (word: string, at: number) =>
    managing.has(word) && (word !== 'token' || at === 0 || access.has(words[at - 1] ?? ''));
  return words.find((word, at) => isManaging(word, at) || isManaging(word.replace(/s$/, ''), at)) ?? null;
}

function unknownChoice(found: readonly FoundOperation[], { tags, paths, include }: Selection): string | null {
  const known = [...new Set(found.flatMap((operation) => operation.tags))];
  const names = known.map((tag) => tag.toLowerCase());
  const tag = tags.find((one) => !names.includes(one.toLowerCase()));
  if (tag !== undefined) return `no operation has the tag ${tag}. ${hint(tag, known, 'Tags')}`;
  const path = paths.find((one) => !found.some((operation) => isBelow(operation.path, one)));
  if (path !== undefined) return `no operation has a path below ${path}`;
  const calls = found.map(({ call }) => call);
  const named = include.find(
    (one) => !found.some(({ call, path: own }) => call === one || isBelow(own, one)),
  );
  return named === undefined
    ? null
    : `--include ${named} is no operation. ${hint(named, calls.slice(0, unselectedMax), 'Operations')}`;
}

function tally(found: readonly FoundOperation[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { tags, path } of found) {
    const tag = tags[0] ?? `/${path.split('/')[1] ?? ''}`;
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].map(([tag, count]) => ({ tag, count })).sort((a, b) => b.count - a.count);
}
