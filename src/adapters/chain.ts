import { Agent, request } from 'undici';
import type { Chain } from '../payment/x402/coin.ts';

const timeoutMs = 10_000;
/** `authorizationState(address,bytes32)` of EIP-3009. */
const selector = '0xe94a0102';

/** An EVM chain by its JSON-RPC interface. */
export function open(url: string): Chain {
  const dispatcher = new Agent({ connections: 2, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  return {
    async isUsed(asset, wallet, nonce) {
      const data = selector + wallet.slice(2).padStart(64, '0') + nonce.slice(2);
      const { statusCode, body } = await request(url, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'eth_call',
          params: [{ to: asset, data }, 'latest'],
        }),
      });
      const answer = (await body.json()) as { result?: unknown };
      if (statusCode !== 200 || typeof answer.result !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer.result))
        throw new Error(`the chain answered ${statusCode} without a result`);
      return BigInt(answer.result) === 1n;
    },
  };
}
