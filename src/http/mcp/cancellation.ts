import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@sluice/kernel/digest';
import type { ProxyContext } from '../../proxy/proxy-context.ts';
import type { Call } from '../request-context.ts';
import { isObject } from './tool-schema.ts';

/**
 * Cancellation in the revisions with a handshake: the client sends `notifications/cancelled` in a request of its own, and leaves the
 * cancelled one open. A call is found by its account, its session and its id. The session is a random name that the client got in the
 * handshake and repeats; the shop keeps nothing about it.
 */
export const sessionHeader = 'mcp-session-id';
const sessionCharsMax = 128;

/** Returns a new name for a session. */
export function newSession(): string {
  return randomUUID();
}

/**
 * Registers a paid call, so that it can be cancelled. Returns the signal of its cancellation, and the function that ends the registration.
 */
export function register(
  { runningCalls }: Pick<ProxyContext, 'runningCalls'>,
  c: Call,
  message: Readonly<Record<string, unknown>>,
): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const key = keyOf(c, message.id);
  if (key === null) return { signal: controller.signal, end: () => undefined };
  const end = runningCalls.register(key, sessionOf(c) !== '', () => controller.abort());
  return { signal: controller.signal, end };
}

/** Cancels the call that the message names, if the message is a cancellation and its sender made the call. */
export function cancel(
  { runningCalls }: Pick<ProxyContext, 'runningCalls'>,
  c: Call,
  { method, params }: Readonly<Record<string, unknown>>,
): void {
  if (method !== 'notifications/cancelled' || !isObject(params)) return;
  const key = keyOf(c, params.requestId);
  if (key !== null) runningCalls.cancel(key);
}

/** Returns null for a caller without an account and for a value that is no id: there is nothing to cancel then. */
function keyOf(c: Call, id: unknown): string | null {
  const { account } = c.get('entry');
  if (account === undefined || (typeof id !== 'string' && typeof id !== 'number')) return null;
  return sha256Hex(JSON.stringify([account, sessionOf(c), id]));
}

function sessionOf(c: Call): string {
  return (c.req.header(sessionHeader) ?? '').slice(0, sessionCharsMax);
}
