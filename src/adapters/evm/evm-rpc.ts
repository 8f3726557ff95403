import { z } from 'zod';
import {
  type Chain,
  type Evidence,
  judge,
  type Transfer,
  topics,
  type Window,
  word,
} from '../../payment/x402/chain.ts';
import type { Network } from '../../payment/x402/network.ts';
import * as JsonRpc from './json-rpc.ts';
import { signatureValidator } from './signature-validator.ts';

/** Time limit for one question about the chain, with all its requests. */
const lookTimeoutMs = 15_000;
/** Number of blocks in one request for logs. Providers allow from 5 to 10,000: a refusal halves it. */
const logBlocksMax = 2_000;
const logBlocksMin = 5;
/** Maximum number of requests for logs, because a shop may search for a payment made hours ago. */
const logRequestsMax = 400;
/** Initial distance of the search for the first block of a window; it doubles until a block is old enough. */
const searchBlocksMin = 64n;
/** `authorizationState(address,bytes32)` of EIP-3009. */
const authorizationState = '0xe94a0102';
/** `balanceOf(address)` of ERC-20. */
const balanceOf = '0x70a08231';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const blockShape = z.object({ number: quantity, hash, timestamp: quantity });
const logShape = z.object({ transactionHash: hash, removed: z.boolean().nullish() });
const receiptShape = z.object({
  blockHash: hash,
  blockNumber: quantity,
  status: quantity,
  transactionHash: hash,
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});

type EvmNetwork = Pick<Network, 'id' | 'chainId' | 'finality'>;
type Block = { number: bigint; hash: string; timeMs: number };

/**
 * Opens a reader of `network` through a node's JSON-RPC interface. The node is trusted: an address that serves another chain is
 * rejected, but one that invents receipts is not detected.
 */
export function openChain(url: string, network: EvmNetwork): Chain {
  return new EvmChain(JsonRpc.openJsonRpc(url), network);
}

class EvmChain implements Chain {
  readonly #rpc: JsonRpc.JsonRpc;
  readonly #network: EvmNetwork;
  #isRightChain = false;
  #logBlocks = logBlocksMax;

  constructor(rpc: JsonRpc.JsonRpc, network: EvmNetwork) {
    this.#rpc = rpc;
    this.#network = network;
  }

