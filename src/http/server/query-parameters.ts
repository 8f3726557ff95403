import { nearest } from '@sluice/kernel/did-you-mean';
import type { OwnQuery } from '../../discovery/own-queries.ts';

export type Check = (method: string, path: string, query: URLSearchParams) => Problem[];
export type Problem = { field: string; message: string };

/**
 * Checks the names of query parameters on the storefront's own routes. A misspelt parameter is reported instead of ignored, so that a
 * filter that has no effect is noticed. Routes without a description, such as pages, take any.
 */
export function queryCheck(described: readonly OwnQuery[]): Check {
  const routes = described.map(({ method, path, names }) => ({
    method,
    names,
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }));
  return (method, path, query) => {
    if (query.size === 0) return [];
    const route = routes.find((it) => it.method === method && it.pattern.test(path));
    if (route === undefined) return [];
    const unknown = [...new Set(query.keys())].filter((name) => !route.names.includes(name));
    return unknown.map((name) => ({ field: name, message: message(name, route.names) }));
  };
}

function message(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== null) return `Unknown query parameter "${name}". Did you mean "${near}"?`;
  return names.length === 0
    ? `Unknown query parameter "${name}". This path takes none.`
    : `Unknown query parameter "${name}". Allowed: ${names.join(', ')}.`;
}
