import * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import { Document, isMap, type YAMLMap } from 'yaml';
import * as CatalogFile from './file.ts';
import * as InferUnits from './infer-units.ts';

/** A service of a draft. `price` may be changed before the catalogue is written. */
export type DraftService = {
  slug: string;
  name: string;
  unit: 'result' | 'call';
  price: Money.Money;
  operations: Operation[];
};
type Operation = {
  call: string;
  summary: string | null;
  units: string | number;
  unitsMax: InferUnits.Countable['unitsMax'] | null;
  /** Assumptions that the seller should check. */
  doubts: string[];
};
export type CatalogDraft = {
  name: string;
  description: string;
  contact: string;
  key: { header: string; value: string };
  services: DraftService[];
  /** Free units per new account; 0: no trial. */
  trial: number;
  /** The smallest purchase, in whole cents. */
  min: Money.Money;
  /** Operations that are not sold, with the reason. */
  leftOut: { call: string; reason: string }[];
  /** The server URL of the description, or null. */
  upstreamUrl: string | null;
  doubts: string[];
};

const soldMethods = ['get', 'post', 'put', 'patch', 'delete'];
const nameCharsMax = 80;
const slugCharsMax = 48;
const proseCharsMax = 300;
/** Paths of the seller's own account: the seller's key would let a buyer act as the seller. */
const ownSegment =
  /^(me|auth|oauth2?|tokens?|log-?in|log-?out|sign-?in|sign-?up|passwords?|sessions?|api-?keys?|credentials|billing)$/i;
