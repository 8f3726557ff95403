/** A chain and the dollar token on it that x402 payments are made in: 6 decimals, so an atomic unit is a micro-dollar. */
export type Network = {
  /** CAIP-2 id, used by version 2. */
  id: string;
  /** The name in version 1; null when version 1 has none, so that its clients are not offered this network. */
  legacyName: string | null;
  chainId: number;
  /** The token's contract, and its EIP-712 domain. */
  asset: string;
  assetName: string;
  assetVersion: string;
  finality: Finality;
};

/**
 * When a block counts as evidence: after a number of blocks including its own, or by the node's own tag. A block that can still be
 * replaced (a reorganization) must not grant anything.
 */
export type Finality = number | 'safe' | 'finalized';

/** Sequenced by one operator with a block every second or less. In practice, only a fault of the operator replaces blocks. */
const sequencedConfirmations = 2;
/** Four blocks a second. */
const arbitrumConfirmations = 4;
/** An accepted block of Avalanche is final. */
const finalAtOnce = 1;

function usdc(
  [id, legacyName]: readonly [id: string, legacyName: string | null],
  asset: string,
  assetName: 'USD Coin' | 'USDC',
  finality: Finality,
): Network {
  const chainId = Number(id.slice('eip155:'.length));
  return { id, legacyName, chainId, asset, assetName, assetVersion: '2', finality };
}

export const base = usdc(
  ['eip155:8453', 'base'],
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'USD Coin',
  sequencedConfirmations,
);

export const baseSepolia = usdc(
  ['eip155:84532', 'base-sepolia'],
  '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  'USDC',
  sequencedConfirmations,
);

/** Circle's own USDC on the networks that the official x402 packages know (test/x402 compares them). */
export const known: readonly Network[] = [
  base,
  baseSepolia,
  usdc(['eip155:1', null], '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USD Coin', 'safe'),
  usdc(['eip155:137', 'polygon'], '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USD Coin', 'finalized'),
  usdc(['eip155:80002', 'polygon-amoy'], '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', 'USDC', 'finalized'),
  usdc(
    ['eip155:42161', null],
    '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    'USD Coin',
    arbitrumConfirmations,
  ),
  usdc(
    ['eip155:421614', null],
    '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
    'USD Coin',
    arbitrumConfirmations,
  ),
  usdc(['eip155:43114', 'avalanche'], '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 'USD Coin', finalAtOnce),
  usdc(
    ['eip155:43113', 'avalanche-fuji'],
    '0x5425890298aed601595a70AB815c96711a31Bc65',
    'USD Coin',
    finalAtOnce,
  ),
];

/** Returns the network of a CAIP-2 id, or null when it is not known here. */
export function find(id: string): Network | null {
  return known.find((network) => network.id === id) ?? null;
}
