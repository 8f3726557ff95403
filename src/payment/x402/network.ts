/** A chain, and the dollar coin on it that x402 payments are made in: 6 decimals, so an atomic unit is a micro-dollar. */
export type Network = {
  /** CAIP-2, as version 2 names it. */
  id: string;
  /** As version 1 names it. */
  legacyName: string;
  chainId: number;
  /** The coin's contract, and the EIP-712 domain that it signs under. */
  asset: string;
  assetName: string;
  assetVersion: string;
};

export const base: Network = {
  id: 'eip155:8453',
  legacyName: 'base',
  chainId: 8453,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  assetName: 'USD Coin',
  assetVersion: '2',
};

export const baseSepolia: Network = {
  id: 'eip155:84532',
  legacyName: 'base-sepolia',
  chainId: 84532,
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  assetName: 'USDC',
  assetVersion: '2',
};

/** The network of a CAIP-2 id, or null where none is known here. */
export function find(id: string): Network | null {
  return [base, baseSepolia].find((network) => network.id === id) ?? null;
}
