import type { JsonObject } from '../canonical-json.ts';
import type { Network } from './network.ts';
import type { Payload } from './payload.ts';
import type { Resource } from './resource.ts';

/** One way to pay that a route offers: an amount of a token, to an address, by a signature with a maximum validity. */
export type Requirement = {
  network: Network;
  /** Atomic units of the token, which are micro-dollars. Zero when only the signature is needed. */
  amount: bigint;
  /** In lower case. */
  payTo: string;
  maxTimeoutSeconds: number;
};

const scheme = 'exact';

/** Formats a requirement for version 2, in the header and for a facilitator. */
export function toJson({ network, amount, payTo, maxTimeoutSeconds }: Requirement): JsonObject {
  return {
    scheme,
    network: network.id,
    amount: String(amount),
    asset: network.asset,
    payTo,
    maxTimeoutSeconds,
    extra: { name: network.assetName, version: network.assetVersion },
  };
}

/** Formats a requirement for version 1, in the body and for a facilitator; null when version 1 has no name for the network. */
export function toLegacyJson(requirement: Requirement, resource: Resource): JsonObject | null {
  const { network, amount, payTo, maxTimeoutSeconds } = requirement;
  if (network.legacyName === null) return null;
  return {
    scheme,
    network: network.legacyName,
    maxAmountRequired: String(amount),
    resource: resource.url,
    description: resource.description,
    mimeType: resource.mimeType,
    payTo,
    maxTimeoutSeconds,
    asset: network.asset,
    extra: { name: network.assetName, version: network.assetVersion },
  };
}

/** Returns true when a version 2 client has accepted this requirement. Addresses match in any case; further members are ignored. */
export function isAccepted(requirement: Requirement, said: Readonly<Record<string, unknown>>): boolean {
  const { network, ...own } = toJson(requirement);
  return said.network === network && covers(said, own);
}

/** The same for version 1, whose clients send only the scheme and the network reliably. */
export function isAcceptedLegacy({ network }: Requirement, said: Readonly<Record<string, unknown>>): boolean {
  return said.scheme === scheme && isNamed(network.legacyName, network, said);
}

/** Returns true when a payment names this network and this token. */
export function isOn(
  network: Network,
  { version, accepted }: Pick<Payload, 'version' | 'accepted'>,
): boolean {
  return isNamed(version === 2 ? network.id : network.legacyName, network, accepted);
}

/** Version 1 clients can omit the token; the default is the first that is offered. */
function isNamed(
  name: string | null,
  { asset: own }: Network,
  { network, asset = own }: Readonly<Record<string, unknown>>,
): boolean {
  return name !== null && network === name && same(asset, own);
}

function covers(said: unknown, own: JsonObject): boolean {
  if (typeof said !== 'object' || said === null) return false;
  const members: Partial<Record<string, unknown>> = { ...said };
  return Object.entries(own).every(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? covers(members[name], value as JsonObject)
      : same(members[name], value),
  );
}

/** Only addresses differ in case; all other members have just one spelling. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  return b.startsWith('0x') ? a.toLowerCase() === b.toLowerCase() : a === b;
}
