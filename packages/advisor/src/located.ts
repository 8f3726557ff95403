import type { Goal } from './goal.ts';
import * as Identifier from './identifier.ts';
import type { Leaf } from './leaf.ts';
import type { Offer } from './offer.ts';
import type { Fill, Slot } from './slot.ts';

const placeName = /^(?:location|locations|place|where|near|address|destination|town|city|q|query|search)$/i;
const pointSaid = /lat(?:itude)?,\s*lon/i;
/** A description of coordinates that takes names, too. */
const nameSaid = /\b(?:name|city|town|address|zip|postal|postcode|free text)\b/i;
const point = /(-?\d{1,2}\.\d+)\s*[,/ ]\s*(-?\d{1,3}\.\d+)/;
const months = 'january february march april may june july august september october november december'.split(
  ' ',
);
const dayOf = new RegExp(
  `\\b(\\d{4})-(\\d{2})-(\\d{2})\\b|\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(${months.join('|')}),?\\s+(\\d{4})\\b|\\b(${months.join('|')})\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})\\b`,
  'gi',
);

/**
 * Fills the place, the coordinates and the days of a goal into required values that have no other source.
 * @param name the slot that takes the name of what the goal is about
 */
export function fills(
  { slots, operation: { path } }: Offer,
  goal: Goal,
  filled: ReadonlySet<Slot>,
  name: Slot | null = null,
): Fill[] {
  const open = slots.filter(
    (slot) => slot === name || (slot.leaf.required && !slot.leaf.many && !slot.isKey && !filled.has(slot)),
  );
  if (open.length === 0) return [];
  const found = { place: placeOf(goal), point: point.exec(goal.text), days: daysOf(goal.text) };
  return open.flatMap((slot): Fill[] => {
    const number =
      slot.kind === 'number' ? Identifier.numbered(goal.text, Identifier.keyOf(slot, path)) : null;
    if (number !== null)
      return [{ slot, value: Number(number), at: goal.words.findIndex(({ raw }) => raw === number) }];
    const value = slot === name ? found.place?.text : valueFor(slot, found);
    return value === undefined ? [] : [{ slot, value, at: found.place?.at ?? 0 }];
  });
}

type Found = {
  place: { text: string; at: number } | null;
  point: RegExpExecArray | null;
  days: readonly string[];
};

function valueFor(slot: Slot, { place, point: at, days }: Found): unknown {
  const name = slot.leaf.path.at(-1) ?? '';
  const description = String(slot.leaf.schema.description ?? '');
  const { format } = slot.leaf.schema;
  if (format === 'date') return /^(?:to|end|until|last)/i.test(name) ? days.at(-1) : days[0];
  const isPoint = pointSaid.test(description) || /point|coordinate/i.test(name);
  if (at !== null && /^lat(?:itude)?$/i.test(name)) return Number(at[1]);
  if (at !== null && /^(?:lon|lng|long|longitude)$/i.test(name)) return Number(at[2]);
  if (slot.kind !== 'text' && slot.kind !== 'city') return undefined;
  if (at !== null && isPoint) return `${at[1]},${at[2]}`;
  if (isPointOnly(slot.leaf)) return undefined;
  return isName(slot.leaf) ? place?.text : undefined;
}

/** The coordinates in a goal for a value that takes them in place of an id, as its description writes them: `@lat,lon`. */
export function pointFor({ schema }: Leaf, text: string): string | null {
  const description = String(schema.description ?? '');
  const found = pointSaid.test(description) ? point.exec(text) : null;
  return found && `${/@\{?lat/i.test(description) ? '@' : ''}${found[1]},${found[2]}`;
}

/** Returns true when a goal has coordinates. */
export function hasPoint({ text }: Goal): boolean {
  return point.test(text);
}

/** Returns true for a text that takes coordinates, or an id, and no name of a place. */
export function isPointOnly({ schema }: Leaf): boolean {
  const description = String(schema.description ?? '');
  return pointSaid.test(description) && !nameSaid.test(description);
}

/** Returns true for a value that is named as the name of a thing. */
export function isName({ path }: Leaf): boolean {
  return placeName.test(path.at(-1) ?? '');
}

/** Words before a name that the translation into English keeps, and English ones before which no name is read. */
const before =
  /^(?:um|fur|bei|nach|a|au|en|pour|sur|per|di|da|de|em|para|por|voor|bij|naar|te|on|around|off|over|to)$/;

/** The first place that a goal names, or else the first name, or else the first word in capitals after a preposition. */
export function placeOf({ mentions, words, text }: Goal): { text: string; at: number } | null {
  const found = mentions.find(({ kind }) => kind === 'place') ?? mentions.find(({ kind }) => kind === 'name');
  const isCapital = (at: number) =>
    words[at]?.mention === null && /^\p{Lu}\p{Ll}/u.test(words[at]?.raw ?? '');
  const at =
    found?.at ?? words.findIndex((_, own) => isCapital(own) && before.test(words[own - 1]?.folded ?? ''));
  if (at < 0) return null;
  let end = at + 1;
  while (found === undefined ? isCapital(end) : words[end]?.mention?.at === at) end += 1;
  return { text: text.slice(words[at]?.from, words[end - 1]?.to), at };
}

function daysOf(text: string): string[] {
  return [...text.matchAll(dayOf)].map(([, y1, m1, d1, d2, m2 = '', y2, m3 = '', d3, y3]) => {
    const month = m1 ?? String(months.indexOf((m2 || m3).toLowerCase()) + 1);
    return `${y1 ?? y2 ?? y3}-${month.padStart(2, '0')}-${(d1 ?? d2 ?? d3 ?? '').padStart(2, '0')}`;
  });
}
