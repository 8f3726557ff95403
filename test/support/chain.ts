import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Log, topics, word } from '../../src/payment/x402/chain.ts';
import type { Settled } from './facilitator.ts';

/** Misbehaviour of a node. */
export type Mood =
  | 'honest'
  | 'down'
  /** Refuses requests for the logs of more than 10 blocks, like the free plans of providers. */
  | 'limited'
  /** Responds only to every second request. */
  | 'flaky'
  /** Has no state of older blocks. */
  | 'pruned';

type Transaction = { hash: string; logs: readonly Log[]; isReverted: boolean };
type Block = { number: number; hash: string; timeSeconds: number; transactions: Transaction[] };

/** An EVM node with the methods that a shop uses: blocks, receipts, logs, and one token whose state follows from its logs. */
export type ChainDouble = {
  url: string;
  /** Puts a transaction into a block of its own. Returns the transaction's hash. */
  mine(logs: readonly Log[], at?: { timeMs?: number; hash?: string; isReverted?: boolean }): string;
  /** Adds empty blocks. */
  pass(blocks: number, timeMs?: number): void;
  /** Replaces the newest blocks by others, without their transactions. */
  reorganize(blocks: number): void;
  /** Removes every transaction from every block. */
  forget(): void;
  setMood(mood: Mood): void;
  setChainId(chainId: number): void;
  /** Number of blocks that each request for logs covered. */
  spans: number[];
  close(): Promise<void>;
};

const limitedBlocks = 10;
/** Number of blocks whose state a pruned node has. */
const keptBlocks = 50;
const walletFunds = 1_000_000_000n;

