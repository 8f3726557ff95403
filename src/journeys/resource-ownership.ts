import * as JsonEdit from '@sluice/kernel/json-edit';
import * as JsonElements from '@sluice/kernel/json-elements';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Catalog from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import * as OwnershipRule from '../catalog/ownership-rule.ts';
import type { Hold } from '../ledger/hold.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as ByteOrderMark from '../proxy/byte-order-mark.ts';
import * as ContentCoding from '../proxy/content-coding.ts';
import { responseBytesMax } from '../proxy/meter.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import { idCharsMax, type Resource } from '../proxy/resource-owners.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { PaidCall } from './call-request.ts';
import * as LeftOut from './left-out.ts';
import { framed } from './own-figures.ts';
import type { PaidCallContext } from './paid-call-context.ts';

type Owners = Pick<ProxyContext, 'resourceOwners' | 'report'>;

/** Why a response with resources is not delivered. */
type Fault =
  /** The response is not JSON, is too long, or has no id or list at the pointer. */
  | 'unreadable'
  /** The id belongs to another account. */
  | 'taken'
  /** The account has as many resources as it may have. */
  | 'full'
  | 'ledger_unavailable';

export type OwnershipRefusal =
  /** The path names a resource that is not the caller's, whether it exists or not. */
  | { kind: 'resource_not_found' }
  | { kind: 'too_many_resources' }
  /** The owner of the resources in a successful response cannot be determined. */
  | { kind: 'ownership_unclear' }
  | { kind: 'ledger_unavailable' };

/** A list that is restricted to priced items cannot be read. */
type UnreadableList = { kind: 'response_uncountable'; reason: 'missing' };

/** Returns true when the operation has any rule for resources. */
export function applies({ owns, owned, onlyOwned, onlyPriced }: Operation): boolean {
  return [owns, owned, onlyOwned, onlyPriced].some((rule) => rule !== undefined);
}

/** Returns why a call must not reach the upstream, or null: its path names the resource of another account, or it would create one too many. */
export async function refused(
  { resourceOwners }: Owners,
  { operation, account, target }: PaidCall,
): Promise<OwnershipRefusal | null> {
  const { owned = [], owns } = operation;
  const named = owned.map((rule) => resourceAt(rule, target.path));
  if (named.includes(null)) return { kind: 'resource_not_found' };
  const resources = named.filter((resource) => resource !== null);
  try {
    if (resources.length > 0 && !(await resourceOwners.areOwned(account, resources)))
      return { kind: 'resource_not_found' };
    return owns !== undefined && (await resourceOwners.isFull(account))
      ? { kind: 'too_many_resources' }
      : null;
  } catch {
    return { kind: 'ledger_unavailable' };
  }
}

/**
 * Restricts the list in a response to the caller's own resources, or to what has prices, before it is counted. A list that cannot be
 * restricted is refused, and the hold of its call is released.
 */
export async function restrict(
  shop: Owners & Pick<PaidCallContext, 'writer' | 'catalog' | 'uncountable'>,
  { operation, account }: PaidCall,
  hold: Hold,
  response: WholeResponse | StreamedResponse,
): Promise<WholeResponse | StreamedResponse | OwnershipRefusal | UnreadableList> {
  const { onlyOwned, onlyPriced } = operation;
  if (!isSuccess(response)) return response;
  if (onlyPriced !== undefined) {
    const keys = Catalog.priceKeys(shop.catalog, operation.service);
    const priced = (ids: readonly string[]) =>
      keys === null ? ids : ids.filter((id) => keys.has(afterPrefix(id, onlyPriced.prefix)));
    const part = await keepListed(onlyPriced, response, async (ids) => new Set(priced(ids)));
    return typeof part === 'string' ? unreadableList(shop, operation, hold) : part;
  }
  if (onlyOwned === undefined) return response;
  const owned = (ids: readonly string[]) => shop.resourceOwners.owned(account, onlyOwned.kind, ids);
  // The addresses of other pages may name items of other accounts.
  const listed = onlyOwned.link ? response : { ...response, headers: withoutLink(response.headers) };
  const part = await keepListed(onlyOwned, listed, owned, true).catch(unavailable);
  return typeof part === 'string' ? refuse(shop, operation, hold, part) : part;
}

/**
 * Binds the resource that a response has created to its caller durably, and ends the binding of one that it has deleted. Returns null, or
 * why the response may not be delivered; then the hold of its call is released.
 */
export async function bind(
  shop: Owners & Pick<LedgerContext, 'writer'>,
  call: PaidCall,
  hold: Hold,
  response: WholeResponse | StreamedResponse,
): Promise<OwnershipRefusal | null> {
  if (!isSuccess(response)) return null;
  const fault = await bound(shop.resourceOwners, call, response).catch(unavailable);
  return fault === null ? null : refuse(shop, call.operation, hold, fault);
}

function withoutLink(headers: readonly string[]): string[] {
  return headers.filter((_, at) => headers[at - (at % 2)] !== 'link');
}

function isSuccess({ status }: WholeResponse | StreamedResponse): boolean {
  return status >= 200 && status <= 299;
}

