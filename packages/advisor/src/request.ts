import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Schema from '@sluice/kernel/json-schema';
import type { Link } from './chain.ts';
import type { Source } from './draft.ts';
import type { Fill, Slot } from './slot.ts';
import type { Surface } from './surface.ts';

/** A complete request: `body` travels as JSON; null where there is none. */
export type Request = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** A value that must be filled in before the request is sent. Until then the request contains `example`. */
export type Open = { field: string; from: { call: number; pointer: string } | null; example: unknown };

export type Built = {
  request: Request;
  /** The values that the goal lacks. */
  lacking: readonly string[];
  open: readonly Open[];
  /** Slots whose values the schema did not take. */
  dropped: readonly string[];
};

const itemCountMax = 50;

/**
 * The request of one call, filled from the goal and valid by the operation's own schema. Of several values for what
 * it is asked about it takes the first. @param amount how many units to ask for; null for what the operation takes by itself
 */
export function build(surface: Surface, link: Link, amount: number | null, baseUrl: string): Built {
  const { offer } = link;
  const open: Open[] = [];
  const lacking: string[] = [];
  const fills = [...link.filling.fills, ...asked(surface, link, open), ...amounts(link, amount)];
  const filled = new Set(fills.map(({ slot }) => slot));
  for (const slot of offer.slots) {
    if (!slot.leaf.required || slot.leaf.many || filled.has(slot)) continue;
    const example = exampleOf(surface, link, slot);
    fills.push({ slot, value: example, at: 0 });
    open.push({ field: field(slot), from: null, example });
    lacking.push(slot.leaf.path.join('.').replaceAll('_', ' '));
  }
  const dropped: string[] = [];
  const kept = sift(surface, link, fills, dropped);
  const url = address(
    offer.operation.path,
    kept.filter(({ slot }) => slot.place !== 'body'),
    baseUrl,
  );
  const body = offer.body === null ? null : bodyOf(surface, link, kept);
  const headers = {
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    authorization: 'Bearer {access_token}',
  };
  return { request: { method: offer.operation.method, url, headers, body }, open, lacking, dropped };
}

function asked(surface: Surface, link: Link, open: Open[]): Fill[] {
  return link.sources.flatMap((source): Fill[] => {
    const { slot } = source.ask;
    const example = exampleOf(surface, link, slot);
    if (source.kind === 'given' && source.given.kind === 'values') {
      const { values, at } = source.given;
      const own = slot.leaf.many ? values : values.slice(0, 1);
      return own.map((value) => ({ slot, value, at: at[0] ?? 0 }));
    }
    open.push({ field: field(slot), from: origin(source), example: slot.leaf.many ? [example] : example });
    return [{ slot, value: example, at: 0 }];
  });
}

function origin(source: Source): Open['from'] {
  return source.kind === 'call' ? { call: source.call, pointer: `/${source.leaf.path.join('/')}` } : null;
}

export function field(slot: Slot): string {
  return slot.place === 'body' ? `/${slot.leaf.path.join('/')}` : slot.leaf.path.join('.');
}

/** Returns an example for a slot: from the example request, from the slot's description, or a generated one. */
function exampleOf(surface: Surface, { offer }: Link, slot: Slot): unknown {
  const shown = slot.place === 'body' ? JsonPointer.resolve(offer.example, slot.leaf.path) : undefined;
  const said = /https?:\/\/[^\s`<]+\/(?=<)/.exec(Schema.text(slot.leaf.schema.description))?.[0];
  return typeof shown === 'string'
    ? shown
    : said !== undefined
      ? `${said}example`
      : Schema.sample(surface.read, slot.leaf.schema);
}

function amounts({ offer }: Link, amount: number | null): Fill[] {
  const slot = offer.slots.find(({ kind }) => kind === 'amount');
  return slot === undefined || amount === null ? [] : [{ slot, value: amount, at: 0 }];
}

/** Leaves out, one after the other, what makes the body invalid; nothing is sent that the schema refuses. */
function sift(surface: Surface, link: Link, fills: readonly Fill[], dropped: string[]): Fill[] {
  const { offer } = link;
  let kept = [...fills];
  for (let round = 0; round <= fills.length && offer.body !== null; round++) {
    if (offer.validate(bodyOf(surface, link, kept))) return kept;
    const wrong = (offer.validate.errors ?? []).map(({ instancePath }) =>
      instancePath
        .slice(1)
        .split('/')
        .filter((key) => !/^\d+$/.test(key))
        .join('/'),
    );
    const bad = kept.find(
      ({ slot }) =>
        slot.place === 'body' &&
        wrong.some(
          (path) =>
            path !== '' &&
            slot.leaf.path
              .filter((key) => key !== '*')
              .join('/')
              .startsWith(path),
        ),
    );
    const out = bad ?? kept.at(-1);
    if (out === undefined) return [];
    dropped.push(field(out.slot));
    kept = kept.filter((fill) => fill !== out);
  }
  return kept;
}

function bodyOf(surface: Surface, { offer }: Link, fills: readonly Fill[]): unknown {
  const start = Schema.sample(surface.read, offer.body);
  const body: Record<string, unknown> =
    typeof start === 'object' && start !== null && !Array.isArray(start)
      ? structuredClone(start as Record<string, unknown>)
      : {};
  const fresh = new Set<string>();
  const inOrder = offer.slots.flatMap((slot) =>
    fills.filter((fill) => fill.slot === slot && slot.place === 'body'),
  );
  for (const { slot, value } of inOrder) put(body, slot, value, fresh);
  return body;
}

/** Puts a value where a slot is; `fresh` holds the lists that were begun, as those of a sample are not added to. */
function put(body: Record<string, unknown>, { leaf }: Slot, value: unknown, fresh: Set<string>): void {
  let at: Record<string, unknown> = body;
  const last = leaf.path.length - 1;
  for (const [index, key] of leaf.path.entries()) {
    if (key === '*') continue;
    if (index === last || (index === last - 1 && leaf.path[last] === '*')) {
      const way = leaf.path.slice(0, index + 1).join('/');
      const isAppended = leaf.many && leaf.path[index + 1] !== '*';
      at[key] = isAppended ? append(fresh.has(way) ? at[key] : [], value) : value;
      fresh.add(way);
      return;
    }
    const isList = leaf.path[index + 1] === '*';
    const child = childOf(at[key], isList);
    at[key] = isList ? [child] : child;
    at = child;
  }
}

/** Appends one value, or several, to a list without repeating any. */
function append(list: unknown, value: unknown): unknown[] {
  const had = Array.isArray(list) ? list : [];
  return [...new Set([...had, ...(Array.isArray(value) ? value : [value])])].slice(0, itemCountMax);
}

/** Returns the object at a place, or the first item of a list there; an empty object when there is none. */
function childOf(present: unknown, isList: boolean): Record<string, unknown> {
  const first = Array.isArray(present) ? present[0] : undefined;
  const child = isList ? first : present;
  return typeof child === 'object' && child !== null && !Array.isArray(child)
    ? (child as Record<string, unknown>)
    : {};
}

function address(path: string, fills: readonly Fill[], baseUrl: string): string {
  const text = (value: unknown) =>
    encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value));
  const way = path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const fill = fills.find(({ slot }) => slot.place === 'path' && slot.leaf.path[0] === name);
    return fill === undefined ? whole : text(fill.value);
  });
  const query = fills
    .filter(({ slot }) => slot.place === 'query')
    .map(({ slot, value }) => `${encodeURIComponent(slot.leaf.path.join('.'))}=${text(value)}`);
  return baseUrl + way + (query.length === 0 ? '' : `?${query.join('&')}`);
}
