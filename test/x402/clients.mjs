import { wrap } from '@faremeter/fetch';
import { createPaymentHandler } from '@faremeter/payment-evm/exact';
import { ExactEvmScheme } from '@x402/evm';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { createSigner, decodeXPaymentResponse, wrapFetchWithPayment as wrapLegacy } from 'x402-fetch';

/**
 * The published x402 clients, none of them changed: each with a wallet of its own on Base Sepolia, the `fetch` that it
 * wraps, and how it reads a receipt. `seen` holds the header fields that it paid by.
 */
export const clients = {
  '@x402/fetch, version 2': async (seen) => {
    const account = privateKeyToAccount(generatePrivateKey());
    const client = new x402Client().register('eip155:84532', new ExactEvmScheme(account));
    return of(
      account,
      wrapFetchWithPayment(spy(seen), client),
      'payment-response',
      decodePaymentResponseHeader,
    );
  },
  // Behind an intermediary that drops header fields it does not know, this client reads the body.
  '@x402/fetch, version 1': async (seen) => {
    const account = privateKeyToAccount(generatePrivateKey());
    const client = new x402Client().registerV1('base-sepolia', new ExactEvmSchemeV1(account));
    const dropping = async (...request) => {
      const answer = await spy(seen)(...request);
      const headers = new Headers(answer.headers);
      headers.delete('payment-required');
      return new Response(answer.body, { status: answer.status, headers });
    };
    return of(
      account,
      wrapFetchWithPayment(dropping, client),
      'x-payment-response',
      decodePaymentResponseHeader,
    );
  },
  'x402-fetch': async (seen) => {
    const key = generatePrivateKey();
    const signer = await createSigner('base-sepolia', key);
    // Its own limit is 0.10 USD.
    const paying = wrapLegacy(spy(seen), signer, 1_000_000n);
    return of(privateKeyToAccount(key), paying, 'x-payment-response', decodeXPaymentResponse);
  },
  '@faremeter/fetch': async (seen) => {
    const account = privateKeyToAccount(generatePrivateKey());
    const wallet = {
      chain: { id: baseSepolia.id, name: baseSepolia.name },
      address: account.address,
      account,
    };
    const paying = wrap(spy(seen), { handlers: [createPaymentHandler(wallet)] });
    return of(account, paying, 'payment-response', decodePaymentResponseHeader);
  },
};

function of(account, fetch, receiptField, decode) {
  return {
    address: account.address.toLowerCase(),
    fetch,
    receipt: (answer) => decode(answer.headers.get(receiptField)),
  };
}

/** The real fetch, with an eye on what pays. */
function spy(seen) {
  return async (input, init) => {
    const headers = input instanceof Request ? input.headers : new Headers(init?.headers);
    for (const name of ['payment-signature', 'x-payment']) if (headers.has(name)) seen.push(name);
    return fetch(input, init);
  };
}
