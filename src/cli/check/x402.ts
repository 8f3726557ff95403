import { openJsonRpc } from '../../adapters/evm/json-rpc.ts';
import * as FacilitatorKey from '../../adapters/facilitator-key.ts';
import * as TypedData from '../../payment/typed-data.ts';
import * as Wallet from '../../payment/wallet.ts';
import type { Network } from '../../payment/x402/network.ts';
import type * as X402Settings from '../../process/x402-settings.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('coin');

/** `DOMAIN_SEPARATOR()` and `decimals()` of a token. */
const domainSeparator = '0x3644e515';
const decimals = '0x313ce567';
const decimalsWanted = 6n;

/** The facilitator with its key, each network's chain, and what has to be trusted; nothing is paid by it. */
export async function checkX402(coin: X402Settings.Coin): Promise<Finding.Finding[]> {
  const chains = await Promise.all(coin.networks.map(chain));
  return [payTo(coin), ...(await facilitator(coin)), ...chains];
}

/** A payment that was made elsewhere to the same address must not be taken for one that was made here. */
function payTo({ payTo }: X402Settings.Coin): Finding.Finding {
  return ok(
    `payments go to ${Wallet.checksummed(payTo)}: use that address for this shop alone, not for a second shop or any other x402 service`,
  );
}

/** Checks that the facilitator accepts the shop's key and lists the networks that are sold on. */
async function facilitator(coin: X402Settings.Coin): Promise<Finding.Finding[]> {
  const { facilitatorUrl, facilitatorKey, networks } = coin;
  const base = facilitatorUrl.replace(/\/+$/, '');
  const url = new URL(`${base}/supported`);
  try {
    const headers = await FacilitatorKey.signer(facilitatorKey)('GET', url.host, url.pathname);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers,
      signal: AbortSignal.timeout(Finding.answerMsMax),
    });
    if (answer.status === 401 || answer.status === 403) return [refused(base, answer.status, facilitatorKey)];
    const body: unknown = await answer.json().catch(() => null);
    const kinds = (body as { kinds?: unknown } | null)?.kinds;
    if (!answer.ok || !Array.isArray(kinds))
      return [unproved(`${base} answers, and does not say what it settles`, 'one payment proves it')];
    const settles = (version: number, name: string | null) =>
      kinds.some(
        (kind) =>
          kind?.scheme === 'exact' && kind?.network === name && (kind?.x402Version ?? version) === version,
      );
    return [...new Map(networks.map(({ network }) => [network.id, network])).values()].map((network) =>
      ofNetwork(base, network, settles),
    );
  } catch (fault) {
    return [problem(`${base} does not answer: ${Finding.reason(fault)}`)];
  }
}

function refused(base: string, status: number, key: FacilitatorKey.Key): Finding.Finding {
  return problem(
    `${base} refuses this shop (${status}): no payment can be settled, and buyers are answered payment_unavailable`,
    key.kind === 'none'
      ? 'X402_FACILITATOR_KEY_ID and X402_FACILITATOR_KEY_SECRET (Coinbase), or X402_FACILITATOR_TOKEN'
      : `a key that it takes, in ${key.kind === 'cdp' ? 'X402_FACILITATOR_KEY_ID and _SECRET' : 'X402_FACILITATOR_TOKEN'}`,
  );
}

function ofNetwork(
  base: string,
  { id, legacyName }: Network,
  settles: (version: number, name: string | null) => boolean,
): Finding.Finding {
  if (!settles(2, id))
    return problem(`${base} does not settle on ${id}`, 'another X402_FACILITATOR_URL or X402_NETWORK');
  if (legacyName !== null && !settles(1, legacyName))
    return unproved(
      `${base} settles on ${id}, and not for clients of x402 version 1 (${legacyName}), which are offered it all the same`,
      'their payments are answered 503 payment_unavailable; another facilitator takes both',
    );
  return ok(`${base} settles on ${id}`);
}

/** A network's chain: the right one, with the token that is sold for, as it is described. */
async function chain({ network, rpcUrl }: X402Settings.Coin['networks'][number]): Promise<Finding.Finding> {
  const { id, asset } = network;
  if (rpcUrl === null)
    return unproved(
      `payments on ${id} are granted on the facilitator’s word alone: one that lies gives credit away, payments in doubt wait for you, contract wallets are refused`,
      'X402_RPC_URL, an RPC address of that network',
    );
  const rpc = openJsonRpc(rpcUrl);
  const signal = AbortSignal.timeout(Finding.answerMsMax);
  const call = (data: string) => rpc.call('eth_call', [{ to: asset, data }, 'latest'], signal);
  try {
    const chainId = Number(await rpc.call('eth_chainId', [], signal));
    if (chainId !== network.chainId)
      return problem(`the RPC address of ${id} serves chain ${chainId}`, 'X402_RPC_URL of the right network');
    const [separator, places] = [await call(domainSeparator), await call(decimals)];
    if (places !== undefined && BigInt(String(places)) !== decimalsWanted)
      return problem(`the token ${asset} on ${id} does not have ${decimalsWanted} decimals`);
    const own = Buffer.from(TypedData.domainSeparator(domain(network))).toString('hex');
    if (String(separator).toLowerCase() !== `0x${own}`)
      return problem(
        `the token ${asset} on ${id} signs under another name or version than ${network.assetName}, ${network.assetVersion}`,
        'X402_TOKENS with the name and version of its contract (EIP-712)',
      );
    await rpc.call(
      'eth_getBlockByNumber',
      [typeof network.finality === 'string' ? network.finality : 'latest', false],
      signal,
    );
    return ok(`every payment on ${id} is checked on the chain itself (${inWords(network)})`);
  } catch (fault) {
    // Its address may hold a key.
    return problem(`the RPC address of ${id} does not respond like a node: ${Finding.reason(fault)}`);
  } finally {
    await rpc.close();
  }
}

function domain({
  assetName: name,
  assetVersion: version,
  chainId,
  asset,
}: Network): TypedData.TypedData['domain'] {
  return { name, version, chainId, verifyingContract: asset };
}

function inWords({ finality }: Network): string {
  return typeof finality === 'string' ? `blocks that are ${finality}` : `${finality} confirmations`;
}
