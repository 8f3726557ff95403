import * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import { type FoundOperation, listOperations } from './found-operation.ts';
import { line, nameCharsMax, storefrontOf, text } from './imported-storefront.ts';
import * as InferUnits from './infer-units.ts';
import * as KeyDraft from './key-draft.ts';
import type { PriceRow } from './price-file.ts';
import { type LeftOut, type Selected, type Selection, select } from './selection.ts';
import * as UsageDraft from './usage-draft.ts';

/** A service of a draft. `price` and `prices` may be changed before the catalogue is written. */
export type DraftService = {
  slug: string;
  name: string;
  unit: 'result' | 'call';
  price: Money.Money;
  /** The upstream, when there are several; null otherwise. */
  upstream: string | null;
  /** Null for a service with one price. */
  usage: UsageDraft.UsageDraft | null;
  /** The price tables of a service with meters; null until they are known. */
  prices: Record<string, object> | null;
  operations: Operation[];
};
export type Operation = {
  call: string;
  summary: string | null;
  /** Phrases in which buyers may ask for it. */
  asks: readonly string[];
  /** Null in a service with meters, which has `usage`. */
  units: string | number | null;
  unitsMax: InferUnits.Countable['unitsMax'] | null;
  usage: UsageDraft.UsageDraft | null;
  /** Assumptions that the seller should check. */
  doubts: string[];
};
export type CatalogDraft = {
  name: string;
  description: string;
  contact: string;
  key: KeyDraft.KeyDraft;
  /** The path under which the shop has the API; '' for none. */
  mount: string;
  /** The base URLs by the name of their upstream; empty when there is one upstream. The first is the value of UPSTREAM_URL. */
  upstreams: ReadonlyMap<string, string>;
  services: DraftService[];
  /** Free units per new account; 0: no trial. */
  trial: number;
  /** The smallest purchase, in whole cents. */
  min: Money.Money;
  /** Operations that are not sold, with the reason. */
  leftOut: LeftOut[];
  /** The number of operations that were not selected. */
  others: number;
  /** The server URL of the description, or null. */
  upstreamUrl: string | null;
  doubts: string[];
};

/** The seller's choices for a draft. */
export type DraftOptions = {
  /** The price of a result or call. */
  price: Money.Money;
  selection?: Selection;
  /** The path under which the shop has the API. Null: none, or `mountUsual` when most operations could not be sold without one. */
  mount?: string | null;
  /** The address that the description was read from, for relative server addresses. */
  address?: string | null;
  /** Drafts phrases of callers for each operation, by its id. Without it there are none. */
  draftAsks?: (read: Schema.Reader, operations: readonly FoundOperation[]) => Map<string, string[]>;
};

export type Drafting = { kind: 'draft'; proposal: CatalogDraft } | Exclude<Selected, { kind: 'selected' }>;

const mountUsual = '/api';
const nothingSelected: Selection = { tags: [], paths: [], include: [] };
const slugCharsMax = 48;
const askCharsMax = 200;
const contactAssumed = 'sales@example.com';
const trialUsual = 25;
const minUsual = Money.ofCents(50);

/**
 * Drafts a catalogue for the API that an OpenAPI 3 document describes: one service per tag, or per first segment of the path. Units are the
 * results in the list of a response, or one per success when there is no list; described token counts, costs and credits become meters.
 * Every assumption is recorded in `doubts`.
 */
