import type { Node, Schema } from './schema.ts';

const depthMax = 8;
type Tree = { leaves: unknown[]; children: Map<string, Tree> };

/**
 * Converts form fields to a value for `read` to check. `job.title.include=CEO` and `job[title][include][]=CEO` mean the
 * same, a repeated name is a list, an empty value is ignored, and an object can be given as JSON. Values that cannot be
 * converted stay text, so that validation reports them by name.
 */
export function fromForm(schema: Schema, entries: Iterable<readonly [string, unknown]>): unknown {
  const root = emptyTree();
  for (const [name, value] of entries) {
    // No schema accepts files. An empty array is invalid for every field, so validation reports the file by name.
    insert(root, segments(name), typeof value === 'string' ? value : []);
  }
  return buildValue(schema, root);
}

function emptyTree(): Tree {
  return { leaves: [], children: new Map() };
}

function segments(name: string): string[] {
  const path = name
    .replace(/\[([^\]]*)\]/g, '.$1')
    .split('.')
    .filter((segment) => segment !== '' && !/^\d+$/.test(segment));
  return path.length === 0 || path.length > depthMax ? [name] : path;
}

function insert(root: Tree, path: readonly string[], leaf: unknown): void {
  let tree = root;
  for (const segment of path) {
    const child = tree.children.get(segment) ?? emptyTree();
    tree.children.set(segment, child);
    tree = child;
  }
  if (leaf !== '') tree.leaves.push(leaf);
}

function buildValue(node: Node | undefined, tree: Tree): unknown {
  if (node?.kind === 'optional' || node?.kind === 'nullable') return buildValue(node.inner, tree);
  if (tree.children.size > 0) {
    // JSON and dotted names for the same object are ambiguous. Validation refuses the list instead of the object.
    if (tree.leaves.length > 0) return tree.leaves;
    const fields = node?.kind === 'object' ? node.fields : {};
    const entries = [...tree.children].map(([name, child]) => [
      name,
      buildValue(Object.hasOwn(fields, name) ? fields[name] : undefined, child),
    ]);
    return Object.fromEntries(entries);
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
