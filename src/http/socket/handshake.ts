import type { Incoming } from '../server/outgoing.ts';

/** The subprotocol prefix in which browsers send a token: they cannot set `Authorization`. */
const bearerPrefix = 'bearer.';
/** The subprotocol that a browser offers beside its token, so that one can be selected where the upstream selects none. */
const ownProtocol = 'storefront';
const protocolName = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const protocolsMax = 20;

/** The subprotocols of a handshake: the token, those of the upstream, and whether the storefront's own is offered. */
export type Protocols = { bearer: string | null; upstream: string[]; hasOwn: boolean };

/** Reads the subprotocols that a caller offers; null when they are malformed, repeated, or have two tokens. */
export function readProtocols(header: string | undefined): Protocols | null {
  const names = header === undefined ? [] : header.split(',').map((name) => name.trim());
  if (names.length > protocolsMax || new Set(names).size !== names.length) return null;
  if (!names.every((name) => protocolName.test(name))) return null;
  const tokens = names.filter((name) => name.startsWith(bearerPrefix));
  if (tokens.length > 1) return null;
  return {
    bearer: tokens[0]?.slice(bearerPrefix.length) ?? null,
    upstream: names.filter((name) => !name.startsWith(bearerPrefix) && name !== ownProtocol),
    hasOwn: names.includes(ownProtocol),
  };
}

/** Returns the subprotocol of the response: the upstream's choice, or the storefront's own if it was offered. */
export function selected({ hasOwn }: Protocols, chosen: string): string | false {
  return chosen !== '' ? chosen : hasOwn ? ownProtocol : false;
}

/** Returns true for a complete handshake (RFC 6455, 4.2.1). */
export function isComplete({ method, headers }: Pick<Incoming, 'method'> & { headers: object }): boolean {
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = headers as Record<string, unknown>;
  return method === 'GET' && version === '13' && /^[+/0-9A-Za-z]{22}==$/.test(String(key));
}