export function fromOpenApi(document: Schema.Node, options: DraftOptions): Drafting {
  const { price, selection = nothingSelected, address = null } = options;
  const read = Schema.reader(document);
  const found = listOperations(document, read, address);
  const selected = select(found, selection);
  if (selected.kind !== 'selected') return selected;
  const { sold, leftOut, others } = selected;
  const info = read(document.info);
  const { key, doubts } = KeyDraft.keyOf(document, read);
  const mount = options.mount ?? (needsMount(sold) ? mountUsual : '');
  const upstreams = upstreamsOf(sold, KeyDraft.isNamed(key));
  const services = new Map<string, DraftService>();
  const asks = options.draftAsks?.(read, sold) ?? new Map<string, string[]>();
  for (const operation of sold) place(services, read, operation, { price, mount, upstreams, asks });
  const servers = sold.flatMap(({ server }) => server ?? []);
  const { email, url } = read(info.contact);
  const proposal = {
    ...storefrontOf(info),
    contact: contactOf([text(email), text(url)]),
    key,
    mount,
    upstreams,
    services: [...services.values()],
    trial: Math.max(trialUsual, trialNeeded([...services.values()])),
    min: minUsual,
    leftOut: [...leftOut],
    others,
    upstreamUrl: [...upstreams.values()][0] ?? servers[0] ?? null,
    doubts: [...doubts, ...mountDoubts(options.mount ?? null, mount)],
  };
  return { kind: 'draft', proposal };
}

/** Fills in the prices of the services with meters. Returns the services that the price list has no prices for. */
export function applyPrices(proposal: CatalogDraft, rows: readonly PriceRow[]): DraftService[] {
  const metered = proposal.services.filter(({ usage }) => usage !== null);
  for (const service of metered)
    service.prices =
      service.usage === null ? null : (ownPrices(service) ?? UsageDraft.pricesOf(service.usage, rows));
  return metered.filter(({ prices }) => prices === null);
}

/** The prices that need no price list: those of the upstream's own price, and of its credits. */
function ownPrices({ usage, price }: DraftService): Record<string, object> | null {
  if (usage?.meters.cost !== undefined) return { default: { per: 1 } };
  if (usage?.meters.credits !== undefined) return { default: { per: 1, credits: Money.format(price) } };
  return null;
}

/** Removes the services with meters that have no prices; their operations are listed in `leftOut`. */
export function dropUnpriced(proposal: CatalogDraft): void {
  const reason = 'is charged by what it uses and needs prices: give a price list with --prices FILE.csv';
  const isUnpriced = ({ usage, prices }: DraftService) => usage !== null && prices === null;
  for (const service of proposal.services.filter(isUnpriced))
    proposal.leftOut.push(...service.operations.map(({ call }) => ({ call, reason })));
  proposal.services = proposal.services.filter((service) => !isUnpriced(service));
}

/** Returns the smallest trial that allows every operation: a call needs units for its worst case. */
export function trialNeeded(services: readonly DraftService[]): number {
  const most = services.flatMap(({ operations }) => operations.map(({ unitsMax }) => unitsMax));
  return Math.max(1, ...most.map((max) => (typeof max === 'number' ? max : 1)));
}

/** Returns the maximum value of a trial. Units never pay for a service with meters. */
export function trialWorth({ trial, services }: Pick<CatalogDraft, 'trial' | 'services'>): Money.Money {
  const prices = services.filter(({ usage }) => usage === null).map(({ price }) => price);
  return Money.times(Money.ofMicro(Math.max(0, ...prices)), trial);
}

/** Returns true when most operations have a path that the shop cannot serve as it is. */
function needsMount(sold: readonly FoundOperation[]): boolean {
  const unserved = sold.filter(({ path }) => path === '/' || /^\/[^/]*\{/.test(path));
  return sold.length > 0 && unserved.length * 2 >= sold.length;
}

function mountDoubts(wish: string | null, mount: string): string[] {
  if (mount === '' || wish !== null) return [];
  return [
    `paths of the API begin with a parameter, so the shop has them below ${mount}: choose another name with --mount`,
  ];
}

/** Names the base URLs, the most used first; empty when one upstream is enough. */
function upstreamsOf(sold: readonly FoundOperation[], isNamed: boolean): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { server } of sold) if (server !== null) counts.set(server, (counts.get(server) ?? 0) + 1);
  const urls = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  if (urls.length < 2 && !(isNamed && urls.length === 1)) return new Map();
  const named = new Map<string, string>();
  for (const url of urls) {
    const host = slugOf(new URL(url).hostname.split('.')[0] ?? 'api').replace(/^(?=\d)/, 'api-');
    const name = named.size === 0 ? 'main' : host;
    named.set(named.has(name) ? `${name.slice(0, 30)}-${named.size}` : name, url);
  }
  return named;
}

