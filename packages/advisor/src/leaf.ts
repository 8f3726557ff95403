import * as Schema from '@sluice/kernel/json-schema';
import { terms } from './lexicon.ts';

/** One value that a request or an answer holds. */
export type Leaf = {
  /** The keys on the way to the value; `*` is an item of a list. */
  path: readonly string[];
  schema: Schema.Node;
  /** True when the value is a list whose items match `schema`. */
  many: boolean;
  required: boolean;
  /** The words of its own name, of its description, and of what it lies in. */
  name: readonly string[];
  said: readonly string[];
  around: readonly string[];
};

const leafCountMax = 400;

/** A place in a schema on the way to its values. */
type Place = Pick<Leaf, 'path' | 'around' | 'required' | 'many'> & { depth: number };

/** Returns all single values below `schema`, in its own order. */
export function leaves(read: Schema.Reader, schema: unknown): Leaf[] {
  const found: Leaf[] = [];
  collect(read, found, schema, { path: [], around: [], required: true, many: false, depth: 0 });
  return found;
}

function collect(read: Schema.Reader, found: Leaf[], value: unknown, place: Place): void {
  const { path, around, required, many } = place;
  if (found.length === leafCountMax || place.depth > Schema.depthMax) return;
  const here = read(value);
  const depth = place.depth + 1;
  if (here.items !== undefined && !Array.isArray(here.items)) {
    const items = read(here.items);
    const inner = Schema.isObject(items) ? [...path, '*'] : path;
    const described = { ...items, description: here.description ?? items.description };
    collect(read, found, described, { ...place, path: inner, many: true, depth });
    return;
  }
  const said = terms(`${Schema.text(here.description)} ${Schema.text(here.title)}`);
  const name = terms(path.filter((key) => key !== '*').at(-1) ?? '');
  if (!Schema.isObject(here) || Schema.isRange(here)) {
    found.push({ path, schema: here, many, required, name, said, around });
    return;
  }
  const needed = Schema.list(here.required);
  const within = [...around, ...name, ...said, ...terms(Schema.text((here as { named?: string }).named))];
  for (const [key, child] of Object.entries(Schema.node(here.properties)))
    collect(read, found, child, {
      path: [...path, key],
      around: within,
      required: required && needed.includes(key),
      // Only members of a list's items are lists themselves.
      many: many && path.at(-1) === '*',
      depth,
    });
}
