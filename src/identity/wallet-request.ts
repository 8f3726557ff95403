import { unknownFields } from '@sluice/kernel/did-you-mean';
import { z } from 'zod';
import type { RegistrationFault } from './registration.ts';
import * as WalletMessage from './wallet-message.ts';

/** The header in which clients of the x402 extension `sign-in-with-x` send the signed fields. */
export const header = 'sign-in-with-x';
const headerCharsMax = 8_192;
const fields = ['type', 'address', 'message', 'signature', 'account'];

/** A signed message. `text`: the exact signed text. `account`: the account to sign in to; null for the wallet's oldest. */
export type SignedWalletMessage = {
  kind: 'signed';
  text: string;
  message: WalletMessage.WalletMessage;
  signature: string;
  account: string | null;
};

export type WalletRequest =
  /** A request for a challenge, for `address` if given. */
  | { kind: 'challenge'; address: string | null }
  | SignedWalletMessage
  /** The signed message cannot be read. */
  | { kind: 'malformed' }
  | { kind: 'fault'; faults: readonly RegistrationFault[] };

const optionalText = z.string().optional();
const payload = z.object({
  domain: z.string().min(1),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  statement: optionalText,
  uri: z.string().min(1),
  version: z.string().min(1),
  chainId: z.string().regex(/^eip155:[1-9][0-9]{0,15}$/),
  type: z.literal('eip191').optional(),
  nonce: z.string().min(1),
  issuedAt: z.string().min(1),
  expirationTime: optionalText,
  notBefore: optionalText,
  requestId: optionalText,
  resources: z.array(z.string()).optional(),
  signature: z.string(),
});

/** Returns true when the body of POST /agent/auth is a sign-in by wallet. */
export function isOne(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && 'type' in body && body.type === 'wallet';
}

/** Reads the body `{"type":"wallet", ...}` and the lines of the header `SIGN-IN-WITH-X`, which takes precedence over a message in the body. */
export function read(body: Record<string, unknown>, lines: readonly string[]): WalletRequest {
  const { address = null, message = null, signature = null, account = null } = body;
  const faults: RegistrationFault[] = unknownFields(Object.keys(body), fields);
  const texts = { address, message, signature, account };
  for (const [field, value] of Object.entries(texts))
    if (value !== null && typeof value !== 'string') faults.push({ field, message: 'Must be a string' });
  if (typeof address === 'string' && !/^0x[0-9a-fA-F]{40}$/.test(address))
    faults.push({ field: 'address', message: 'Must be 0x and 40 hexadecimal digits' });
  if ((message === null) !== (signature === null))
    faults.push({
      field: message === null ? 'message' : 'signature',
      message: 'Required: message and signature belong together',
    });
  if (faults.length > 0) return { kind: 'fault', faults };
  const wanted = typeof account === 'string' ? account : null;
  const [first, ...more] = lines;
  if (more.length > 0) return { kind: 'malformed' };
  if (first !== undefined) return readHeader(first, wanted);
  if (typeof message !== 'string' || typeof signature !== 'string')
    return { kind: 'challenge', address: typeof address === 'string' ? address : null };
  const parsed = WalletMessage.parse(message);
  return parsed === null
    ? { kind: 'malformed' }
    : { kind: 'signed', text: message, message: parsed, signature, account: wanted };
}

function readHeader(line: string, account: string | null): WalletRequest {
  const sent = line.length <= headerCharsMax ? payload.safeParse(decode(line)) : null;
  if (!sent?.success) return { kind: 'malformed' };
  const { chainId, signature, type: _, ...rest } = sent.data;
  const message: WalletMessage.WalletMessage = {
    ...rest,
    chainId: Number(chainId.split(':')[1]),
    statement: rest.statement ?? null,
    expirationTime: rest.expirationTime ?? null,
    notBefore: rest.notBefore ?? null,
    requestId: rest.requestId ?? null,
    resources: rest.resources ?? [],
  };
  const text = WalletMessage.format(message);
  // With a line break inside a field, the text would differ from the fields.
  const isSame = JSON.stringify(WalletMessage.parse(text)) === JSON.stringify(sorted(message));
  return isSame ? { kind: 'signed', text, message, signature, account } : { kind: 'malformed' };
}

/** Returns the members in the order of `WalletMessage.parse`. */
function sorted(message: WalletMessage.WalletMessage): WalletMessage.WalletMessage {
  const { domain, address, statement, uri, version, chainId, nonce, issuedAt, ...rest } = message;
  const { expirationTime, notBefore, requestId, resources } = rest;
  return {
    ...{ domain, address, statement, uri, version, chainId, nonce, issuedAt },
    ...{ expirationTime, notBefore, requestId, resources },
  };
}

function decode(line: string): unknown {
  try {
    return JSON.parse(Buffer.from(line.trim(), 'base64').toString());
  } catch {
    return null;
  }
}
