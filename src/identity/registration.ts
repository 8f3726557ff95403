import { hint, unknownFields } from '@sluice/kernel/did-you-mean';
import * as AddressBlock from './address-block.ts';
import type { Work } from './proof-of-work.ts';

const minuteSeconds = 60;
const daySeconds = 24 * 60 * minuteSeconds;

/** Registrations per address block and window, by the width of the block, the narrowest first (`AddressBlock.levels`). */
const windows = [
  { seconds: 10 * minuteSeconds, max: [5, 10, 20] },
  { seconds: daySeconds, max: [20, 40, 80] },
] as const;

/** Registrations per day in UTC, over all addresses and processes. */
export const daily = {
  /** Above this, a block that has registered in the last 24 hours needs a proof of work. */
  seenMax: 8_000,
  /** Above this, every registration needs one; until then, blocks not seen before are exempt. */
  unseenMax: 10_000,
  /** No registrations above this: trials cost the seller money. */
  max: 20_000,
} as const;

/** An agent whose signed registrations are limited as its own, from all its addresses together. */
export type TrustedAgent = {
  readonly origin: string;
  /** Registrations in 24 hours. At most a tenth of them are allowed in ten minutes. */
  readonly perDay: number;
};

/** The limit of an agent without one in the settings: a twentieth of the day, so that a stolen key costs the seller little. */
export const agentPerDayUsual = daily.max / 20;

/** Leading zero bits of a proof of work: the minimum takes about a third of a second in Python, the maximum 64 times that. */
const bitsMin = 18;
const bitsMax = 24;
const registrationsPerBit = 2_000;

const types = ['anonymous'] as const;
/** `requested_credential_type`: as the published auth.md specifies; an access token by default. */
const fields = ['type', 'requested_credential_type', 'proof_of_work'] as const;
export const credentialTypes = ['access_token', 'api_key'] as const;
const faultsMax = 20;
const echoCharsMax = 64;

/** The body of POST /agent/auth. */
export type Registration = {
  kind: 'anonymous';
  credentialType: (typeof credentialTypes)[number];
  work: Work | null;
};
export type RegistrationFault = { field: string; message: string };

/** Reads the body of a registration. A fault names its field, or `body` for an unknown field. */
export function parse(body: unknown): Registration | { kind: 'fault'; faults: readonly RegistrationFault[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { kind: 'fault', faults: [{ field: 'body', message: 'Must be an object: {"type":"anonymous"}' }] };
  }
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  const faults: RegistrationFault[] = unknownFields(members.keys(), fields, faultsMax - 1);
  const type = members.get('type');
  if (type === undefined) {
    faults.push({ field: 'type', message: `Required. Allowed values: ${types.join(', ')}` });
  } else if (typeof type !== 'string') {
    faults.push({ field: 'type', message: `Must be a string. Allowed values: ${types.join(', ')}` });
  } else if (type !== 'anonymous') {
    const given = type.slice(0, echoCharsMax);
    faults.push({
      field: 'type',
      message: `Invalid value "${given}". ${hint(type, types, 'Allowed values')}`,
    });
  }
  const asked = members.get('requested_credential_type') ?? 'access_token';
  const credentialType = credentialTypes.find((one) => one === asked);
  if (credentialType === undefined)
    faults.push({
      field: 'requested_credential_type',
      message: `Not supported. Allowed values: ${credentialTypes.join(', ')}`,
    });
  const work = members.get('proof_of_work') ?? null;
  if (work !== null && !isWork(work))
    faults.push({ field: 'proof_of_work', message: 'Must be {"challenge":"...","solution":"..."}' });
  return faults.length > 0 || credentialType === undefined
    ? { kind: 'fault', faults }
    : {
        kind: 'anonymous',
        credentialType,
        work: isWork(work) ? { challenge: work.challenge, solution: work.solution } : null,
      };
}

function isWork(value: unknown): value is Work {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'challenge') &&
    Object.hasOwn(value, 'solution') &&
    typeof (value as Work).challenge === 'string' &&
    typeof (value as Work).solution === 'string'
  );
}

/** At most `max` uses per block in `seconds`. */
export type Rule = { block: string; seconds: number; max: number };

/** Returns the limits of an address. There are none for loopback, which the operator uses. */
export function rules(address: string): readonly Rule[] {
  if (AddressBlock.isLoopback(address)) return [];
  return AddressBlock.levels(address).flatMap((block, level) =>
    windows.map(({ seconds, max }) => ({ block, seconds, max: max[widthOf(address, level)] ?? 0 })),
  );
}

/** Returns the limits of a recognised agent (docs/accounts.md#recognised-agents), which replace those of its addresses. */
export function agentRules({ origin, perDay }: TrustedAgent): readonly Rule[] {
  const block = `agent:${origin}`;
  return [
    { block, seconds: 10 * minuteSeconds, max: Math.ceil(perDay / 10) },
    { block, seconds: daySeconds, max: perDay },
  ];
}

/** An IPv4 /24 has the limits of an IPv6 /48: both are what one customer gets. */
function widthOf(address: string, level: number): number {
  return AddressBlock.levels(address).length === 2 && level === 1 ? 2 : level;
}

/** Returns limits for 24 hours, with one maximum for each level of the address. */
export function dailyRules(address: string, max: readonly [number, number, number]): readonly Rule[] {
  if (AddressBlock.isLoopback(address)) return [];
  return AddressBlock.levels(address).map((block, level) => ({
    block,
    seconds: daySeconds,
    max: max[widthOf(address, level)] ?? 0,
  }));
}

/** Returns the difficulty of a proof of work after `today` registrations of the day. */
export function workBits(today: number): number {
  const more = Math.floor(Math.max(0, today - daily.seenMax) / registrationsPerBit);
  return Math.min(bitsMin + more, bitsMax);
}

/** The decision on a registration. */
export type Admission =
  | { kind: 'allowed' }
  | { kind: 'refused'; reason: 'address' | 'day'; retryAfterSeconds: number }
  /** `today`: number of registrations of the day. */
  | { kind: 'work_required'; today: number }
  /** The proof of work was used before. */
  | { kind: 'work_used' };

/** A proof of work or a signature, which counts once until it expires. */
type Use = { id: string; expiresMs: number };

/** Counts registrations, over all processes, one at a time. */
export interface Admissions {
  /** @param work a valid proof of work, or null */
  admit(rules: readonly Rule[], work: Use | null): Promise<Admission>;
  /** Admits a registration of a recognised agent by its rules alone: the total of the day neither limits nor counts it. */
  admitAgent(rules: readonly Rule[], signature: Use): Promise<Admission>;
}
