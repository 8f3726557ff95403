import type { Node, Schema } from './schema.ts';

const depthMax = 8;
type Tree = { leaves: unknown[]; children: Map<string, Tree> };

/**
 * The value that a form spells out, for `read` to check. `job.title.include=CEO` and `job[title][include][]=CEO` mean
 * the same, a repeated name is a list, an empty value is nothing, and an object may also come as JSON text.
 * What cannot be typed stays text, so that it is refused under its own name.
 */
export function fromForm(schema: Schema, entries: Iterable<readonly [string, unknown]>): unknown {
  const root = sapling();
  for (const [name, value] of entries) {
    // A file has no place in any schema: nothing admits an array in its place, so it is refused under its own name.
    plant(root, segments(name), typeof value === 'string' ? value : []);
  }
  return grow(schema, root);
}

function sapling(): Tree {
  return { leaves: [], children: new Map() };
}

function segments(name: string): string[] {
  const path = name
    .replace(/\[([^\]]*)\]/g, '.$1')
    .split('.')
    .filter((segment) => segment !== '' && !/^\d+$/.test(segment));
  return path.length === 0 || path.length > depthMax ? [name] : path;
}

function plant(root: Tree, path: readonly string[], leaf: unknown): void {
  let tree = root;
  for (const segment of path) {
    const child = tree.children.get(segment) ?? sapling();
    tree.children.set(segment, child);
    tree = child;
  }
  if (leaf !== '') tree.leaves.push(leaf);
}

function grow(node: Node | undefined, tree: Tree): unknown {
  if (node?.kind === 'optional' || node?.kind === 'nullable') return grow(node.inner, tree);
  if (tree.children.size > 0) {
    // JSON and dotted names for the same object contradict each other: a list is refused where an object belongs.
    if (tree.leaves.length > 0) return tree.leaves;
    const fields = node?.kind === 'object' ? node.fields : {};
    const grown = [...tree.children].map(([name, child]) => [
      name,
      grow(Object.hasOwn(fields, name) ? fields[name] : undefined, child),
    ]);
    return Object.fromEntries(grown);
  }
  const values = tree.leaves.map((leaf) => typed(node?.kind === 'list' ? node.item : node, leaf));
  if (node?.kind === 'list') return values.length > 0 ? values : undefined;
  return values.length > 1 ? values : values[0];
}

function typed(node: Node | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  switch (node?.kind) {
    case 'number':
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'object':
      return parsed(text);
    default:
      return text;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
