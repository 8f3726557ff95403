import { capitalized } from '../text/capitalized.ts';
import * as Source from './source.ts';

/** A changed value of the file; null: the key is absent. */
type ChangedKey = { name: string; from: string | null; to: string | null };

/** A difference between two texts of a catalogue: that of a plan, a service, or anything else of the shop. */
export type SourceChange = {
  subject: 'shop' | 'plan' | 'service';
  /** The name of the item in the later text. */
  name: string;
  deed: 'added' | 'removed' | 'retired' | 'resumed' | 'changed';
  /** The changed values; all values of an item that was added, none of one that was removed. */
  fields: readonly ChangedKey[];
};

type Item = Readonly<Record<string, unknown>>;

/** Returns the differences between two texts of a catalogue; the order of its lists is none. Reads the texts only, and loads no catalogue. */
export function sourceChanges(before: string, after: string): SourceChange[] {
  const [old, fresh] = [before, after].map((text) => itemOf(Source.read(text).value)) as [Item, Item];
  const others = (root: Item) => ({ ...root, plans: undefined, services: undefined });
  const shop = changedKeys(flat(others(old)), flat(others(fresh)));
  return [
    ...(shop.length === 0 ? [] : [{ subject: 'shop', name: '', deed: 'changed', fields: shop } as const]),
    ...inList('plan', 'id', old.plans, fresh.plans),
    ...inList('service', 'slug', old.services, fresh.services),
  ];
}

function inList(subject: 'plan' | 'service', key: string, old: unknown, fresh: unknown): SourceChange[] {
  const [were, are] = [byKey(old, key), byKey(fresh, key)];
  return [...new Set([...were.keys(), ...are.keys()])].flatMap((id): SourceChange[] => {
    const [was, is] = [were.get(id), are.get(id)];
    // A plan without a name is shown by its id with a capital letter.
    const name = String(is?.name ?? was?.name ?? (subject === 'plan' ? capitalized(id) : id));
    if (is === undefined) return [{ subject, name, deed: 'removed', fields: [] }];
    const isRetired = [was, is].map((one) => one?.retired === true);
    const fields = changedKeys(flat(was), flat(is)).filter(
      ({ name: field }) => field !== key && field !== 'retired',
    );
    if (was === undefined) return [{ subject, name, deed: 'added', fields }];
    if (isRetired[0] !== isRetired[1])
      return [{ subject, name, deed: isRetired[1] ? 'retired' : 'resumed', fields }];
    return fields.length === 0 ? [] : [{ subject, name, deed: 'changed', fields }];
  });
}

function byKey(list: unknown, key: string): Map<string, Item> {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return new Map(items.map((item) => [String(itemOf(item)[key]), itemOf(item)]));
}

function itemOf(value: unknown): Item {
  return typeof value === 'object' && value !== null ? (value as Item) : {};
}

function changedKeys(was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): ChangedKey[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [from = null, to = null] = [was.get(name), is.get(name)];
    return from === to ? [] : [{ name, from, to }];
  });
}

/** The values of an item by their keys: `brand.colour`. A list of plain values is one value. */
function flat(value: unknown, at: readonly string[] = []): Map<string, string> {
  const isPlain = typeof value !== 'object' || value === null;
  if (value === undefined) return new Map();
  if (isPlain) return new Map([[at.join('.'), String(value)]]);
  const isList = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  if (isList) return new Map([[at.join('.'), value.join(', ')]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [
      ...flat(inner, at.length === 0 && key === 'storefront' ? [] : [...at, key]),
    ]),
  );
}
