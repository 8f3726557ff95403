import * as Key from './key.ts';
import type { Leaf } from './leaf.ts';
import type { Maker, Offer } from './offer.ts';
import type { Slot } from './slot.ts';
import { stem } from './words.ts';

/** Names by which one thing is found that do not say what it is. */
const bare = /^(?:id|key|code|slug|uuid|guid|number|no|ref|reference|handle|name)$/;
/** Names of lists that do not say what they hold. */
const wrapper = /^(?:data|items?|results?|records?|list|entries|hits|matches|values|candidates|attributes)$/i;
const searches = /^(?:search|find|query|list|lookup|resolve|all)$/;
/** The depth of the response up to which a created thing names itself. */
const depthMax = 3;

/** The part of an offer that says where values come from. */
type Known = Pick<Offer, 'operation' | 'slots' | 'gives'>;

/** Finds for each value that an operation is asked about the other operations whose responses have it. */
export function among(offers: readonly Known[]): (self: number, slot: Slot) => Maker[] {
  const sources = offers.map(({ gives }) => Key.sources(gives));
  return (self, slot) => {
    const wanted = Key.wanted(slot);
    const collection = slot.place === 'path' ? collectionOf(offers[self]?.operation.path ?? '', slot) : null;
    return offers.flatMap((offer, at) => {
      if (at === self) return [];
      const isNumber = slot.kind === 'number' && !slot.isKey;
      const leaf =
        (isNumber ? null : Key.source(sources[at] as Key.Sources, wanted)) ??
        (Key.isIdentifier(slot.leaf) ? qualified(offer, slot) : null) ??
        (collection === null ? null : ofCollection(offer, collection));
      return leaf === null ? [] : [{ at, leaf, isOwn: isOwn(offer, leaf) }];
    });
  };
}

/** The value whose name, with what it is of, ends the name of a slot: `groups.*.id` for `group_id`, `assetId` for `picture.assetId`. */
function qualified({ operation: { path: address }, gives }: Known, { leaf, kind, isKey }: Slot): Leaf | null {
  const name = Key.raw(leaf.path.at(-1) ?? '');
  const found = gives.filter(({ path }) => {
    const keys = path.filter((key) => key !== '*' && !wrapper.test(key));
    const own = Key.raw(keys.at(-1) ?? '');
    const isBare = own.length === 1 && bare.test(own[0] ?? '');
    if (kind === 'number' && !isKey && !isBare) return false;
    const thing = Key.raw(keys.at(-2) ?? thingsAt(address)).slice(-1);
    const full = isBare ? [...thing, ...own] : own;
    return full.length > 1 && full.join(' ') === name.slice(-full.length).join(' ');
  });
  return found.sort((a, b) => a.path.length - b.path.length)[0] ?? null;
}

/** Returns true for the key of what an operation is about, and false for the key of something else that it names. */
function isOwn({ operation }: Known, { path }: Leaf): boolean {
  const keys = path.filter((key) => key !== '*' && !wrapper.test(key));
  const own = Key.raw(keys.at(-1) ?? '');
  const things = Key.raw(thingsAt(operation.path)).map(stem);
  const thing = own.length > 1 ? own.at(-2) : Key.raw(keys.at(-2) ?? '').at(-1);
  return thing === undefined || things.includes(stem(thing));
}

/** The last part of an address that names things: `crew` of `/v2/crew/search`. */
function thingsAt(address: string): string {
  return (
    address.split('/').findLast((part) => part !== '' && !part.includes('{') && !searches.test(part)) ?? ''
  );
}

/** The address before the key of one thing: `/cases` of `/cases/{case-key}/trail`; null when nothing is there. */
function collectionOf(path: string, slot: Slot): string | null {
  const at = path.indexOf(`/{${slot.leaf.path[0]}}`);
  const before = at < 0 ? '' : path.slice(0, at);
  return before === '' || before.endsWith('}') ? null : before;
}

/** The key of a thing in the response of an operation that lists, searches or creates things at an address. */
function ofCollection({ operation: { method, path }, slots, gives }: Known, collection: string): Leaf | null {
  const isFree = slots.every((slot) => slot.place !== 'path');
  const isThere =
    path === collection ||
    (path.startsWith(`${collection}/`) && searches.test(path.slice(collection.length + 1)));
  if (!isThere || !isFree) return null;
  const isMany = method === 'GET' || path !== collection;
  const fit = gives.filter(
    ({ path: keys }) =>
      isKeyName(keys.at(-1) ?? '', collection) &&
      (isMany
        ? keys.indexOf('*') >= 0 && keys.indexOf('*') <= 1 && keys.length <= keys.indexOf('*') + 2
        : !keys.includes('*') && keys.length <= depthMax),
  );
  return fit.sort((a, b) => a.path.length - b.path.length)[0] ?? null;
}

/** Returns true for the name of a key of the things at an address: `id`, `case_key` at `/cases`. */
function isKeyName(name: string, collection: string): boolean {
  const words = Key.raw(name);
  const things = stem(collection.split('/').at(-1) ?? '');
  const last = words.at(-1) ?? '';
  const isOf = words.length === 1 || words.slice(0, -1).map(stem).includes(things);
  return (bare.test(last) && last !== 'name' && isOf) || /^code[_-]/.test(name);
}
