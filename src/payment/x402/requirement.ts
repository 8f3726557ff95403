import type { JsonObject } from '../canonical-json.ts';
import type { Network } from './network.ts';
import type { Resource } from './resource.ts';

/** One way to pay that a route offers: so much of a coin, to an address, by a signature that is valid for so long. */
export type Requirement = {
  network: Network;
  /** Atomic units of the coin, which are micro-dollars. Zero where only the signature is asked for. */
  amount: bigint;
  /** In lower case. */
  payTo: string;
  maxTimeoutSeconds: number;
};

const scheme = 'exact';

/** As version 2 spells it, in the header and to a facilitator. */
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

/** As version 1 spells it, in the body and to a facilitator. */
export function toLegacyJson(requirement: Requirement, resource: Resource): JsonObject {
  const { network, amount, payTo, maxTimeoutSeconds } = requirement;
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

/** Whether a client that says `said` has accepted this requirement: addresses in any case, further members ignored. */
export function isAccepted(requirement: Requirement, said: Readonly<Record<string, unknown>>): boolean {
  const { network, ...own } = toJson(requirement);
  return said.network === network && covers(said, own);
}

/** The same for version 1, whose clients say the scheme and the network, and no more than they like of the rest. */
export function isAcceptedLegacy({ network }: Requirement, said: Readonly<Record<string, unknown>>): boolean {
  const { asset = network.asset } = said;
  return said.scheme === scheme && said.network === network.legacyName && same(asset, network.asset);
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

/** Only addresses differ in case; of all other members just one spelling is ever sent. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  return b.startsWith('0x') ? a.toLowerCase() === b.toLowerCase() : a === b;
}