type Placing = {
  price: Money.Money;
  mount: string;
  upstreams: ReadonlyMap<string, string>;
  asks: ReadonlyMap<string, readonly string[]>;
};

function place(
  services: Map<string, DraftService>,
  read: Schema.Reader,
  found: FoundOperation,
  { price, mount, upstreams, asks }: Placing,
): void {
  const { method, path, operation, tags } = found;
  const usage = UsageDraft.draftUsage(read, found);
  const counted = usage === null ? InferUnits.find(read, found) : null;
  const isRead = typeof counted?.units === 'string' || method === 'GET';
  const tag = text(tags[0]) ?? firstSegment(path);
  const name = usage !== null || isRead ? tag : `${tag}: writing`;
  const upstream =
    [...upstreams].find(([, url]) => url === found.server)?.[0] ?? [...upstreams.keys()][0] ?? null;
  const grouping = JSON.stringify([name, upstream, usage && [usage.meters, usage.priceBy]]);
  const service = services.get(grouping) ?? {
    slug: freeSlug(services, usage === null ? name : usageName(path), upstream),
    name: line(usage === null ? name : usageTitle(tag, path), nameCharsMax),
    unit: isRead ? 'result' : 'call',
    price,
    upstream,
    usage,
    prices: null,
    operations: [],
  };
  services.set(grouping, service);
  service.operations.push({
    call: `${method} ${mount}${path}`,
    summary: text(operation.summary),
    asks: (asks.get(found.call) ?? []).map((ask) => line(ask, askCharsMax)).filter((ask) => ask !== ''),
    units: usage === null ? (counted?.units ?? 1) : null,
    unitsMax: counted?.unitsMax ?? null,
    usage,
    doubts: [
      ...(counted?.doubts ?? usage?.doubts ?? []),
      ...(method === 'DELETE' ? ['Every buyer could delete this: is it theirs, or yours?'] : []),
    ],
  });
}

/** The fixed part at the end of a path: `chat completions`. */
function usageName(path: string): string {
  const fixed = path.split('/').map((segment) => segment.replace(/\{[^}]*\}:?/g, ' '));
  return (
    fixed
      .filter((segment) => segment.trim() !== '' && !/^v\d/.test(segment))
      .slice(-2)
      .join(' ')
      .trim() || 'usage'
  );
}

function usageTitle(tag: string, path: string): string {
  const name = usageName(path);
  return slugOf(name) === slugOf(tag) ? tag : `${tag}: ${name}`;
}

function freeSlug(
  services: ReadonlyMap<string, DraftService>,
  name: string,
  upstream: string | null,
): string {
  const taken = new Set([...services.values()].map(({ slug }) => slug));
  const own = slugOf(name);
  const choices = [
    own,
    `${own.slice(0, 40)}-reading`,
    ...(upstream === null ? [] : [`${own.slice(0, 30)}-${upstream}`.slice(0, slugCharsMax)]),
  ];
  const free = choices.find((slug) => !taken.has(slug));
  return free ?? `${own.slice(0, slugCharsMax - 5)}-${services.size + 1}`;
}

/** Returns the first meaningful segment: not a version, `api` or a parameter. */
function firstSegment(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'));
  return segments.find((segment) => !/^(v\d+(\.\d+)*|api|rest)$/i.test(segment)) ?? segments[0] ?? 'root';
}

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugCharsMax)
    .replace(/^-+|-+$/g, '');
  return slug || 'service';
}

/** The schema of the catalogue accepts an e-mail address or a web address. */
function contactOf(choices: readonly (string | null)[]): string {
  const isContact = (value: string) =>
    /^([^\s@]+@[^\s@]+|https?:\/\/\S+)$/.test(value) && value.length <= 200;
  return choices.find((value) => value !== null && isContact(value)) ?? contactAssumed;
}
