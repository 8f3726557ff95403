import { z } from 'zod';
import * as FacilitatorKey from '../adapters/facilitator-key.ts';
import * as Wallet from '../payment/wallet.ts';
import * as Network from '../payment/x402/network.ts';

/** Receiver and facilitator of stablecoin payments. */
export type Coin = {
  /** Each with the RPC URL of its chain, or null. */
  networks: readonly { network: Network.Network; rpcUrl: string | null }[];
  /** In lower case. */
  payTo: string;
  facilitatorUrl: string;
  facilitatorKey: FacilitatorKey.Key;
};

type Env = Readonly<Record<string, string | undefined>>;

/** More networks would not fit into one header field. */
const networksMax = 8;
const confirmationsMax = 1_000;
const zeroAddress = `0x${'0'.repeat(40)}`;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const tokensShape = z
  .array(
    z.strictObject({
      network: z.string().regex(/^eip155:[1-9][0-9]{0,9}$/),
      asset: address,
      name: z.string().min(1).max(100),
      version: z.string().min(1).max(20),
      legacy_name: z.string().min(1).max(40).optional(),
    }),
  )
  .max(networksMax);

/** Reads X402_*. Returns null when stablecoin payments are off. Adds to `faults`; each starts with the name of its setting. */
export function read(env: Env, production: boolean, faults: string[]): Coin | null {
  const { X402_PAY_TO: payTo = '', X402_FACILITATOR_URL: facilitatorUrl = '' } = env;
  if (payTo === '' && facilitatorUrl === '') return null;
  checkUrl('X402_FACILITATOR_URL', facilitatorUrl, production, faults);
  const networks = readNetworks(env, production, faults);
  checkPayTo(payTo, networks, faults);
  const rpcUrls = readRpcUrls(env.X402_RPC_URL ?? '', networks, production, faults);
  return {
    networks: networks.map((network) => ({ network, rpcUrl: rpcUrls.get(network.id) ?? null })),
    payTo: payTo.toLowerCase(),
    facilitatorUrl,
    facilitatorKey: readKey(env, faults),
  };
}

/** A mistyped address loses every payment, so a checksum is verified when there is one. */
function checkPayTo(payTo: string, networks: readonly Network.Network[], faults: string[]): void {
  const fault = (what: string) => faults.push(`X402_PAY_TO ${what}`);
  if (!address.safeParse(payTo).success) fault('must be an address: 0x and 40 hexadecimal digits');
  else if (payTo === zeroAddress) fault('is the zero address: payments to it are lost');
  else if (networks.some(({ asset }) => asset.toLowerCase() === payTo.toLowerCase()))
    fault('is the token’s own contract: payments to it are lost');
  else if (isMixed(payTo) && payTo !== Wallet.checksummed(payTo))
    fault('fails its checksum (EIP-55): a digit or a capital is wrong. Copy it from your wallet again');
}

function isMixed(text: string): boolean {
  const digits = text.slice(2);
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
}

/** Returns the networks of X402_NETWORK in its order, from the built-in ones and X402_TOKENS. */
function readNetworks(env: Env, production: boolean, faults: string[]): Network.Network[] {
  const finality = readFinality(env.X402_CONFIRMATIONS ?? '', faults);
  const tokens = readTokens(env.X402_TOKENS ?? '', faults);
  const preset = tokens.length > 0 ? tokens : [production ? Network.base : Network.baseSepolia];
  const ids = list(env.X402_NETWORK ?? '');
  const known = [...tokens, ...Network.known];
  const found = ids.length === 0 ? preset : ids.flatMap((id) => tokensOf(known, tokens, id));
  for (const id of ids)
    if (!known.some((network) => network.id === id))
      faults.push(
        `X402_NETWORK: ${id} is not one of ${Network.known.map((it) => it.id).join(', ')}. Describe its token in X402_TOKENS`,
      );
  if (found.length > networksMax)
    faults.push(`X402_NETWORK names more than ${networksMax} networks and tokens`);
  return found.map((network) => ({ ...network, finality: finality ?? network.finality }));
}

