import { path as identity } from '@sluice/kernel/endpoints';
import * as Components from './components.ts';
import type { Entry } from './entry.ts';
import * as OperationPage from './operation-page.ts';
import * as OperationSearch from './operation-search.ts';
import { path as at } from './paths.ts';
import type { Reference } from './reference.ts';

/** The filter of a page of the reference: all members apply together. */
export type ReferenceQuery = {
  page: number | 'all';
  /** Words to find operations by. */
  words: string | null;
  path: string | null;
  method: string | null;
  /** The slug of one service. */
  service: string | null;
};

/** `next`: the address of the next page. */
export type PageResult =
  | { kind: 'page'; json: string; next: string | null }
  | { kind: 'no_page'; pages: number; first: string };

const version = '1.0.0';
const operationsMax = 10;
/** A page stays below 64 KiB with its envelope, whose links repeat the query. */
const contentBytesMax = 58 * 1024;
const linksMax = 12;

/**
 * Returns a self-contained page: its operations with exactly the components that they need. The operations of one path are described
 * shortly instead, with references, unless everything is asked for.
 */
export function pageOf(reference: Reference, query: ReferenceQuery): PageResult {
  const found = select(reference, query);
  const isShort = query.path !== null && query.words === null && query.page === 1;
  if (isShort && found.length > 0)
    return {
      kind: 'page',
      json: OperationPage.pageOf(reference, found, link(reference, query, 'all')),
      next: null,
    };
  const pages =
    query.page === 'all'
      ? [found]
      : pack(reference, found, contentBytesMax - linksMax * asked(query, 'all').length);
  const number = query.page === 'all' ? 1 : query.page;
  const entries = pages[number - 1];
  const address = (page: number | 'all') => link(reference, query, page);
  if (entries === undefined) return { kind: 'no_page', pages: pages.length, first: address(1) };
  const next = number < pages.length ? address(number + 1) : null;
  const previous = number > 1 ? address(number - 1) : null;
  const navigation = {
    page: query.page,
    pages: pages.length,
    operations: { here: entries.length, all: found.length },
    first: address(1),
    ...(previous !== null && { previous }),
    next,
    everything: address('all'),
    find: `${document(reference, query)}?q={words}`,
    one: `${document(reference, query)}?path={path}&method={method}`,
    services: reference.context.baseUrl + at.services,
    guide: `${reference.context.baseUrl}${at.guide}?goal={goal}`,
  };
  return { kind: 'page', json: serialise(reference, entries, query, navigation), next };
}

function select({ entries, finder }: Reference, { words, path, method, service }: ReferenceQuery): Entry[] {
  const isAsked = (it: Entry) =>
    (service === null || it.service === service) &&
    (path === null || it.path === path) &&
    (method === null || it.method === method.toUpperCase());
  if (words === null) return entries.filter(isAsked);
  // The exact path or id of an operation selects it.
  const meant = entries.filter((it) => it.path === words || it.id === words);
  const found = OperationSearch.find(finder, words).flatMap((at) => entries[at] ?? []);
  return [...new Set([...meant, ...found])].filter(isAsked);
}

/** Splits results into pages of at most ten operations and `bytesMax` bytes. No results make one empty page. */
function pack({ components }: Reference, found: readonly Entry[], bytesMax: number): Entry[][] {
  const pages: Entry[][] = [];
  let refs = new Set<string>();
  let bytes = 0;
  const fresh = (entry: Entry) => [...entry.refs].filter((ref) => !refs.has(ref));
  const weigh = (entry: Entry) => Components.weigh(components, fresh(entry)) + entry.bytes;
  for (const entry of found) {
    const page = pages.at(-1);
    if (page === undefined || page.length === operationsMax || bytes + weigh(entry) > bytesMax) {
      pages.push([]);
      refs = new Set();
      bytes = 0;
    }
    bytes += weigh(entry);
    for (const ref of entry.refs) refs.add(ref);
    pages.at(-1)?.push(entry);
  }
  return pages.length === 0 ? [[]] : pages;
}

/** Joins parts that are JSON already: a page takes well under a millisecond. */
function serialise(
  { context, catalog, components, tags }: Reference,
  entries: readonly Entry[],
  query: ReferenceQuery,
  navigation: Readonly<Record<string, unknown>>,
): string {
  const { storefront } = catalog;
  const service = catalog.services.find(({ slug }) => slug === query.service);
  const { baseUrl } = context;
  const info = {
    'x-navigation': navigation,
    'x-next': navigation.next,
    title: service === undefined ? storefront.name : `${storefront.name}: ${service.name}`,
    version,
    description: service?.description || storefront.description,
    contact: storefront.contact.includes('://') ? { url: storefront.contact } : { email: storefront.contact },
    'x-guidance': guidance(baseUrl),
  };
  const byPath = new Map<string, string[]>();
  for (const { path, method, json } of entries) {
    const item = byPath.get(path) ?? [];
    byPath.set(path, item);
    item.push(`${JSON.stringify(method.toLowerCase())}:${json}`);
  }
  const paths = [...byPath].map(([path, item]) => `${JSON.stringify(path)}:{${item.join(',')}}`);
  const refs = new Set(entries.flatMap((entry) => [...entry.refs]));
  const used = [...new Set(entries.map(({ tag }) => tag))].map(
    (tag) => tags.get(tag) ?? JSON.stringify({ name: tag }),
  );
  const docs = {
    homepage: baseUrl + at.start,
    apiReference: baseUrl + at.docs,
    llms: baseUrl + at.llms,
  };
  return `{${[
    '"openapi":"3.1.0"',
    `"info":${JSON.stringify(info)}`,
    `"servers":${JSON.stringify([{ url: baseUrl }])}`,
    `"x-service-info":${JSON.stringify({ docs })}`,
    `"tags":[${used.join(',')}]`,
    `"paths":{${paths.join(',')}}`,
    `"components":${Components.serialise(components, refs)}`,
    `"x-navigation":${JSON.stringify(navigation)}`,
  ].join(',')}}`;
}

/** Returns a short guide to the shop for readers of nothing else. At most 4,000 characters, the limit of validators. */
function guidance(base: string): string {
  return [
    `1. Register: POST ${base}${identity.register} {"type":"anonymous"}; send the access_token of the answer as a bearer on every call.`,
    `2. Not sure what to call? GET ${base}${at.guide}?goal=... answers with operations, ready requests, costs and the plan to buy; free.`,
    '3. Call the operations below with the paths and bodies that they show. The trial pays for the first results.',
    `4. 403 plan_required and 402 credit_exhausted list the plans with a request that buys each: POST ${base}/plans/{planId}/purchase answers a 402 with challenges for an agent and checkout_url for a person.`,
    'Errors and empty answers cost nothing. This document has pages: info.x-next is the next one, ?q=words finds operations.',
  ].join(' ');
}

function document({ context }: Reference, { service }: ReferenceQuery): string {
  return `${context.baseUrl}${service === null ? '' : `/services/${service}`}${at.openapi}`;
}

/** Returns the address of a page; the first page has no page number. */
function link(reference: Reference, query: ReferenceQuery, page: number | 'all'): string {
  return document(reference, query) + asked(query, page);
}

function asked({ words, path, method }: ReferenceQuery, page: number | 'all'): string {
  const said = Object.entries({ q: words, path, method, page: page === 1 ? null : String(page) });
  const given = said.filter((pair): pair is [string, string] => pair[1] !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
