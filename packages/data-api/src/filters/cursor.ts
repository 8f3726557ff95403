import { createHmac } from 'node:crypto';
import { equal, sha256Hex } from '@sluice/kernel/digest';
import type { FieldError } from '../schema/wording.ts';

/** Position in the results of a query. */
export type Place = {
  /** Sort keys of the last record that was checked; empty before the first page. */
  after: readonly number[];
  delivered: number;
  /** All matches over all pages, counted once for the first page; null if the operation does not count them. */
  total: number | null;
  /** Time of the first page. Later pages also count days from it, so that results do not shift between pages. */
  asOfMs: number;
};

/** The query that a cursor belongs to. It is invalid for any other. */
export type Scope = { operation: string; keyId: string; version: number; filters: unknown };

export const fault: FieldError = {
  field: 'cursor',
  message: 'Invalid cursor. Omit it to start from the first page.',
};

function start(nowMs: number): Place {
  return { after: [], delivered: 0, total: null, asOfMs: nowMs };
}

/** Encodes a cursor as `base64url(JSON).base64url(HMAC-SHA256)`: readable, but not forgeable. */
export function seal(secret: string, scope: Scope, place: Place): string {
  const payload = Buffer.from(JSON.stringify({ h: hash(scope), v: scope.version, ...place })).toString(
    'base64url',
  );
  return `${payload}.${signature(secret, payload)}`;
}

/** Position of the requested page: the start without a cursor, null if the cursor is invalid. */
export function placeOf(secret: string, scope: Scope, cursor: string | null, nowMs: number): Place | null {
  return cursor === null ? start(nowMs) : open(secret, scope, cursor);
}

/** Verifies a cursor. Returns null if it is forged, or belongs to other filters, another key or data-set version. */
function open(secret: string, scope: Scope, cursor: string): Place | null {
  const [payload = '', signed = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || !equal(signed, signature(secret, payload))) return null;
  const { h, v: _, ...place } = parsed(payload) as Place & { h: string; v: number };
  return h === hash(scope) ? place : null;
}

/**
 * Data-set version that a cursor claims to belong to. The cursor is not verified; `placeOf` does that.
 */
export function versionOf(cursor: string): number | null {
  try {
    const { v } = parsed(cursor.split('.', 1)[0] ?? '') as { v?: unknown };
    return typeof v === 'number' ? v : null;
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
  return sha256Hex(JSON.stringify([scope.operation, scope.keyId, scope.version, scope.filters]));
}
