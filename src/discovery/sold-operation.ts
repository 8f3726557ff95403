import * as Schema from '../advisor/schema.ts';
import type { Catalog } from '../catalog/catalog.ts';
import * as Description from '../catalog/description.ts';
import type { Operation } from '../catalog/operation.ts';
import * as Headers from '../relay/headers.ts';
import * as Components from './components.ts';
import * as PaymentInfo from './payment-info.ts';

/** An operation in the words of OpenAPI, with what it names; `path` is spelled as its description does. */
export type Described = { path: string; operation: Schema.Node; refs: ReadonlySet<string> };

/** What the upstream says of its operations, by `Description.key`. */
export type Said = ReadonlyMap<string, { path: string; item: Schema.Node; operation: Schema.Node }>;

const own = (kind: string, name: string) => ({ $ref: `#/components/${kind}/Storefront${name}` });
/** What the storefront adds: what a caller may send, what every refusal is, what an answer tells of its cost. */
const added = {
  parameters: [own('parameters', 'MaxCost'), own('parameters', 'Idempotency'), own('parameters', 'Receipt')],
  responses: {
    '401': own('responses', 'BearerRequired'),
    '402': own('responses', 'CreditExhausted'),
    '403': own('responses', 'PlanRequired'),
    default: own('responses', 'Refused'),
  },
  headers: {
    'storefront-units': own('headers', 'Units'),
    'storefront-cost-usd': own('headers', 'Cost'),
    'storefront-balance-usd': own('headers', 'Balance'),
  },
};

/** Reads the operations of an upstream's description; none where there is none. */
export function read(from: Components.Source): Said {
  const said = new Map<string, { path: string; item: Schema.Node; operation: Schema.Node }>();
  for (const [path, value] of Object.entries(Schema.node(from.root.paths))) {
    const item = Schema.node(value);
    for (const [method, operation] of Object.entries(item))
      said.set(Description.key(method.toUpperCase(), path), {
        path,
        item,
        operation: Schema.node(operation),
      });
  }
  return said;
}

/**
 * What the storefront says of an operation that it sells: what the upstream says, with the storefront's identity, refusals,
 * headers and prices in place of the upstream's own. @param storefront the description in which `added` stands
 */
export function describe(
  catalog: Catalog,
  sold: Operation,
  from: Components.Source,
  storefront: Components.Source,
  said: Said,
): Described {
  const found = said.get(Description.key(sold.method, sold.path));
  const { security: _, servers: __, tags: ___, ...raw } = found?.operation ?? undescribed(sold);
  const parameters = merge(Schema.list(found?.item.parameters), Schema.list(raw.parameters));
  const theirs = Components.adopt(from, {
    ...raw,
    parameters: parameters.filter((it) => crosses(Components.whole(from, it))),
    ...(raw.requestBody !== undefined && { requestBody: Components.whole(from, raw.requestBody) }),
    responses: answers(from, Schema.node(raw.responses)),
  });
  const ours = Components.adopt(storefront, added);
  const answered = Object.entries(Schema.node(theirs.value.responses)).map(([status, response]) => {
    const headers = { ...Schema.node(Schema.node(response).headers), ...Schema.node(ours.value.headers) };
    return [status, status.startsWith('2') ? { ...Schema.node(response), headers } : response];
  });
  return {
    path: found?.path ?? sold.path,
    operation: {
      ...theirs.value,
      tags: [sold.service.name],
      summary: Schema.text(theirs.value.summary) || sold.service.name,
      description: Schema.text(theirs.value.description) || sold.service.description,
      security: [{ planAccess: [] }],
      'x-payment-info': PaymentInfo.ofCall(catalog, sold),
      parameters: [...Schema.list(theirs.value.parameters), ...Schema.list(ours.value.parameters)],
      responses: { ...Object.fromEntries(answered), ...Schema.node(ours.value.responses) },
    },
    refs: new Set([...theirs.refs, ...ours.refs]),
  };
}

/** What can be said where nobody described the operation: the parameters of its path, and that it takes and gives something. */
function undescribed({ path, method, service }: Operation): Schema.Node {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');
  const anything = { 'application/json': { schema: {} } };
  return {
    description: `${service.description} The API that is sold here does not describe this operation.`.trim(),
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(!['GET', 'HEAD', 'DELETE'].includes(method) && { requestBody: { content: anything } }),
    responses: { '200': { description: 'The answer.', content: anything } },
  };
}

/** The answers that reach a caller: never the upstream's word on the operator's key, and only the headers that cross. */
function answers(from: Components.Source, responses: Schema.Node): Schema.Node {
  const reaching = Object.entries(responses).filter(([status]) => !(status in added.responses));
  return Object.fromEntries(
    reaching.map(([status, response]) => {
      if (!status.startsWith('2')) return [status, response];
      const { headers, ...answer } = Components.whole(from, response);
      const crossing = Object.entries(Schema.node(headers)).filter(([name]) => Headers.goesBack(name));
      return [status, { description: 'The answer.', ...answer, headers: Object.fromEntries(crossing) }];
    }),
  );
}

/** Whether a caller can send a parameter: cookies and the operator's key are not his. */
function crosses({ in: place, name }: Schema.Node): boolean {
  return place !== 'cookie' && (place !== 'header' || Headers.goesOut(Schema.text(name)));
}

/** An operation's own parameters go before those of its path. */
function merge(shared: readonly unknown[], own: readonly unknown[]): unknown[] {
  const key = (it: unknown) => `${Schema.node(it).in} ${Schema.node(it).name} ${Schema.node(it).$ref}`;
  const taken = new Set(own.map(key));
  return [...shared.filter((it) => !taken.has(key(it))), ...own];
}