  async evidence(transfer: Transfer, window: Window, transaction: string | null): Promise<Evidence> {
    const signal = AbortSignal.timeout(lookTimeoutMs);
    await this.#checkChain(signal);
    const newest = await this.#finalBlock(signal);
    const named = transaction && (await this.#ofTransaction(transaction, transfer, window, newest, signal));
    if (named) return named;
    const asOfMs = newest.timeMs;
    if (!(await this.#isUsed(transfer, hex(newest.number), signal))) return { kind: 'unused', asOfMs };
    if (newest.timeMs < window.sinceMs) return { kind: 'spent' };
    const first = await this.#firstSince(window.sinceMs, newest, signal);
    const after =
      newest.timeMs <= window.untilMs ? null : await this.#firstSince(window.untilMs, newest, signal);
    for (const found of await this.#transactions(transfer, [first, after ?? newest.number], signal)) {
      const evidence = await this.#ofTransaction(found, transfer, window, newest, signal);
      if (evidence) return evidence;
    }
    // Full nodes keep the state of the last blocks only. Without it the question stays open.
    const wasUsed = first > 0n && (await this.#isUsed(transfer, hex(first - 1n), signal).catch(() => false));
    return wasUsed ? { kind: 'spent' } : { kind: 'unseen', asOfMs };
  }

  async obstacle(transfer: Parameters<Chain['obstacle']>[0]): ReturnType<Chain['obstacle']> {
    const signal = AbortSignal.timeout(lookTimeoutMs);
    await this.#checkChain(signal);
    const { asset, from, value } = transfer;
    const call = [{ to: asset, data: balanceOf + word(from).slice(2) }, 'latest'];
    const [isSpent, balance] = await Promise.all([
      this.#isUsed(transfer, 'latest', signal),
      this.#rpc.call('eth_call', call, signal).then((result) => BigInt(hash.parse(result))),
    ]);
    if (isSpent) return 'spent';
    return balance < value ? 'insufficient_funds' : null;
  }

  async accepts(wallet: string, digest: Uint8Array, signature: string): Promise<boolean> {
    const signal = AbortSignal.timeout(lookTimeoutMs);
    await this.#checkChain(signal);
    try {
      const data = signatureValidator + callData(wallet, digest, signature);
      return /^0x0*1$/.test(String(await this.#rpc.call('eth_call', [{ data }, 'latest'], signal)));
    } catch (fault) {
      // The validator reverts when the wallet's own code does.
      if (fault instanceof JsonRpc.RpcRefusal && isRevert(fault)) return false;
      throw fault;
    }
  }

  close(): Promise<void> {
    return this.#rpc.close();
  }

  async #checkChain(signal: AbortSignal): Promise<void> {
    if (this.#isRightChain) return;
    const chainId = quantity.parse(await this.#rpc.call('eth_chainId', [], signal));
    if (chainId !== BigInt(this.#network.chainId))
      throw new Error(`the RPC address of ${this.#network.id} serves chain ${chainId}`);
    this.#isRightChain = true;
  }

  async #block(which: bigint | string, signal: AbortSignal): Promise<Block> {
    const name = typeof which === 'bigint' ? hex(which) : which;
    const found = blockShape.safeParse(await this.#rpc.call('eth_getBlockByNumber', [name, false], signal));
    if (!found.success) throw new Error(`the node has no block ${name}`);
    const { number, hash, timestamp } = found.data;
    return { number, hash, timeMs: Number(timestamp) * 1000 };
  }

  /** Returns the newest block that counts as evidence. */
  async #finalBlock(signal: AbortSignal): Promise<Block> {
    const { finality } = this.#network;
    if (typeof finality === 'string') return this.#block(finality, signal);
    const newest = await this.#block('latest', signal);
    const number = newest.number - BigInt(finality - 1);
    return number === newest.number ? newest : this.#block(number < 0n ? 0n : number, signal);
  }

  async #isUsed(
    { asset, from, nonce }: Pick<Transfer, 'asset' | 'from' | 'nonce'>,
    at: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const data = authorizationState + word(from).slice(2) + nonce.slice(2);
    // A contract without this function returns an empty result, which does not parse.
    return BigInt(hash.parse(await this.#rpc.call('eth_call', [{ to: asset, data }, at], signal))) === 1n;
  }

  /** Returns what a transaction did with the transfer, or null when it is not final or did nothing. */
  async #ofTransaction(
    transaction: string,
    transfer: Transfer,
    window: Window,
    newest: Block,
    signal: AbortSignal,
  ): Promise<Evidence | null> {
    const found = await this.#rpc.call('eth_getTransactionReceipt', [transaction], signal);
    const receipt = receiptShape.safeParse(found).data;
    if (receipt?.status !== 1n || receipt.blockNumber > newest.number) return null;
    if (receipt.transactionHash.toLowerCase() !== transaction) return null;
    const holder = await this.#block(receipt.blockNumber, signal);
    // The block was replaced in the meantime, so its receipt is no evidence.
    if (holder.hash.toLowerCase() !== receipt.blockHash.toLowerCase()) return null;
    switch (judge(receipt.logs, transfer)) {
      case 'none':
        return null;
      case 'canceled':
        return { kind: 'canceled', transaction };
      case 'spent':
        return { kind: 'spent' };
      case 'paid':
        return holder.timeMs < window.sinceMs ? { kind: 'spent' } : { kind: 'paid', transaction };
    }
  }

  /** Returns the first block that was made at `timeMs` or later, up to `newest`. */
  async #firstSince(timeMs: number, newest: Block, signal: AbortSignal): Promise<bigint> {
    let high = newest.number;
    let low = high;
    for (let back = searchBlocksMin; low > 0n; back *= 2n) {
      low = newest.number > back ? newest.number - back : 0n;
      if ((await this.#block(low, signal)).timeMs < timeMs) break;
      high = low;
    }
    while (low < high) {
      const middle = (low + high) / 2n;
      if ((await this.#block(middle, signal)).timeMs < timeMs) low = middle + 1n;
      else high = middle;
    }
    return low;
  }

  /** Returns the transactions of these blocks that used or cancelled the authorization. */
  async #transactions(
    { asset, from, nonce }: Transfer,
    [first, last]: readonly [bigint, bigint],
    signal: AbortSignal,
  ): Promise<string[]> {
    const wanted = [[topics.used, topics.canceled], word(from), nonce];
    let requests = 0;
    for (let at = first; at <= last; ) {
      if (++requests > logRequestsMax) throw new Error('too many blocks to search for one payment');
      const end = at + BigInt(this.#logBlocks) - 1n;
      const to = end < last ? end : last;
      const filter = { address: asset, topics: wanted, fromBlock: hex(at), toBlock: hex(to) };
      try {
        const found = z.array(logShape).parse(await this.#rpc.call('eth_getLogs', [filter], signal));
        const hashes = found.filter(({ removed }) => removed !== true).map((log) => log.transactionHash);
        if (hashes.length > 0) return hashes.map((one) => one.toLowerCase());
        at = to + 1n;
      } catch (fault) {
        if (!(fault instanceof JsonRpc.RpcRefusal) || this.#logBlocks <= logBlocksMin) throw fault;
        this.#logBlocks = Math.max(logBlocksMin, Math.floor(this.#logBlocks / 2));
      }
    }
    return [];
  }
}

/** Returns the ABI words of (address, bytes32, bytes), without `0x`. */
function callData(wallet: string, digest: Uint8Array, signature: string): string {
  const bytes = signature.slice(2);
  const words = [word(wallet), word(`0x${Buffer.from(digest).toString('hex')}`), word('0x60')];
  const length = word(`0x${(bytes.length / 2).toString(16)}`);
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return [...words, length].map((one) => one.slice(2)).join('') + padded;
}

/** Code 3 is a revert with data. Nodes that do not use it describe the revert in the message, under the general code. */
function isRevert({ code, message }: JsonRpc.RpcRefusal): boolean {
  return code === 3 || /revert|invalid opcode|out of gas|stack|VM execution/i.test(message);
}

function hex(number: bigint): string {
  return `0x${number.toString(16)}`;
}
