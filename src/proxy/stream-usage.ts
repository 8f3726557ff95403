import * as JsonPointer from '@sluice/kernel/json-pointer';
import type { StreamRule, UsageMerge } from '../catalog/stream-rule.ts';

type Fields = Record<string, unknown>;

/** Usage with more nested objects and lists than this is ignored: it could not be combined, or written as JSON. */
const levelsMax = 32;

/** The name and data of an event: its SSE fields, or the JSON text of a line. */
export type EventContent = { name: string; data: string };

/** Reads an event of SSE (HTML Living Standard, 9.2.6) or a line of NDJSON. */
export function contentOf(format: StreamRule['format'], bytes: Buffer): EventContent {
  const text = bytes.toString('utf8').replace(/^\u{feff}/u, '');
  if (format === 'ndjson') return { name: '', data: text.trim() };
  let name = '';
  const data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  return { name, data: data.join('\n') };
}

/** Combines the usage that the events of one stream carry. */
export class StreamUsage {
  readonly #rule: Pick<StreamRule, 'usage'>;
  readonly #names: readonly string[];
  #usage: Fields | null = null;
  /** True when an event reported an error. */
  hasFailed = false;

  constructor(rule: Pick<StreamRule, 'usage'>) {
    this.#rule = rule;
    const { at } = rule.usage;
    const pointers = at.kind === 'every' ? [at.pointer] : [...at.pointers.values()];
    this.#names = pointers.map((pointer) => JSON.stringify(pointer.at(-1) ?? ''));
  }

  /**
   * Reads one event. Returns true when it carries usage and nothing else: every list in it is empty. An event that is not JSON carries none.
   */
  read({ name, data }: EventContent): boolean {
    this.hasFailed ||= isFailure({ name, data });
    if (!this.#names.some((field) => data.includes(field))) return false;
    const value = parsed(data);
    if (value === null) return false;
    const pointer = this.#pointerOf(name, value);
    const found = pointer === undefined ? undefined : JsonPointer.resolve(value, pointer);
    if (!isObject(found) || !isWithin(found, levelsMax)) return false;
    this.#usage ??= {};
    merge(this.#usage, found, this.#rule.usage.merge);
    const lists = Object.values(value).filter((member) => Array.isArray(member));
    return lists.length > 0 && lists.every((list) => list.length === 0);
  }

  /** Returns the combined usage as the JSON text of a response that is not streamed; null when no event carried any. */
  whole(): string | null {
    if (this.#usage === null) return null;
    const usage: unknown = this.#usage;
    const value = this.#rule.usage.as.reduceRight((inner, token) => ({ [token]: inner }), usage);
    return JSON.stringify(value);
  }

  #pointerOf(name: string, value: Fields): JsonPointer.JsonPointer | undefined {
    const { at } = this.#rule.usage;
    if (at.kind === 'every') return at.pointer;
    return (
      at.pointers.get(name) ?? (typeof value.type === 'string' ? at.pointers.get(value.type) : undefined)
    );
  }
}

/** Returns true when an event is an error, in the forms of OpenAI, Anthropic and Gemini. */
function isFailure({ name, data }: EventContent): boolean {
  if (name === 'error' || name === 'response.failed') return true;
  if (!data.startsWith('{') || !data.includes('"error"')) return false;
  const value = parsed(data);
  return value !== null && (value.type === 'error' || isObject(value.error));
}

/** Returns true when an event has a value at the place, other than null. */
export function hasValue({ data }: EventContent, pointer: JsonPointer.JsonPointer): boolean {
  if (!data.includes(JSON.stringify(pointer.at(-1) ?? ''))) return false;
  const value = parsed(data);
  const found = value === null ? null : JsonPointer.resolve(value, pointer);
  return found !== null && found !== undefined;
}

function merge(into: Fields, from: Fields, how: UsageMerge): void {
  for (const [name, value] of Object.entries(from)) {
    if (name === '__proto__' || value === null) continue;
    const known = Object.hasOwn(into, name) ? into[name] : undefined;
    if (isObject(value)) {
      const inner = isObject(known) ? known : {};
      merge(inner, value, how);
      into[name] = inner;
    } else if (value === Number.POSITIVE_INFINITY)
      // JSON has no infinity: it would be written as null, which counts as nothing.
      into[name] = Number.MAX_VALUE;
    else if (how === 'max' && typeof value === 'number' && typeof known === 'number')
      into[name] = Math.max(known, value);
    else into[name] = value;
  }
}

/** Returns true when a value has at most `levels` objects and lists inside each other. */
function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

function parsed(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
