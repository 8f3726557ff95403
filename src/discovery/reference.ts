import { fileURLToPath } from 'node:url';
import * as Schema from '@sluice/kernel/json-schema';
import type { Catalog } from '../catalog/catalog.ts';
import * as Description from '../catalog/description.ts';
import { forSale, type PaidPlan } from '../catalog/plan.ts';
import * as Components from './components.ts';
import * as Entry from './entry.ts';
import * as OperationSearch from './operation-search.ts';
import * as OwnQueries from './own-queries.ts';
import * as PaymentInfo from './payment-info.ts';
import * as SoldOperation from './sold-operation.ts';

/** Properties of a shop outside its catalogue. */
export type ReferenceContext = {
  /** The shop's public origin, without a trailing slash. */
  baseUrl: string;
  /** Optional parts of a shop; only active ones are described. */
  offers: { claim: boolean; x402: boolean };
};

/** The source of all pages of /openapi.json, built once per catalogue. */
export type Reference = {
  context: ReferenceContext;
  catalog: Catalog;
  entries: readonly Entry.Entry[];
  components: Components.Components;
  /** The description of each tag, as JSON. */
  tags: ReadonlyMap<string, string>;
  finder: OperationSearch.OperationSearch;
  /** Query parameters of the storefront's own operations. */
  ownQueries: readonly OwnQueries.OwnQuery[];
};

const ownPath = fileURLToPath(new URL('../../openapi/storefront.yaml', import.meta.url));
/** The address of the shop in the examples of its own operations. */
const anyShop = 'https://shop.example.com';
/** Operations that an agent needs first: registration and purchase come before the sold operations. */
const firstIds = [
  'plans.purchase',
  'advice.quote',
  'advice.guide',
  'advice.guide_by_body',
  'advice.required_quote',
  'identity.register',
];
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Builds the reference of a shop.
 * @param document the parsed OpenAPI description of the upstream; any other value means that there is none
 */
export async function openReference(
  catalog: Catalog,
  document: unknown,
  context: ReferenceContext,
): Promise<Reference> {
  const read = await Description.read(ownPath);
  if (!read.ok) throw new Error(`${ownPath} ${read.reason}`);
  const own = JSON.stringify(read.document)
    .replaceAll(anyShop, context.baseUrl)
    .replaceAll(new URL(anyShop).host, new URL(context.baseUrl).host);
  return of(catalog, document, Schema.node(JSON.parse(own)), context);
}

function of(catalog: Catalog, document: unknown, own: Schema.Node, context: ReferenceContext): Reference {
  const upstream = Components.source(document);
  const components: Components.Components = new Map();
  Components.add(components, upstream, false);
  const taken = new Set(components.keys());
  const storefront = Components.source(own, (ref) => (taken.has(ref) ? `${ref}_of_the_storefront` : ref));
  const drafts = [...ownDrafts(catalog, storefront, context), ...soldDrafts(catalog, upstream, storefront)];
  Components.add(components, storefront, true);
  const rank = ({ service, operation }: Entry.EntryDraft) =>
    service === null ? firstIds.indexOf(Schema.text(operation.operationId)) : -1;
  const weight = ({ refs, operation }: Entry.EntryDraft) =>
    Components.weigh(components, Components.closure(components, refs)) + JSON.stringify(operation).length;
  const ordered = [
    ...drafts.filter((it) => rank(it) >= 0).sort((a, b) => rank(a) - rank(b)),
    // Small operations first, so that the first page has many.
    ...drafts.filter((it) => it.service !== null).sort((a, b) => weight(a) - weight(b)),
    ...drafts.filter((it) => it.service === null && rank(it) < 0),
  ];
  const ids = new Set<string>();
  const entries = ordered.map((draft, at) => Entry.entryOf(draft, at, components, ids));
  return {
    context,
    catalog,
    entries,
    components,
    tags: new Map(
      [
        ...Schema.list(own.tags).map(Schema.node),
        ...catalog.services.map(({ name, description }) => ({ name, description })),
      ].map((tag) => [Schema.text(tag.name), JSON.stringify(tag)]),
    ),
    ownQueries: OwnQueries.read(own),
    finder: OperationSearch.indexOperations(entries, catalog, Schema.reader(Schema.node(document))),
  };
}

