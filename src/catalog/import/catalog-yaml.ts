import * as Money from '@sluice/kernel/money';
import { Document, isMap, isSeq, type YAMLMap } from 'yaml';
import * as CatalogFile from '../file.ts';
import type { CatalogDraft, DraftService, Operation } from './catalog-draft.ts';
import { isNamed } from './key-draft.ts';

const summaryCharsMax = 100;
/** The trial of a shop with meters, whose calls units never pay for. */
const trialUsd = '0.10';

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
  return parsed.ok ? { text, proposal } : write(withoutFaults(proposal, parsed.faults), description);
}

/** Returns a draft without the operation `call`, which is listed in `leftOut`. */
export function without(proposal: CatalogDraft, call: string, reason: string): CatalogDraft {
  return leaveOut(proposal, new Map([[call, reason]]));
}

/** Removes the operations with faults from the draft. Throws when a fault is not in an operation. */
function withoutFaults(
  proposal: CatalogDraft,
  faults: readonly { path: string; reason: string }[],
): CatalogDraft {
  const reasons = new Map<string, string>();
  for (const { path, reason } of faults) {
    const [, service, operation] = /^services\[(\d+)\]\.operations\[(\d+)\]/.exec(path) ?? [];
    const found = proposal.services[Number(service)]?.operations[Number(operation)];
    if (found) reasons.set(found.call, reason.replace(/^call \S+ /, ''));
  }
  if (reasons.size === 0) throw new Error(faults.map(({ path, reason }) => `${path}: ${reason}`).join('\n'));
  return leaveOut(proposal, reasons);
}

function leaveOut(proposal: CatalogDraft, reasons: ReadonlyMap<string, string>): CatalogDraft {
  const services = proposal.services
    .map((service) => ({
      ...service,
      operations: service.operations.filter(({ call }) => !reasons.has(call)),
    }))
    .filter(({ operations }) => operations.length > 0);
  const leftOut = [...reasons].map(([call, reason]) => ({ call, reason }));
  return { ...proposal, services, leftOut: [...proposal.leftOut, ...leftOut] };
}

function yaml(proposal: CatalogDraft, description: string): string {
  const { name, description: about, contact, services } = proposal;
  const document = new Document(
    {
      storefront: { name, ...(about && { description: about }), contact },
      ...upstreams(proposal, description),
      services: services.map(service),
      plans: plans(proposal),
    },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = head(proposal);
  for (const [s, { operations }] of services.entries()) {
    const entry = document.getIn(['services', s], true);
    if (isMap(entry) && s > 0) entry.spaceBefore = true;
    for (const [o, operation] of operations.entries())
      remark(document.getIn(['services', s, 'operations', o], true), operation);
  }
  for (const [s, { usage }] of services.entries())
    for (const key of usage === null ? [] : ['meters', 'prices'])
      inline(document.getIn(['services', s, key]));
  for (const section of ['upstream', 'upstreams', 'services', 'plans']) {
    const pair = (document.contents as YAMLMap<{ value: string; spaceBefore?: boolean }>).items.find(
      ({ key: at }) => at.value === section,
    );
    if (pair) pair.key.spaceBefore = true;
  }
  return document.toString({ lineWidth: 140, flowCollectionPadding: true });
}

function head({ doubts, leftOut, others }: CatalogDraft): string {
  return [
    ' A first catalogue, made from an API description. Look over every line marked "?", set your prices, and leave out what you do not sell.',
    ...doubts.map((doubt) => ` ? ${doubt}`),
    ...(others === 0 ? [] : ['', ` ${others} more operations were not selected.`]),
    ...(leftOut.length === 0 ? [] : ['', ' Not sold:']),
    ...leftOut.map(({ call, reason }) => `   ${call}: ${reason}`),
  ].join('\n');
}

function upstreams({ key, mount, upstreams: urls }: CatalogDraft, description: string): object {
  const common = { description, ...(mount && { mount }) };
  if (!isNamed(key) && urls.size === 0) return { upstream: { ...common, key } };
  const named = urls.size === 0 ? new Map([['main', '']]) : urls;
  const entries = [...named].map(([name, url], at) => [
    name,
    {
      url: at === 0 ? { env: 'UPSTREAM_URL' } : url,
      key: { ...key, from: { env: 'UPSTREAM_API_KEY' } },
    },
  ]);
  return { upstream: common, upstreams: Object.fromEntries(entries) };
}

function service({ slug, name, unit, price, upstream, usage, prices, operations }: DraftService): object {
  const own = { slug, name, ...(upstream && { upstream }) };
  if (usage === null)
    return {
      ...own,
      unit,
      price_usd: Money.format(price),
      operations: operations.map(({ call, asks, units, unitsMax }) => ({
        call,
        ...(asks.length > 0 && { asks }),
        units,
        ...(unitsMax !== null && { units_max: unitsMax }),
      })),
    };
  return {
    ...own,
    meters: usage.meters,
    ...(usage.priceBy && { price_by: usage.priceBy }),
    prices,
    operations: operations.map(({ call, asks, usage: used }) => ({
      call,
      ...(asks.length > 0 && { asks }),
      max: used?.max,
      ...(used?.stream && { stream: used.stream }),
    })),
  };
}

function plans({ services, trial, min }: CatalogDraft): object[] {
  const counted = services.filter(({ usage }) => usage === null);
  const isAll = counted.length === services.length;
  const included = isAll ? { included: trial } : { included_usd: trialUsd };
  return [
    ...(trial > 0 ? [{ id: 'trial', kind: 'trial', covers: '*', ...included }] : []),
    { id: 'credit', kind: 'credit', covers: '*', min_usd: Money.format(min), max_usd: '1000.00' },
  ];
}

/** Writes the doubts as comments above an operation, and short values on one line. */
function remark(entry: unknown, { summary, doubts }: Operation): void {
  if (!isMap(entry)) return;
  const most = entry.get('units_max', true);
  if (isMap(most)) most.flow = true;
  inline(entry.get('max'));
  inline(entry.get('stream'));
  const asks = entry.get('asks', true);
  if (isSeq(asks))
    asks.commentBefore = ' ? drafts of what buyers say: edit them, and add more (docs/advisor.md)';
  const about = summary === null ? [] : [` ${shortened(summary)}`];
  const lines = [...about, ...doubts.map((doubt) => ` ? ${doubt}`)];
  if (lines.length > 0) entry.commentBefore = lines.join('\n');
}

/** Writes each mapping in a mapping on one line. */
function inline(entry: unknown): void {
  if (isMap(entry)) for (const { value } of entry.items) if (isMap(value)) value.flow = true;
}

function shortened(value: string): string {
  const flat = value.replace(/\s+/g, ' ').trim();
  return flat.length <= summaryCharsMax ? flat : `${flat.slice(0, summaryCharsMax - 1)}…`;
}
