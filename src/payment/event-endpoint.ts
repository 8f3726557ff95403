import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { isLinkLocal, isPublic } from '@sluice/kernel/public-address';
import { type DueEvent, type EventType, eventTypes } from './event.ts';

const urlCharsMax = 500;
export const endpointsMax = 20;
const secretBytes = 32;
const prefix = 'whsec_';

/** The addresses that endpoints may have: `local` allows http on this machine, `private` addresses that are not public. */
export type EndpointRules = { local: boolean; private: boolean };

/** Returns why events cannot be sent to a URL; null if they can. Names are resolved, and checked again, by each request. */
export function urlFault(text: string, allows: EndpointRules): string | null {
  if (!URL.canParse(text) || text.length > urlCharsMax)
    return `must be a URL of at most ${urlCharsMax} characters`;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '')
    return 'must have no user name, password or fragment';
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (isLoopback && allows.local && (protocol === 'http:' || protocol === 'https:')) return null;
  if (protocol !== 'https:') return 'must start with https://';
  const address = hostname.replace(/^\[|\]$/g, '');
  const isReserved =
    isLoopback || hostname.endsWith('.localhost') || (isIP(address) > 0 && !isPublic(address));
  if (isReserved && !allows.private)
    return 'must be a public address. EVENTS_PRIVATE_ADDRESSES=on allows others';
  if (isIP(address) > 0 && isLinkLocal(address)) return 'must not be link-local';
  return null;
}

/** Reads a list of types, separated by commas or spaces. Null for all types. */
export function parseTypes(text: string): { types: EventType[] | null } | { fault: string } {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) return { types: null };
  const unknown = names.find((name) => !isType(name));
  if (unknown !== undefined)
    return { fault: `"${unknown}" is no type of event. Types: ${eventTypes.join(', ')}` };
  return { types: [...new Set(names.filter(isType))] };
}

export function isType(name: string): name is EventType {
  return (eventTypes as readonly string[]).includes(name);
}

/** Makes a secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** A request with an event. */
export type EventRequest = { url: string; body: string; headers: Readonly<Record<string, string>> };

/** Writes the request for an event, signed with each secret (https://www.standardwebhooks.com). */
export function eventRequest(
  due: DueEvent,
  secrets: readonly string[],
  includesEmail: boolean,
  nowMs: number,
): EventRequest {
  const { id, type, atMs, account, data, email } = due;
  const body = JSON.stringify({
    id,
    type,
    timestamp: new Date(atMs).toISOString(),
    ...(account !== '' && { account }),
    ...(includesEmail && { email }),
    data,
  });
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signed = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    url: due.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Sluice-Events',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signed.join(' '),
    },
  };
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** The waits before further attempts, 45 hours in all. */
const waitsMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
];
const jitter = 0.2;

/**
 * Returns the wait after the failed attempt number `tries` (from 0), or null when the event is given up.
 * @param random between 0 and 1
 */
export function retryMs(tries: number, random: number = randomInt(1_000) / 1_000): number | null {
  const wait = waitsMs[tries];
  return wait === undefined ? null : Math.round(wait * (1 - jitter + 2 * jitter * random));
}