/** `settled`: payments that a facilitator double has settled become transactions here, each visible from its time on. */
export async function open(
  settled: () => readonly Settled[] = () => [],
  chainId = 84532,
): Promise<ChainDouble> {
  const node = new Node(chainId);
  let ingested = 0;
  let requests = 0;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    requests += 1;
    if (node.mood === 'down' || (node.mood === 'flaky' && requests % 2 === 1)) {
      response.statusCode = 503;
      return void response.end('busy');
    }
    for (const one of settled().slice(ingested)) {
      ingested += 1;
      node.add(
        [{ hash: one.transaction, logs: paymentLogs({ asset: usdc, ...one }), isReverted: false }],
        Date.now(),
      );
    }
    const { id, method, params } = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...node.answer(method, params) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mine(
      logs,
      {
        timeMs = Date.now(),
        hash = digest(`transaction ${node.blocks.length} ${timeMs}`),
        isReverted = false,
      } = {},
    ) {
      node.add([{ hash, logs, isReverted }], timeMs);
      return hash;
    },
    pass(blocks, timeMs = Date.now()) {
      for (let at = 0; at < blocks; at++) node.add([], timeMs);
    },
    reorganize(blocks) {
      const gone = node.blocks.splice(-blocks);
      for (const { timeSeconds } of gone) node.add([], timeSeconds * 1000, 'replaced');
    },
    forget() {
      for (const block of node.blocks) block.transactions = [];
    },
    setMood: (mood) => {
      node.mood = mood;
    },
    setChainId: (next) => {
      node.chainId = next;
    },
    spans: node.spans,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** USDC on Base Sepolia, which the shops of tests accept. */
export const usdc = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';

type Terms = { asset?: string; from: string; to: string; value: bigint; nonce: string };

export function usedLog({ asset = usdc, from, nonce }: Pick<Terms, 'asset' | 'from' | 'nonce'>): Log {
  return { address: asset, topics: [topics.used, word(from), nonce], data: '0x' };
}

export function canceledLog({ asset = usdc, from, nonce }: Pick<Terms, 'asset' | 'from' | 'nonce'>): Log {
  return { address: asset, topics: [topics.canceled, word(from), nonce], data: '0x' };
}

export function transferLog({ asset = usdc, from, to, value }: Omit<Terms, 'nonce'>): Log {
  return {
    address: asset,
    topics: [topics.transfer, word(from), word(to)],
    data: word(`0x${value.toString(16)}`),
  };
}

/** Returns the logs of one settled payment. */
export function paymentLogs(terms: Terms): Log[] {
  return [usedLog(terms), transferLog(terms)];
}

class Node {
  blocks: Block[] = [];
  mood: Mood = 'honest';
  readonly spans: number[] = [];
  chainId: number;

  constructor(chainId: number) {
    this.chainId = chainId;
    this.add([], Date.now() - 3_600_000);
  }

  add(transactions: Transaction[], timeMs: number, salt = ''): void {
    const number = this.blocks.length;
    const timeSeconds = Math.floor(timeMs / 1000);
    this.blocks.push({
      number,
      hash: digest(`block ${number} ${timeSeconds}${salt}`),
      timeSeconds,
      transactions,
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a node is asked, by method.
  answer(method: string, params: any[]): object {
    switch (method) {
      case 'eth_chainId':
        return { result: hex(this.chainId) };
      case 'eth_getBlockByNumber':
        return { result: this.#block(params[0]) };
      case 'eth_getTransactionReceipt':
        return { result: this.#receipt(params[0]) };
      case 'eth_getLogs':
        return this.#logs(params[0]);
      case 'eth_call':
        return this.#call(params[0], params[1]);
      default:
        return { error: { code: -32601, message: `no ${method} here` } };
    }
  }

  #block(which: string): object | null {
    // Time passes: each request for the newest block finds one more.
    if (which === 'latest') this.add([], Date.now());
    const block =
      which === 'latest' || which === 'finalized' ? this.blocks.at(-1) : this.blocks[Number(which)];
    return block ? { number: hex(block.number), hash: block.hash, timestamp: hex(block.timeSeconds) } : null;
  }

  #receipt(hash: string): object | null {
    for (const block of this.blocks)
      for (const one of block.transactions)
        if (one.hash === hash) {
          const status = one.isReverted ? '0x0' : '0x1';
          const logs = one.isReverted ? [] : one.logs;
          return {
            transactionHash: hash,
            blockHash: block.hash,
            blockNumber: hex(block.number),
            status,
            logs,
          };
        }
    return null;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a filter.
  #logs({ address, topics: wanted, fromBlock, toBlock }: any): object {
    const [first, last] = [Number(fromBlock), Number(toBlock)];
    this.spans.push(last - first + 1);
    if (this.mood === 'limited' && last - first + 1 > limitedBlocks)
      return { error: { code: -32602, message: `logs of ${limitedBlocks} blocks at most` } };
    const result = this.blocks
      .slice(first, last + 1)
      .flatMap(({ transactions }) =>
        transactions
          .filter(({ isReverted }) => !isReverted)
          .flatMap(({ hash, logs }) =>
            logs
              .filter(
                (log) =>
                  log.address.toLowerCase() === address.toLowerCase() &&
                  wanted.every((topic: string | string[], at: number) =>
                    [topic].flat().includes(log.topics[at] ?? ''),
                  ),
              )
              .map((log) => ({ ...log, transactionHash: hash, removed: false })),
          ),
      );
    return { result };
  }

  #call({ to, data }: { to?: string; data: string }, at: string): object {
    if (to === undefined) return { error: { code: 3, message: 'execution reverted' } };
    if (data.startsWith('0x70a08231')) return { result: word(`0x${walletFunds.toString(16)}`) };
    const until = at === 'latest' ? this.blocks.length - 1 : Number(at);
    if (this.mood === 'pruned' && until < this.blocks.length - keptBlocks)
      return { error: { code: -32000, message: 'missing trie node' } };
    const [wallet, nonce] = [`0x${data.slice(10, 74)}`, `0x${data.slice(74)}`];
    const isGone = this.blocks
      .slice(0, until + 1)
      .some(({ transactions }) =>
        transactions.some(
          ({ logs, isReverted }) =>
            !isReverted &&
            logs.some(
              ({ topics: said }) =>
                (said[0] === topics.used || said[0] === topics.canceled) &&
                said[1] === wallet &&
                said[2] === nonce,
            ),
        ),
      );
    return { result: word(isGone ? '0x1' : '0x0') };
  }
}

function digest(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
