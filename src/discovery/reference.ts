import { fileURLToPath } from 'node:url';
import * as Schema from '../advisor/schema.ts';
import type { Catalog } from '../catalog/catalog.ts';
import * as Description from '../catalog/description.ts';
import type { PaidPlan } from '../catalog/plan.ts';
import * as Components from './components.ts';
import * as Entry from './entry.ts';
import * as Finder from './finder.ts';
import * as PaymentInfo from './payment-info.ts';
import * as SoldOperation from './sold-operation.ts';

/** What a shop is, beside its catalogue. */
export type Context = {
  /** The shop's public origin, without a slash at its end. */
  baseUrl: string;
  /** Parts that a shop may or may not run: what it does not is not described. */
  offers: { claim: boolean; x402: boolean };
};

/** All that /openapi.json is cut from: made once for each catalogue. */
export type Reference = {
  context: Context;
  catalog: Catalog;
  entries: readonly Entry.Entry[];
  components: Components.Components;
  /** What is said of each tag, as JSON. */
  tags: ReadonlyMap<string, string>;
  finder: Finder.Finder;
};

const ownPath = fileURLToPath(new URL('../../openapi/storefront.yaml', import.meta.url));
/** What an agent needs first: the way in, before what is sold. */
const firstIds = [
  'plans.purchase',
  'advice.quote',
  'advice.guide',
  'advice.guide_by_body',
  'identity.register',
];
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Makes the reference of a shop. @param document the parsed OpenAPI description of the upstream; anything else means that
 * there is none
 */
export async function open(catalog: Catalog, document: unknown, context: Context): Promise<Reference> {
  const read = await Description.read(ownPath);
  if (!read.ok) throw new Error(`${ownPath} ${read.reason}`);
  return of(catalog, document, Schema.node(read.document), context);
}

function of(catalog: Catalog, document: unknown, own: Schema.Node, context: Context): Reference {
  const upstream = Components.source(document);
  const components: Components.Components = new Map();
  Components.add(components, upstream, false);
  const taken = new Set(components.keys());
  const storefront = Components.source(own, (ref) => (taken.has(ref) ? `${ref}_of_the_storefront` : ref));
  const drafts = [...ownDrafts(catalog, storefront, context), ...soldDrafts(catalog, upstream, storefront)];
  Components.add(components, storefront, true);
  const rank = ({ service, operation }: Entry.Draft) =>
    service === null ? firstIds.indexOf(Schema.text(operation.operationId)) : -1;
  const weight = ({ refs, operation }: Entry.Draft) =>
    Components.weigh(components, Components.closure(components, refs)) + JSON.stringify(operation).length;
  const ordered = [
    ...drafts.filter((it) => rank(it) >= 0).sort((a, b) => rank(a) - rank(b)),
    // The light ones first, so that the first page has many.
    ...drafts.filter((it) => it.service !== null).sort((a, b) => weight(a) - weight(b)),
    ...drafts.filter((it) => it.service === null && rank(it) < 0),
  ];
  const ids = new Set<string>();
  const entries = ordered.map((draft, at) => Entry.of(draft, at, components, ids));
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
    finder: Finder.open(entries, catalog, Schema.reader(Schema.node(document))),
  };
}

/** The storefront's own routes, as far as this shop runs them, with its plans and prices put in. */
function ownDrafts(catalog: Catalog, from: Components.Source, { offers }: Context): Entry.Draft[] {
  const plans = catalog.plans.filter((plan): plan is PaidPlan => plan.kind !== 'trial');
  const payment: Readonly<Record<string, PaymentInfo.PaymentInfo | null>> = {
    'plans.purchase': PaymentInfo.ofPurchase(plans, offers.x402),
    'advice.quote': PaymentInfo.ofProof(),
  };
  return Object.entries(Schema.node(from.root.paths)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const { [method]: value, parameters } = Schema.node(item);
      const { 'x-offered-with': condition, ...raw } = Schema.node(value);
      const id = Schema.text(raw.operationId);
      if (value === undefined || (condition === 'claim' && !offers.claim)) return [];
      if (id === 'plans.purchase' && plans.length === 0) return [];
      const own = Schema.list(raw.parameters);
      const shared = Schema.list(parameters).map((it) => sold(it, plans));
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

/** The plan that is bought is one of those that are for sale. */
function sold(parameter: unknown, plans: readonly PaidPlan[]): unknown {
  const node = Schema.node(parameter);
  return node.name === 'planId'
    ? { ...node, schema: { type: 'string', enum: plans.map(({ id }) => id) } }
    : node;
}

function soldDrafts(
  catalog: Catalog,
  upstream: Components.Source,
  storefront: Components.Source,
): Entry.Draft[] {
  const said = SoldOperation.read(upstream);
  return catalog.operations.map((operation) => {
    const described = SoldOperation.describe(catalog, operation, upstream, storefront, said);
    const { slug, name } = operation.service;
    return { ...described, method: operation.method, service: slug, tag: name };
  });
}
