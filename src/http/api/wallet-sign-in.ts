import { path } from '@sluice/kernel/endpoints';
import * as AccessToken from '../../identity/access-token.ts';
import * as WalletMessage from '../../identity/wallet-message.ts';
import * as WalletRequest from '../../identity/wallet-request.ts';
import * as WalletSignIn from '../../journeys/wallet-sign-in.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply, tooManyRequests } from '../reply.ts';
import { address, type Call, lines, requestId, unprocessable } from '../request-context.ts';
import { trialMember, trialPlan } from './trial-member.ts';

const noStore = { 'cache-control': 'no-store' };
const placeholder = '{address}';

/** Responds to `POST /agent/auth {"type":"wallet"}` with a message to sign, or with tokens for a signed message. */
export async function answer(
  shop: WalletSignIn.WalletSignInContext & TextsContext,
  c: Call,
  body: Record<string, unknown>,
  clientAddressHeader: string | null,
): Promise<Reply> {
  const id = requestId(c);
  const request = WalletRequest.read(body, lines(c, WalletRequest.header));
  switch (request.kind) {
    case 'fault':
      return unprocessable(c, request.faults);
    case 'challenge':
      return challenge(shop, request.address, null, id);
    case 'malformed':
      return challenge(shop, null, 'wallet_message', id);
  }
  const outcome = await WalletSignIn.signIn(shop, request, address(c, clientAddressHeader));
  switch (outcome.kind) {
    case 'refused':
      return challenge(shop, request.message.address, outcome.reason, id);
    case 'foreign':
      return unprocessable(c, [{ field: 'account', message: shop.texts.text('fault.wallet_account') }]);
    case 'rate_limited':
      return tooManyRequests('rate_limited', shop.texts.text('api.rate_limited.signatures'), outcome, id);
    case 'registration_limited':
      return tooManyRequests(
        'registration_limited',
        shop.texts.text('api.registration_limited.wallets'),
        outcome,
        id,
      );
    case 'signed_in':
      c.get('entry').account = outcome.account;
      return signedIn(shop, outcome);
  }
}

/**
 * The 402 with a message to sign. It requires no payment: clients of x402 read it as a resource that needs only a sign-in, and their
 * extension `sign-in-with-x` signs the message automatically.
 */
function challenge(
  shop: WalletSignIn.WalletSignInContext & TextsContext,
  wallet: string | null,
  reason: WalletMessage.WalletMessageRefusal | null,
  id: string,
): Reply {
  const info = WalletSignIn.challenge(shop);
  const { uri, chainIds } = WalletSignIn.signInTerms(shop);
  const supportedChains = chainIds.map((chainId) => ({ chainId: `eip155:${chainId}`, type: 'eip191' }));
  const [chainId = 1] = chainIds;
  const message = WalletMessage.format({
    ...info,
    address: wallet ?? placeholder,
    chainId,
    notBefore: null,
    requestId: null,
    resources: [],
  });
  const required = {
    x402Version: 2,
    error: reason ?? 'signature_required',
    resource: { url: uri, description: 'Sign in with a wallet', mimeType: 'application/json' },
    accepts: [],
    extensions: { 'sign-in-with-x': { info, supportedChains, schema } },
  };
  const text = reason === null ? shop.texts.text('api.signature_required') : WalletMessage.refusals[reason];
  return error(
    402,
    reason === null ? 'signature_required' : 'signature_refused',
    text,
    id,
    {
      reason,
      sign_in: {
        message,
        expires_at: info.expirationTime,
        chains: supportedChains.map((chain) => chain.chainId),
        send: {
          method: 'POST',
          url: shop.publicUrl + path.register,
          headers: { 'content-type': 'application/json' },
          body: { type: 'wallet', message: '{message}', signature: '{signature}' },
        },
      },
    },
    { ...noStore, 'payment-required': Buffer.from(JSON.stringify(required)).toString('base64') },
  );
}

/** The schema of the header `SIGN-IN-WITH-X`, which is JSON in base64. */
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(
    ['domain', 'address', 'statement', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt']
      .concat(['expirationTime', 'notBefore', 'requestId', 'signature'])
      .map((name) => [name, { type: 'string' }]),
  ),
  required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
};

function signedIn(
  shop: Pick<WalletSignIn.WalletSignInContext, 'catalog'> & TextsContext,
  { wallet, account, accounts, access, assertion, isNew, trial, trialState }: WalletSignIn.SignedIn,
) {
  return json(
    isNew ? 201 : 200,
    {
      success: true,
      account,
      registration_id: access.claims.sid,
      registration_type: 'wallet',
      wallet,
      accounts,
      access_token: access.token,
      token_type: 'Bearer',
      expires_in: AccessToken.lifeSeconds,
      identity_assertion: assertion.token,
      assertion_expires: new Date(assertion.claims.expiresMs).toISOString(),
      plan: trialPlan(trial),
      ...trialMember(shop, trialState),
    },
    noStore,
  );
}
