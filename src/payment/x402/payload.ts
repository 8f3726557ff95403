import { z } from 'zod';
import * as CanonicalJson from '../canonical-json.ts';

/** A payment as sent by an x402 client. This file only parses it; verify it with `ExactEvm.check` before trusting it. */
export type Payload = {
  version: 1 | 2;
  /** The requirement that the client accepted, by its own statement. */
  accepted: Readonly<Record<string, unknown>>;
  /** The resource that the client pays for, by its own statement; null when it names none. */
  resourceUrl: string | null;
  authorization: Authorization;
  /** As sent; `Wallet.readSignature` validates it. */
  signature: string;
};

/** The token's `transferWithAuthorization` (EIP-3009). Addresses and nonce are in lower case. */
export type Authorization = {
  from: string;
  to: string;
  /** Atomic units. */
  value: bigint;
  /** Seconds since the epoch. */
  validAfter: bigint;
  validBefore: bigint;
  nonce: string;
};

/** Returns an authorization with its numbers as decimal strings. */
export function authorizationJson({ from, to, value, validAfter, validBefore, nonce }: Authorization) {
  return {
    ...{ from, to, value: String(value) },
    ...{ validAfter: String(validAfter), validBefore: String(validBefore), nonce },
  };
}

/** The raw values of both fields, one entry per line. */
export type PayloadFields = { paymentSignature: readonly string[]; xPayment: readonly string[] };

export type PayloadReading =
  | { kind: 'none' }
  | ({ kind: 'payload' } & Payload)
  | { kind: 'malformed'; reason: PayloadRefusal }
  | { kind: 'many' };

export type PayloadRefusal = keyof typeof refusals;

export const payloadCharsMax = 16_384;

/** Why a payment cannot be parsed: the problem type, and a text for its sender. */
export const refusals = {
  x402_length: ['malformed-credential', `A payment has at most ${payloadCharsMax} characters.`],
  x402_encoding: ['malformed-credential', 'A payment must be a JSON object in base64.'],
  x402_version: [
    'malformed-credential',
    'PAYMENT-SIGNATURE requires x402Version 2, X-PAYMENT requires x402Version 1.',
  ],
  x402_payload: [
    'malformed-credential',
    'A payment must have payload.signature and payload.authorization with from, to, value, validAfter, validBefore and nonce. Numbers are decimal strings.',
  ],
} as const;

const lower = (text: string) => text.toLowerCase();
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(lower);
const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform(lower);
const uint256 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n);
const exact = z.object({
  signature: z.string().max(payloadCharsMax),
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: word,
  }),
});
const members = z.record(z.string(), z.unknown());
const version1 = z.object({ x402Version: z.literal(1), payload: exact });
const version2 = z.object({
  x402Version: z.literal(2),
  resource: z.object({ url: z.string() }).nullish(),
  accepted: members,
  payload: exact,
});

/** Reads the one x402 payment of a request. Version 2 takes precedence when both are present. Never throws. */
export function read({ paymentSignature, xPayment }: PayloadFields): PayloadReading {
  const version = paymentSignature.length > 0 ? 2 : 1;
  const [first, ...more] = version === 2 ? paymentSignature : xPayment;
  if (first === undefined) return { kind: 'none' };
  if (more.length > 0) return { kind: 'many' };
  if (first.length > payloadCharsMax) return { kind: 'malformed', reason: 'x402_length' };
  const decoded = members.safeParse(CanonicalJson.decode(first.trim()));
  if (!decoded.success || Array.isArray(decoded.data)) return { kind: 'malformed', reason: 'x402_encoding' };
  return version === 2 ? readVersion2(decoded.data) : readVersion1(decoded.data);
}

function readVersion2(sent: Readonly<Record<string, unknown>>): PayloadReading {
  const { data } = version2.safeParse(sent);
  if (!data) return { kind: 'malformed', reason: sent.x402Version === 2 ? 'x402_payload' : 'x402_version' };
  const { resource, accepted, payload } = data;
  return { kind: 'payload', version: 2, accepted, resourceUrl: resource?.url ?? null, ...payload };
}

function readVersion1(sent: Readonly<Record<string, unknown>>): PayloadReading {
  const { data } = version1.safeParse(sent);
  if (!data) return { kind: 'malformed', reason: sent.x402Version === 1 ? 'x402_payload' : 'x402_version' };
  return { kind: 'payload', version: 1, accepted: sent, resourceUrl: null, ...data.payload };
}
