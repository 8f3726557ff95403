import type { JsonPointer } from './json-pointer.ts';
import { afterBlanks, afterColon, none } from './json-scan.ts';
import * as JsonSkip from './json-skip.ts';

/** A change of a JSON text: a new JSON text for the value at the pointer, or null to remove the member. */
export type Edit = { pointer: JsonPointer; json: string | null };

type Branch = { children: Map<string, Branch>; edit: Edit | null };
type Cut = { from: number; to: number; json: string };
type Walk = { readonly bytes: Buffer; readonly laid: JsonSkip.Laid; readonly cuts: Cut[] };

/**
 * Replaces or removes members of objects in a JSON text (RFC 8259) in UTF-8. All other bytes stay as they are. If a
 * name occurs twice, both members are changed. Pointers that name nothing, or an element of an array, have no effect.
 * @param start the index at which the text begins: 3 after a byte order mark
 * @returns the new text, `bytes` itself where nothing was changed, and null where the text is not JSON
 */
export function edit(bytes: Buffer, start: number, edits: readonly Edit[]): Buffer | null {
  const walk: Walk = { bytes, laid: JsonSkip.lay(bytes), cuts: [] };
  const end = value(walk, afterBlanks(bytes, start), treeOf(edits));
  if (end === none || afterBlanks(bytes, end) !== bytes.length) return null;
  if (walk.cuts.length === 0) return bytes;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to, json } of walk.cuts) {
    parts.push(bytes.subarray(at, from), Buffer.from(json));
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

function treeOf(edits: readonly Edit[]): Branch {
  const root: Branch = { children: new Map(), edit: null };
  for (const edit of edits) {
    let branch = root;
    for (const token of edit.pointer) {
      let child = branch.children.get(token);
      if (child === undefined) {
        child = { children: new Map(), edit: null };
        branch.children.set(token, child);
      }
      branch = child;
    }
    branch.edit = edit;
  }
  return root;
}

/** Collects the cuts below the value at `at`. Returns the index after it. */
function value(walk: Walk, at: number, branch: Branch | undefined): number {
  return branch !== undefined && branch.children.size > 0 && walk.bytes[at] === 0x7b
    ? object(walk, at, branch)
    : JsonSkip.after(walk.laid, at);
}

/** A member of an object: `name` is the index of its name, and its value ends at `to`. */
type Member = { name: number; to: number; isRemoved: boolean };

function object(walk: Walk, start: number, branch: Branch): number {
  const { bytes } = walk;
  const open = afterBlanks(bytes, start + 1);
  if (bytes[open] === 0x7d) return open + 1;
  /** End of the last member that stays. */
  let keptEnd = start + 1;
  /** Start of the members just before that are removed, if any. */
  let removedFrom = none;
  for (let at = open; ; ) {
    const read = member(walk, at, branch, removedFrom);
    if (read === null) return none;
    if (!read.isRemoved) keptEnd = read.to;
    if (!read.isRemoved) removedFrom = none;
    else if (removedFrom === none) removedFrom = read.name;
    at = afterBlanks(bytes, read.to);
    if (bytes[at] === 0x7d) {
      if (read.isRemoved) walk.cuts.push({ from: keptEnd, to: read.to, json: '' });
      return at + 1;
    }
    if (bytes[at] !== 0x2c) return none;
    at = afterBlanks(bytes, at + 1);
  }
}

/** Reads one member, and cuts the removed ones before it if it stays. Returns null where the text is not JSON. */
function member(walk: Walk, name: number, branch: Branch, removedFrom: number): Member | null {
  const { bytes, laid, cuts } = walk;
  const nameEnd = bytes[name] === 0x22 ? JsonSkip.after(laid, name) : none;
  const from = nameEnd === none ? none : afterColon(bytes, nameEnd);
  if (from === none) return null;
  const child = branch.children.get(JSON.parse(bytes.toString('utf8', name, nameEnd)));
  const edit = child?.edit ?? null;
  const isRemoved = edit !== null && edit.json === null;
  if (!isRemoved && removedFrom !== none) cuts.push({ from: removedFrom, to: name, json: '' });
  const to = edit === null ? value(walk, from, child) : JsonSkip.after(laid, from);
  if (to === none) return null;
  if (edit !== null && edit.json !== null) cuts.push({ from, to, json: edit.json });
  return { name, to, isRemoved };
}