function unavailable(): Fault {
  return 'ledger_unavailable';
}

function refuse(
  shop: Owners & Pick<LedgerContext, 'writer'>,
  operation: Operation,
  hold: Hold,
  reason: Fault,
): OwnershipRefusal {
  shop.writer.release(hold);
  shop.report('resource_unbound', { call: hold.callId, operation: operation.id, reason });
  if (reason === 'full') return { kind: 'too_many_resources' };
  return { kind: reason === 'ledger_unavailable' ? reason : 'ownership_unclear' };
}

/** Returns the JSON of a response; undefined when it is none or was not read whole. */
export async function jsonIn(response: WholeResponse | StreamedResponse): Promise<unknown> {
  const body = await decoded(response).catch(() => null);
  return body === null ? undefined : jsonOf(body);
}

async function bound(
  resourceOwners: ProxyContext['resourceOwners'],
  { operation, account, target }: PaidCall,
  response: WholeResponse | StreamedResponse,
): Promise<Fault | null> {
  const ended = OwnershipRule.deleted(operation);
  const gone = ended && resourceAt(ended, target.path);
  if (gone) await resourceOwners.end(account, gone);
  const { owns } = operation;
  if (owns === undefined) return null;
  const body = await decoded(response);
  const id = body && idOf(jsonOf(body), owns.pointer);
  if (id === null) return 'unreadable';
  const binding = await resourceOwners.bind(account, { kind: owns.kind, id }, owns.days);
  return binding === 'bound' ? null : binding;
}

/** Returns the resource that a parameter of the path names; null where its spelling could name another one at the upstream. */
function resourceAt({ segment, kind }: OwnershipRule.Owned, path: string): Resource | null {
  const text = path.slice(1).split('/')[segment] ?? '';
  const id = unescaped(text);
  if (id === null || !isId(id)) return null;
  return text === id || encodeURIComponent(id) === text.replace(/%../g, (octet) => octet.toUpperCase())
    ? { kind, id }
    : null;
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function isId(id: string): boolean {
  return id.length > 0 && id.length <= idCharsMax && !/\p{Cc}|\p{Cs}/u.test(id);
}

/** Returns the id at a pointer: a text, or a whole number that every parser reads alike; null when there is none. */
export function idOf(value: unknown, pointer: JsonPointer.JsonPointer): string | null {
  const id = JsonPointer.resolve(value, pointer);
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : null;
  return typeof id === 'string' && isId(id) ? id : null;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8', ByteOrderMark.lengthOf(body)));
  } catch {
    return undefined;
  }
}

/** Returns the body without its content coding; null when it was not read whole or cannot be decoded. */
async function decoded(response: WholeResponse | StreamedResponse): Promise<Buffer | null> {
  if (response.kind === 'stream') return null;
  const { headers, body } = response;
  const codings = ContentCoding.parse(headers);
  if (codings === 'unknown') return null;
  return codings.length === 0 ? body : ContentCoding.decode(body, codings, responseBytesMax);
}

function unreadableList(
  shop: Pick<PaidCallContext, 'writer' | 'uncountable'>,
  operation: Operation,
  hold: Hold,
): UnreadableList {
  shop.writer.release(hold);
  shop.uncountable({ call: hold.callId, operation: operation.id, reason: 'missing' });
  return { kind: 'response_uncountable', reason: 'missing' };
}

function afterPrefix(id: string, prefix: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/**
 * Returns a list with the items only that `kept` returns the ids of. All other bytes stay as they are.
 * @param hides true to remove the members beside the list that name an item which was left out
 */
async function keepListed(
  { list, key, remove }: Pick<OwnershipRule.OnlyOwned, 'list' | 'key' | 'remove'>,
  response: WholeResponse | StreamedResponse,
  kept: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  hides = false,
): Promise<WholeResponse | Fault> {
  if (response.kind === 'stream') return 'unreadable';
  // A response without a body, such as a 204, lists nothing.
  if (response.body.length === 0) return response;
  const body = await decoded(response);
  if (body === null) return 'unreadable';
  const start = ByteOrderMark.lengthOf(body);
  const found = JsonElements.find(body, start, list);
  if (found.kind !== 'array') return 'unreadable';
  const ids = found.elements.map(({ from, to }) => idOf(jsonOf(body.subarray(from, to)), key));
  const own = await kept(ids.filter((id) => id !== null));
  const part = JsonElements.filter(body, found.elements, (_, at) => own.has(ids[at] ?? ''));
  const leftOut = new Set(ids.filter((id) => id !== null && !own.has(id)) as string[]);
  const named =
    hides && leftOut.size > 0 ? LeftOut.membersNaming(jsonOf(part), { list, key }, { own, leftOut }) : [];
  const edits = [...remove, ...named].map((pointer) => ({ pointer, json: null }));
  const edited = JsonEdit.edit(part, start, edits);
  if (edited === null) return 'unreadable';
  if (edited === body) return response;
  return { ...response, headers: framed(response.headers, edited.length), body: edited };
}
