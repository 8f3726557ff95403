import { openChain } from '../adapters/evm/evm-rpc.ts';
import * as Facilitator from '../adapters/facilitator.ts';
import type { AcceptedTokens } from '../payment/x402/accepted-token.ts';
import type { Facilitator as Settler } from '../payment/x402/facilitator.ts';
import type * as X402Settings from './x402-settings.ts';

/** Opens stablecoin payments as configured. Connects on first use. */
export function openX402(settings: X402Settings.Coin): AcceptedTokens {
  const { facilitatorUrl: url, facilitatorKey: key } = settings;
  return withFacilitator(settings, Facilitator.openFacilitator({ url, key }));
}

/** The same for commands, which read the chain and never settle. */
export function openX402ToRead(settings: X402Settings.Coin): AcceptedTokens {
  return withFacilitator(settings, {
    settle: async () => ({ kind: 'unavailable', refused: false, detail: 'commands settle no payments' }),
    close: async () => {},
  });
}

function withFacilitator({ networks, payTo }: X402Settings.Coin, facilitator: Settler): AcceptedTokens {
  return {
    networks: networks.map(({ network, rpcUrl }) => ({
      network,
      chain: rpcUrl === null ? null : openChain(rpcUrl, network),
    })),
    payTo,
    facilitator,
  };
}

/** Closes all connections to the facilitator and the chains. */
export async function closeX402(acceptedTokens: AcceptedTokens): Promise<void> {
  await Promise.all([
    acceptedTokens.facilitator.close(),
    ...acceptedTokens.networks.map(({ chain }) => chain?.close()),
  ]);
}
