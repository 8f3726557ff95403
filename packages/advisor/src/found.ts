import type { Goal } from './goal.ts';
import * as Identifier from './identifier.ts';
import * as Key from './key.ts';
import type { Leaf } from './leaf.ts';
import * as Located from './located.ts';
import type { Finder, Offer } from './offer.ts';
import type { Slot } from './slot.ts';

/** Numbers by which one thing is found. */
const identifier = /(?:id|number|code|key|ref)$/i;

/** Returns the operations that find what `offer` needs: both coordinates of a place, the id of a place, the number of an order. */
export function findersOf(offer: Offer, offers: readonly Offer[]): Finder[] {
  const needed = offer.slots.filter((slot) => isNumber(slot) || isPoint(slot));
  if (needed.length === 0) return [];
  return offers.flatMap((other): Finder[] => {
    const name = other === offer ? null : nameSlot(other);
    if (name === null) return [];
    const items = Map.groupBy(
      other.gives.filter((leaf) => isNumeric(leaf) || isId(leaf)),
      ({ path }) => path.slice(0, -1).join('/'),
    );
    const found = [...items.values()].map((leaves) =>
      needed.flatMap((slot) => {
        const leaf = leaves.find((own) =>
          isPoint(slot) ? isNamedBy(own, slot) : isSame(nameOf(own), nameOf(slot.leaf)),
        );
        return leaf === undefined ? [] : [{ ask: { slot, words: [], makers: [] }, leaf }];
      }),
    );
    // One number alone, such as an amount, says nothing of a thing.
    const values = found.find(
      (own) =>
        own.length > 1 || own.some(({ ask }) => isPoint(ask.slot) || identifier.test(nameOf(ask.slot.leaf))),
    );
    return values === undefined ? [] : [{ at: other.at, name, values }];
  });
}

/** Returns true when the goal names a thing to find, and does not give the numbers itself. */
export function isWanted(offer: Offer, goal: Goal): boolean {
  if (offer.finders.length === 0 || Located.placeOf(goal) === null) return false;
  const needed = new Set(offer.finders.flatMap(({ values }) => values.map(({ ask }) => ask.slot)));
  return Located.fills(offer, goal, new Set()).every(({ slot }) => !needed.has(slot));
}

function isNumber({ leaf, kind, place }: Slot): boolean {
  return kind === 'number' && (leaf.required || place === 'path') && !leaf.many && leaf.path.length === 1;
}

/** A text that takes the id of a place instead of its coordinates. */
function isPoint({ leaf }: Slot): boolean {
  return leaf.required && !leaf.many && Located.isPointOnly(leaf);
}

/** Returns true when the description of a slot names the value of a response: "coordinates or a place id". */
function isNamedBy(leaf: Leaf, slot: Slot): boolean {
  const name = nameOf(leaf).replace(/([a-z])([A-Z])|[_-]/g, '$1 $2');
  return isId(leaf) && new RegExp(`\\b${name}\\b`, 'i').test(String(slot.leaf.schema.description));
}

function isId({ path, schema }: Leaf): boolean {
  return /.[_-]?id$/i.test(path.at(-1) ?? '') && schema.type === 'string';
}

function nameOf({ path }: Leaf): string {
  return path.at(-1) ?? '';
}

function isNumeric({ schema: { type } }: Leaf): boolean {
  return [type].flat().some((own) => own === 'number' || own === 'integer');
}

/** The text by which an operation finds things, if it needs nothing else. */
function nameSlot({ slots }: Offer): Slot | null {
  const required = slots.filter(({ leaf }) => leaf.required);
  const [only] = required.length > 0 ? required : slots.filter(({ leaf }) => Located.isName(leaf));
  if (only === undefined || required.length > 1 || only.isKey || only.leaf.many) return null;
  const isText = ['text', 'name', 'city'].includes(only.kind) && only.leaf.schema.format === undefined;
  return isText && !Key.isLink(only) ? only : null;
}

/** Returns true for the same name, also when one is the short form of the other. */
function isSame(a: string, b: string): boolean {
  const [short = '', long = ''] = [a, b]
    .map((name) => name.toLowerCase())
    .sort((x, y) => x.length - y.length);
  return short === long || (short.length >= 3 && short[0] === long[0] && Identifier.isWithin(short, long));
}
