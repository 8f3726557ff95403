import { createHmac } from 'node:crypto';
import { equal, sha256Hex } from '../../kernel/digest.ts';
import type { Fault } from '../schema/wording.ts';

/** Where the next page begins. */
export type Place = {
  /** The sort keys of the last record that was looked at; empty before the first page. */
  after: readonly number[];
  delivered: number;
  /** All matches over all pages, counted once for the first page; null where an operation does not count them. */
  total: number | null;
  /** The moment of the first page. Later pages count days from it too, so that nothing shifts between pages. */
  asOfMs: number;
};

/** What a cursor is good for; it opens for nothing else. */
export type Scope = { operation: string; keyId: string; generation: number; filters: unknown };

export const fault: Fault = {
  field: 'cursor',
  message: 'Invalid cursor. Omit it to start from the first page.',
};

function start(nowMs: number): Place {
  return { after: [], delivered: 0, total: null, asOfMs: nowMs };
}

/** `base64url(JSON).base64url(HMAC-SHA256)`: readable by anyone, made only by us. */
export function seal(secret: string, scope: Scope, place: Place): string {
  const payload = Buffer.from(JSON.stringify({ h: hash(scope), g: scope.generation, ...place })).toString(
    'base64url',
  );
  return `${payload}.${signature(secret, payload)}`;
}

/** Where the request wants its page to begin: at the start without a cursor, null where the cursor is not good here. */
export function placeOf(secret: string, scope: Scope, cursor: string | null, nowMs: number): Place | null {
  return cursor === null ? start(nowMs) : open(secret, scope, cursor);
}

/** The place that a cursor names, or null where it is not ours, or was made for other filters, key or data. */
function open(secret: string, scope: Scope, cursor: string): Place | null {
  const [payload = '', signed = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || !equal(signed, signature(secret, payload))) return null;
  const { h, g: _, ...place } = parsed(payload) as Place & { h: string; g: number };
  return h === hash(scope) ? place : null;
}

/**
 * The generation of the data that a cursor says it is of, be it ours or not: only to know where to look. Whether it is
 * ours is for `placeOf` to say.
 */
export function generationOf(cursor: string): number | null {
  try {
    const { g } = parsed(cursor.split('.', 1)[0] ?? '') as { g?: unknown };
    return typeof g === 'number' ? g : null;
  } catch {
    return null;
  }
}

function parsed(payload: string): object {
  return Object(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

function signature(secret: string, payload: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

function hash(scope: Scope): string {
  return sha256Hex(JSON.stringify([scope.operation, scope.keyId, scope.generation, scope.filters]));
}
