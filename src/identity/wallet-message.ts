import { createHmac, randomBytes } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { seconds } from '@sluice/kernel/clock';
import * as Digest from '@sluice/kernel/digest';

/**
 * Sign-In with Ethereum (EIP-4361, CAIP-122): a message that names this shop and that a wallet signs as text (EIP-191). The extension
 * `sign-in-with-x` of x402 sends the same message as its fields.
 */

/** A challenge expires after this. */
export const lifeSeconds = 5 * 60;
/** A wallet's clock may be this far ahead of ours. */
const clockSkewMs = 30_000;
const messageCharsMax = 4_096;

/** The fields of a message. Times are the signed RFC 3339 strings. */
export type WalletMessage = {
  domain: string;
  /** As it was signed: `0x` and 40 hex digits in any case. */
  address: string;
  statement: string | null;
  uri: string;
  version: string;
  chainId: number;
  nonce: string;
  issuedAt: string;
  expirationTime: string | null;
  notBefore: string | null;
  requestId: string | null;
  resources: readonly string[];
};

/** The fields that the shop asks wallets to sign; the wallet adds its address and chain. */
export type Challenge = Pick<
  WalletMessage,
  'domain' | 'statement' | 'uri' | 'version' | 'nonce' | 'issuedAt'
> & {
  expirationTime: string;
};

/** The site that a wallet signs in to, and the keys of its nonces: the current one and one that is still accepted. */
export type SignInSite = {
  /** An origin without a trailing slash. */
  publicUrl: string;
  uri: string;
  statement: string;
  /** The EIP-155 numbers of the chains that may be named. */
  chainIds: readonly number[];
  secrets: { readonly current: string; readonly previous?: string | undefined };
};

/** Creates a challenge. Its nonce is an authenticated random number with its expiry, so nothing is stored until it is answered. */
export function challenge({ publicUrl, uri, statement, secrets }: SignInSite, nowMs: number): Challenge {
  const endMs = nowMs + lifeSeconds * 1000;
  const body = `${seconds(endMs).toString(16).padStart(10, '0')}${randomBytes(16).toString('hex')}`;
  return {
    domain: new URL(publicUrl).host,
    statement,
    uri,
    version: '1',
    nonce: `${body}${mac(secrets.current, body)}`,
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(endMs).toISOString(),
  };
}

/** Returns the text that a wallet signs. */
export function format(message: WalletMessage): string {
  const { domain, address, statement, uri, version, chainId, nonce, issuedAt } = message;
  const { expirationTime, notBefore, requestId, resources } = message;
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    ...(statement === null ? [''] : [statement, '']),
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...(expirationTime === null ? [] : [`Expiration Time: ${expirationTime}`]),
    ...(notBefore === null ? [] : [`Not Before: ${notBefore}`]),
    ...(requestId === null ? [] : [`Request ID: ${requestId}`]),
    ...(resources.length === 0 ? [] : ['Resources:', ...resources.map((resource) => `- ${resource}`)]),
  ].join('\n');
}

const form = new RegExp(
  [
    '^(?<domain>[^\\s/]+) wants you to sign in with your Ethereum account:',
    '(?<address>0x[0-9a-fA-F]{40})',
    '',
    // Without a statement, the standard has two blank lines; some wallets write one.
    '(?:(?:(?<statement>[^\\n]+)\\n)?\\n)?URI: (?<uri>\\S+)',
    'Version: (?<version>\\S+)',
    'Chain ID: (?<chainId>[1-9][0-9]{0,15})',
    'Nonce: (?<nonce>[a-zA-Z0-9]{8,})',
    'Issued At: (?<issuedAt>\\S+)(?:\\nExpiration Time: (?<expirationTime>\\S+))?(?:\\nNot Before: (?<notBefore>\\S+))?(?:\\nRequest ID: (?<requestId>\\S*))?(?:\\nResources:(?<resources>(?:\\n- \\S+)*))?$',
  ].join('\\n'),
);

/** Reads a text that a wallet signed. Returns null when it is not a sign-in message. */
export function parse(text: string): WalletMessage | null {
  if (text.length > messageCharsMax) return null;
  const fields = form.exec(text)?.groups;
  if (!fields) return null;
  return {
    domain: fields.domain ?? '',
    address: fields.address ?? '',
    statement: fields.statement ?? null,
    uri: fields.uri ?? '',
    version: fields.version ?? '',
    chainId: Number(fields.chainId),
    nonce: fields.nonce ?? '',
    issuedAt: fields.issuedAt ?? '',
    expirationTime: fields.expirationTime ?? null,
    notBefore: fields.notBefore ?? null,
    requestId: fields.requestId ?? null,
    resources: fields.resources?.split('\n- ').slice(1) ?? [],
  };
}

export type WalletMessageRefusal = keyof typeof refusals;

/** The reasons to reject a signed message, for its sender. */
export const refusals = {
  wallet_message: 'The message is not a Sign-In with Ethereum message (EIP-4361).',
  wallet_domain: 'The message was signed for another site.',
  wallet_chain: 'The message names a chain that is not among `supportedChains`.',
  wallet_nonce: 'The nonce of the message was not issued here, or has expired. Request a new challenge.',
  wallet_expired: 'The message has expired. Request a new challenge.',
  wallet_signature: 'The signature must be 65 bytes: r, s and v, with v 27 or 28 and a low s.',
  wallet_signer: 'The signature is not that of the address in the message.',
  wallet_used: 'This message has been used. Request a new challenge.',
} as const;

/** Checks everything about a message except its signature and earlier use. Returns null when it is valid. */
export function check(message: WalletMessage, site: SignInSite, nowMs: number): WalletMessageRefusal | null {
  if (message.domain !== new URL(site.publicUrl).host || message.uri !== site.uri) return 'wallet_domain';
  if (message.version !== '1') return 'wallet_message';
  if (!site.chainIds.includes(message.chainId)) return 'wallet_chain';
  const nonceEndMs = nonceExpiresMs(message.nonce, site);
  if (nonceEndMs === null || nonceEndMs <= nowMs) return 'wallet_nonce';
  const issuedMs = Date.parse(message.issuedAt);
  const endMs = message.expirationTime === null ? nonceEndMs : Date.parse(message.expirationTime);
  const beginMs = message.notBefore === null ? issuedMs : Date.parse(message.notBefore);
  if (Number.isNaN(issuedMs) || Number.isNaN(endMs) || Number.isNaN(beginMs)) return 'wallet_message';
  const isInTime =
    endMs > nowMs &&
    beginMs <= nowMs + clockSkewMs &&
    issuedMs <= nowMs + clockSkewMs &&
    issuedMs > nowMs - lifeSeconds * 1000 - clockSkewMs;
  return isInTime ? null : 'wallet_expired';
}

/** Returns the expiry of a nonce of this shop in milliseconds, or null for any other nonce. */
export function nonceExpiresMs(nonce: string, { secrets }: Pick<SignInSite, 'secrets'>): number | null {
  const [, body, end, tag] = /^(([0-9a-f]{10})[0-9a-f]{32})([0-9a-f]{32})$/.exec(nonce) ?? [];
  if (body === undefined || end === undefined || tag === undefined) return null;
  const keys = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  return keys.some((key) => Digest.equal(tag, mac(key, body))) ? Number.parseInt(end, 16) * 1000 : null;
}

/** Returns the digest that a wallet signs for a text (EIP-191, version `E`). */
export function digest(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

function mac(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`wallet sign-in ${body}`).digest('hex').slice(0, 32);
}