/** Returns the tokens that X402_TOKENS describes for a network, or the built-in one. */
function tokensOf(
  known: readonly Network.Network[],
  tokens: readonly Network.Network[],
  id: string,
): readonly Network.Network[] {
  const own = tokens.filter((token) => token.id === id);
  return own.length > 0 ? own : known.filter((network) => network.id === id).slice(0, 1);
}

/** Tokens of EIP-3009 with 6 decimals. On an unknown chain, only blocks that its node calls finalized count. */
function readTokens(text: string, faults: string[]): Network.Network[] {
  if (text === '') return [];
  const parsed = tokensShape.safeParse(parseJson(text));
  if (!parsed.success) {
    faults.push(
      'X402_TOKENS must be a JSON list of {"network":"eip155:<chain>","asset":"0x...","name":"...","version":"..."}',
    );
    return [];
  }
  return parsed.data.map(({ network, asset, name, version, legacy_name }) => {
    const known = Network.find(network);
    return {
      id: network,
      legacyName: legacy_name ?? known?.legacyName ?? null,
      chainId: Number(network.slice('eip155:'.length)),
      asset,
      assetName: name,
      assetVersion: version,
      finality: known?.finality ?? 'finalized',
    };
  });
}

function readFinality(text: string, faults: string[]): Network.Finality | null {
  if (text === '') return null;
  if (text === 'safe' || text === 'finalized') return text;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= confirmationsMax) return count;
  faults.push(`X402_CONFIRMATIONS must be a number from 1 to ${confirmationsMax}, safe or finalized`);
  return null;
}

/** Reads one address for a single network, or `<network>=<address>` for each, separated by spaces or commas. */
function readRpcUrls(
  text: string,
  networks: readonly Network.Network[],
  production: boolean,
  faults: string[],
): Map<string, string> {
  const urls = new Map<string, string>();
  const ids = [...new Set(networks.map(({ id }) => id))];
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const named = /^(eip155:[0-9]+)=(.+)$/.exec(entry);
    const id = named?.[1] ?? (ids.length === 1 ? ids[0] : undefined);
    const url = named?.[2] ?? entry;
    if (id === undefined)
      faults.push('X402_RPC_URL must name the network: write eip155:<chain>=https://... for each');
    else if (!ids.includes(id)) faults.push(`X402_RPC_URL: ${id} is not one of the networks of X402_NETWORK`);
    else if (urls.has(id)) faults.push(`X402_RPC_URL has two addresses for ${id}`);
    else if (checkUrl('X402_RPC_URL', url, production, faults)) urls.set(id, url);
  }
  return urls;
}

function readKey(env: Env, faults: string[]): FacilitatorKey.Key {
  const { X402_FACILITATOR_TOKEN: token = '', X402_FACILITATOR_KEY_ID: keyId = '' } = env;
  const secret = env.X402_FACILITATOR_KEY_SECRET ?? '';
  if (token !== '' && keyId + secret !== '')
    faults.push('X402_FACILITATOR_TOKEN and X402_FACILITATOR_KEY_ID are both set: remove one of them');
  if (token !== '') {
    if (!/^[\x21-\x7e]+$/.test(token))
      faults.push('X402_FACILITATOR_TOKEN has characters that are not allowed in a header');
    return { kind: 'bearer', token };
  }
  if (keyId + secret === '') return { kind: 'none' };
  if (keyId === '' || secret === '')
    faults.push('X402_FACILITATOR_KEY_ID and X402_FACILITATOR_KEY_SECRET must be set together');
  const key = { kind: 'cdp', keyId, secret } as const;
  try {
    if (secret !== '') FacilitatorKey.signer(key);
  } catch (fault) {
    // The signer's messages contain no part of the key.
    faults.push(
      `X402_FACILITATOR_KEY_SECRET: ${fault instanceof TypeError ? fault.message : 'cannot be read'}`,
    );
  }
  return key;
}

/** Accepts https, and http on this machine outside production. */
function checkUrl(name: string, text: string, production: boolean, faults: string[]): boolean {
  const isHere = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(text);
  const isGood = URL.parse(text)?.protocol === 'https:' || (isHere && !production && URL.canParse(text));
  if (!isGood) faults.push(`${name} must be an https URL`);
  return isGood;
}

function list(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