/** Returns the storefront's own routes that this shop has, with its plans and prices filled in. */
function ownDrafts(
  catalog: Catalog,
  from: Components.ComponentSource,
  { offers }: ReferenceContext,
): Entry.EntryDraft[] {
  const plans = forSale(catalog.plans);
  const exampled = exampling(catalog, from);
  const payment: Readonly<Record<string, PaymentInfo.PaymentInfo | null>> = {
    'plans.purchase': PaymentInfo.ofPurchase(plans, offers.x402),
    'advice.quote': PaymentInfo.ofProof(),
    'advice.required_quote': PaymentInfo.ofProof(),
  };
  return Object.entries(Schema.node(from.root.paths)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const { [method]: value, parameters } = Schema.node(item);
      const { 'x-offered-with': condition, ...raw } = Schema.node(value);
      const id = Schema.text(raw.operationId);
      if (value === undefined || (condition === 'claim' && !offers.claim)) return [];
      if (id === 'plans.purchase' && plans.length === 0) return [];
      const own = Schema.list(raw.parameters).map(exampled);
      const shared = Schema.list(parameters).map((it) => exampled(sold(it, plans)));
      const body =
        raw.requestBody === undefined ? {} : { requestBody: Components.whole(from, raw.requestBody) };
      const { value: operation, refs } = Components.adopt(from, {
        ...raw,
        ...body,
        parameters: [...shared, ...own],
      });
      const info = payment[id] ?? null;
      return [
        {
          method: method.toUpperCase(),
          path,
          service: null,
          tag: String(Schema.list(operation.tags)[0]),
          operation: info === null ? operation : { ...operation, 'x-payment-info': info },
          refs,
        },
      ];
    }),
  );
}

/** Limits the plan parameter to the plans on sale. */
function sold(parameter: unknown, plans: readonly PaidPlan[]): unknown {
  const node = Schema.node(parameter);
  return node.name === 'planId'
    ? { ...node, schema: { type: 'string', enum: plans.map(({ id }) => id) }, example: plans[0]?.id }
    : node;
}

/** Returns a function that gives the parameters for a plan that renews and for a service an example of the catalogue. */
function exampling(catalog: Catalog, from: Components.ComponentSource): (parameter: unknown) => unknown {
  const examples: Readonly<Record<string, string | undefined>> = {
    '#/components/parameters/StorefrontPlan': catalog.plans.find(({ kind }) => kind === 'subscription')?.id,
    '#/components/parameters/StorefrontService': catalog.services[0]?.slug,
  };
  return (parameter) => {
    const example = examples[Schema.text(Schema.node(parameter).$ref)];
    return example === undefined ? parameter : { ...Components.whole(from, parameter), example };
  };
}

function soldDrafts(
  catalog: Catalog,
  upstream: Components.ComponentSource,
  storefront: Components.ComponentSource,
): Entry.EntryDraft[] {
  const said = SoldOperation.read(upstream);
  return catalog.operations.map((operation) => {
    const described = SoldOperation.describe(catalog, operation, upstream, storefront, said);
    const { slug, name } = operation.service;
    return { ...described, method: operation.method, service: slug, tag: name };
  });
}

const readers = new WeakMap<Reference, Schema.Reader>();

/** Returns the reader of the description's schemas, which is made once. */
export function schemaReader(reference: Reference): Schema.Reader {
  const reader = readers.get(reference) ?? Schema.reader(rootOf(reference));
  readers.set(reference, reader);
  return reader;
}

/** Returns the components as one document in which references can be resolved. */
export function rootOf({ components }: Reference): Schema.Node {
  const root: Record<string, Record<string, unknown>> = {};
  for (const [ref, { json }] of components) {
    const [, , kind = '', name = ''] = ref.split('/');
    root[kind] = { ...root[kind], [name]: JSON.parse(json) };
  }
  return { components: root };
}
