import * as Schema from '@sluice/kernel/json-schema';
import { operationKey } from '@sluice/kernel/operation-key';
import type { Catalog } from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import * as SocketRule from '../catalog/socket-rule.ts';
import * as Headers from '../proxy/headers.ts';
import * as Components from './components.ts';
import * as PaymentInfo from './payment-info.ts';

/** An OpenAPI operation and its references; `path` is spelled as in its description. */
export type DescribedOperation = { path: string; operation: Schema.Node; refs: ReadonlySet<string> };

/** The operations that the upstream describes, by `operationKey`. */
export type UpstreamOperations = ReadonlyMap<
  string,
  { path: string; item: Schema.Node; operation: Schema.Node }
>;

const own = (kind: string, name: string) => ({ $ref: `#/components/${kind}/Storefront${name}` });
/** Components that the storefront adds: request headers, refusals, and response headers with the cost. */
const added = {
  parameters: [own('parameters', 'MaxCost'), own('parameters', 'Idempotency'), own('parameters', 'Receipt')],
  responses: {
    '401': own('responses', 'BearerRequired'),
    '402': own('responses', 'CreditExhausted'),
    '403': own('responses', 'PlanRequired'),
    default: own('responses', 'Refused'),
  },
  headers: {
    'storefront-cost-usd': own('headers', 'Cost'),
    'storefront-balance-usd': own('headers', 'Balance'),
  },
};

/** The component of the response header that states what was counted: units, or the quantity of each meter. */
function countedHeader({ units }: Operation) {
  return units.kind === 'meters'
    ? { 'storefront-usage': own('headers', 'Usage') }
    : { 'storefront-units': own('headers', 'Units') };
}

/** Reads the operations of an upstream's description; empty when there is none. */
export function read(from: Components.ComponentSource): UpstreamOperations {
  const said = new Map<string, { path: string; item: Schema.Node; operation: Schema.Node }>();
  for (const [path, value] of Object.entries(Schema.node(from.root.paths))) {
    const item = Schema.node(value);
    for (const [method, operation] of Object.entries(item))
      said.set(operationKey(method.toUpperCase(), path), {
        path,
        item,
        operation: Schema.node(operation),
      });
  }
  return said;
}

/**
 * Describes a sold operation: the upstream's description, with the authentication, refusals, headers and prices of the storefront.
 * @param storefront the description that contains `added`
 */
export function describe(
  catalog: Catalog,
  sold: Operation,
  from: Components.ComponentSource,
  storefront: Components.ComponentSource,
  said: UpstreamOperations,
): DescribedOperation {
  const found = said.get(operationKey(sold.method, sold.path));
  const { security: _, servers: __, tags: ___, ...raw } = found?.operation ?? undescribed(sold);
  const parameters = merge(Schema.list(found?.item.parameters), Schema.list(raw.parameters));
  const theirs = Components.adopt(from, {
    ...raw,
    parameters: parameters.filter((it) => crosses(Components.whole(from, it))),
    ...(raw.requestBody !== undefined && { requestBody: Components.whole(from, raw.requestBody) }),
    responses: answers(from, Schema.node(raw.responses)),
  });
  const ours = Components.adopt(storefront, {
    ...added,
    headers: { ...countedHeader(sold), ...added.headers },
  });
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
      description: described(sold, Schema.text(theirs.value.description)),
      ...(sold.job && { 'x-job': { poll: sold.job.poll, hours: sold.job.hours, unended: sold.job.unended } }),
      ...(sold.socket && { 'x-websocket': SocketRule.described(sold.socket, sold) }),
      security: [{ planAccess: [] }],
      'x-payment-info': PaymentInfo.ofCall(catalog, sold),
      parameters: [...Schema.list(theirs.value.parameters), ...Schema.list(ours.value.parameters)],
      responses: { ...Object.fromEntries(answered), ...Schema.node(ours.value.responses) },
    },
    refs: new Set([...theirs.refs, ...ours.refs]),
  };
}

/** The description of the upstream or the service, with the charges of a job. */
function described(sold: Operation, theirs: string): string {
  const { service, job, socket } = sold;
  const text = theirs || service.description;
  if (socket !== undefined) {
    const { charge } = SocketRule.described(socket, sold);
    return `${text}\n\nA WebSocket. It costs ${charge}; ${socket.step} units are held at a time.`.trim();
  }
  if (job === undefined) return text;
  const { poll, hours, unended } = job;
  const late = unended === 'free' ? 'is free' : 'is charged in full';
  const charges = `Starts a job. The most that it can cost is charged at once; when \`GET ${poll}\` shows its end, the rest is returned. A job that fails is free, and a job that has not ended after ${hours} hours ${late}.`;
  return text === '' ? charges : `${text}\n\n${charges}`;
}

/** Describes an operation without an upstream description: its path parameters, and an unspecified body and response. */
function undescribed({ path, method, service }: Operation): Schema.Node {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');
  const anything = { 'application/json': { schema: {} } };
  return {
    description: `${service.description} The API that is sold here does not describe this operation.`.trim(),
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(!['GET', 'HEAD', 'DELETE'].includes(method) && { requestBody: { content: anything } }),
    responses: { '200': { description: 'OK', content: anything } },
  };
}

/** Returns the responses that reach a caller: without the upstream's errors about the operator's key, and with the forwarded headers only. */
function answers(from: Components.ComponentSource, responses: Schema.Node): Schema.Node {
  const reaching = Object.entries(responses).filter(([status]) => !(status in added.responses));
  return Object.fromEntries(
    reaching.map(([status, response]) => {
      if (!status.startsWith('2')) return [status, response];
      const { headers, ...answer } = Components.whole(from, response);
      const crossing = Object.entries(Schema.node(headers)).filter(([name]) => Headers.isSentToCaller(name));
      return [status, { description: 'OK', ...answer, headers: Object.fromEntries(crossing) }];
    }),
  );
}

/** Returns true when a caller can send a parameter: cookies and the operator's key are not forwarded. */
function crosses({ in: place, name }: Schema.Node): boolean {
  return place !== 'cookie' && (place !== 'header' || Headers.isSentUpstream(Schema.text(name)));
}

/** Merges parameters: those of the operation override those of its path. */
function merge(shared: readonly unknown[], own: readonly unknown[]): unknown[] {
  const key = (it: unknown) => `${Schema.node(it).in} ${Schema.node(it).name} ${Schema.node(it).$ref}`;
  const taken = new Set(own.map(key));
  return [...shared.filter((it) => !taken.has(key(it))), ...own];
}