/** `/user` and the paths below it mean the caller, unless a parameter follows. */
const ownPath = /^(\/v\d+)?\/user(\/(?!\{)|$)/i;
const contactAssumed = 'sales@example.com';
const trialUsual = 25;
const minUsual = Money.ofCents(50);

/**
 * Drafts a catalogue for the API that an OpenAPI 3 document describes: one service per tag, or per first segment of the path. Units are the
 * results in the list of a response, or one per success when there is no list. Every assumption is recorded in `doubts`.
 */
export function fromOpenApi(document: Schema.Node, price: Money.Money): CatalogDraft {
  const read = Schema.reader(document);
  const info = read(document.info);
  const services = new Map<string, DraftService>();
  const leftOut: CatalogDraft['leftOut'] = [];
  const paths = read(document.paths);
  for (const [path, value] of Object.entries(paths)) {
    const item = read(value);
    for (const method of soldMethods) {
      const operation = read(item[method]);
      if (item[method] === undefined) continue;
      const call = `${method.toUpperCase()} ${path}`;
      if (operation.deprecated === true) leftOut.push({ call, reason: 'is deprecated' });
      else if (ownPath.test(path) || path.split('/').some((segment) => ownSegment.test(segment)))
        leftOut.push({
          call,
          reason: 'is about your own account with the API: list it if buyers may act in your name',
        });
      else place(services, read, { call, path, operation, shared: Schema.list(item.parameters) }, price);
    }
  }
  const sold = [...services.values()];
  const { key, doubts } = keyOf(document, read);
  const [server] = Schema.list(document.servers).map((one) => text(read(one).url));
  const { email, url } = read(info.contact);
  return {
    name: line(text(info.title) ?? 'My API', nameCharsMax),
    description: line(text(info.summary) ?? text(info.description)?.split(/\n\s*\n/)[0] ?? '', proseCharsMax),
    contact: text(email) ?? text(url) ?? contactAssumed,
    key,
    services: sold,
    trial: Math.max(trialUsual, trialNeeded(sold)),
    min: minUsual,
    leftOut,
    upstreamUrl: server !== null && server !== undefined && URL.canParse(server) ? server : null,
    doubts,
  };
}

/** Returns the smallest trial that allows every operation: a call needs units for its worst case. */
export function trialNeeded(services: readonly DraftService[]): number {
  const most = services.flatMap(({ operations }) => operations.map(({ unitsMax }) => unitsMax));
  return Math.max(1, ...most.map((max) => (typeof max === 'number' ? max : 1)));
}

/** Returns the maximum value of a trial. */
export function trialWorth({ trial, services }: Pick<CatalogDraft, 'trial' | 'services'>): Money.Money {
  return Money.times(Money.ofMicro(Math.max(0, ...services.map(({ price }) => price))), trial);
}

type Found = { call: string; path: string; operation: Schema.Node; shared: readonly unknown[] };

function place(
  services: Map<string, DraftService>,
  read: Schema.Reader,
  { call, path, operation, shared }: Found,
  price: Money.Money,
): void {
  const parameters = [...Schema.list(operation.parameters), ...shared];
  const counted = InferUnits.find(read, operation, parameters, path);
  const tag = text(Schema.list(operation.tags)[0]) ?? firstSegment(path);
  const isRead = counted !== null || call.startsWith('GET ');
  const slug = slugOf(isRead ? tag : `${tag} writing`);
  const service = services.get(slug) ?? {
    slug,
    name: line(isRead ? tag : `${tag}: writing`, nameCharsMax),
    unit: isRead ? 'result' : 'call',
    price,
    operations: [],
  };
  services.set(slug, service);
  service.operations.push({
    call,
    summary: text(operation.summary),
    units: counted?.units ?? 1,
    unitsMax: counted?.unitsMax ?? null,
    doubts: [
      ...(counted?.doubts ?? []),
      ...(call.startsWith('DELETE ') ? ['Every buyer could delete this: is it theirs, or yours?'] : []),
    ],
  });
}

/**
 * Writes the catalogue file of a draft. Operations that break the rules of the catalogue are removed and listed in `leftOut`; `text` is
 * null when none remains.
 * @param description the file of the OpenAPI document, relative to the catalogue
 */
export function write(
  proposal: CatalogDraft,
  description: string,
): { text: string | null; proposal: CatalogDraft } {
  if (proposal.services.length === 0) return { text: null, proposal };
  const text = yaml(proposal, description);
  const parsed = CatalogFile.parse(text, 'catalog.yaml');
  return parsed.ok ? { text, proposal } : write(without(proposal, parsed.faults), description);
}

/** Removes the operations with faults from the draft. Throws when a fault is not in an operation. */
function without(proposal: CatalogDraft, faults: readonly { path: string; reason: string }[]): CatalogDraft {
  const reasons = new Map<Operation, string>();
  for (const { path, reason } of faults) {
    const [, service, operation] = /^services\[(\d+)\]\.operations\[(\d+)\]/.exec(path) ?? [];
    const found = proposal.services[Number(service)]?.operations[Number(operation)];
    if (found) reasons.set(found, reason.replace(/^call \S+ /, ''));
  }
  if (reasons.size === 0) throw new Error(faults.map(({ path, reason }) => `${path}: ${reason}`).join('\n'));
  const services = proposal.services
    .map((service) => ({ ...service, operations: service.operations.filter((one) => !reasons.has(one)) }))
    .filter(({ operations }) => operations.length > 0);
  const leftOut = [...reasons].map(([{ call }, reason]) => ({ call, reason }));
  return { ...proposal, services, leftOut: [...proposal.leftOut, ...leftOut] };
}

function yaml(proposal: CatalogDraft, description: string): string {
  const { name, description: about, contact, key, services, trial, min, leftOut, doubts } = proposal;
  const document = new Document({
    storefront: { name, ...(about && { description: about }), contact },
    upstream: { description, key },
    services: services.map((service) => ({
      slug: service.slug,
      name: service.name,
      unit: service.unit,
      price_usd: Money.format(service.price),
      operations: service.operations.map(({ call, units, unitsMax }) => ({
        call,
        units,
        ...(unitsMax !== null && { units_max: unitsMax }),
      })),
    })),
    plans: [
      ...(trial > 0 ? [{ id: 'trial', kind: 'trial', covers: '*', included: trial }] : []),
      { id: 'credit', kind: 'credit', covers: '*', min_usd: Money.format(min), max_usd: '1000.00' },
    ],
  });
  document.commentBefore = [
    ' A first catalogue, made from an API description. Look over every line marked "?", set your prices, and leave out what you do not sell.',
    ...doubts.map((doubt) => ` ? ${doubt}`),
    ...(leftOut.length === 0 ? [] : ['', ' Not sold:']),
    ...leftOut.map(({ call, reason }) => `   ${call}: ${reason}`),
  ].join('\n');
  for (const [s, service] of services.entries()) {
    const entry = document.getIn(['services', s], true);
    if (isMap(entry) && s > 0) entry.spaceBefore = true;
    for (const [o, operation] of service.operations.entries())
      remark(document.getIn(['services', s, 'operations', o], true), operation);
  }
  for (const section of ['upstream', 'services', 'plans']) {
    const pair = (document.contents as YAMLMap<{ value: string; spaceBefore?: boolean }>).items.find(
      ({ key: at }) => at.value === section,
    );
    if (pair) pair.key.spaceBefore = true;
  }
  return document.toString({ lineWidth: 140, flowCollectionPadding: true });
}

/** Writes the doubts as comments above an operation, and short values on one line. */
function remark(entry: unknown, { summary, doubts }: Operation): void {
  if (!isMap(entry)) return;
  const most = entry.get('units_max', true);
  if (isMap(most)) most.flow = true;
  const lines = [
    ...(summary === null ? [] : [` ${line(summary, 100)}`]),
    ...doubts.map((doubt) => ` ? ${doubt}`),
  ];
  if (lines.length > 0) entry.commentBefore = lines.join('\n');
}

/** Returns the header for the API key, by the security schemes of the description. */
function keyOf(document: Schema.Node, read: Schema.Reader): { key: CatalogDraft['key']; doubts: string[] } {
  const schemes = read(read(document.components).securitySchemes);
  // Schemes that every call requires come first.
  const wanted = Schema.list(document.security).flatMap((one) => Object.keys(read(one)));
  const names = [...wanted, ...Object.keys(schemes)];
  const found = names.map((name) => read(schemes[name]));
  for (const { type, in: at, name, scheme } of found) {
    if (type === 'apiKey' && at === 'header')
      return { key: { header: String(name).toLowerCase(), value: '{key}' }, doubts: [] };
    if (
      type === 'oauth2' ||
      type === 'openIdConnect' ||
      (type === 'http' && /^bearer$/i.test(String(scheme)))
    )
      return { key: { header: 'authorization', value: 'Bearer {key}' }, doubts: [] };
    if (type === 'http' && /^basic$/i.test(String(scheme)))
      return {
        key: { header: 'authorization', value: 'Basic {key}' },
        doubts: ['Basic authentication: UPSTREAM_API_KEY is the base64 of user:password'],
      };
  }
  const reason = found.some(({ type, in: at }) => type === 'apiKey' && at === 'query')
    ? 'The API takes the key in the query, where logs expose it: check whether it also accepts the key in a header'
    : 'The description has no security scheme: enter the header that carries your key';
  return { key: { header: 'x-api-key', value: '{key}' }, doubts: [reason] };
}

/** Returns the first meaningful segment: not a version, `api` or a parameter. */
function firstSegment(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'));
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

function line(value: string, charsMax: number): string {
  const flat = value.replace(/\s+/g, ' ').trim();
  return flat.length <= charsMax ? flat : `${flat.slice(0, charsMax - 1)}…`;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
