/** A signed transfer to look up on the chain. Addresses and nonce are in lower case. */
export type Transfer = {
  asset: string;
  from: string;
  to: string;
  /** Atomic units. */
  value: bigint;
  nonce: string;
};

/** The block times between which the transfer can have paid its order, in milliseconds. */
export type Window = { sinceMs: number; untilMs: number };

/** The state of a signed transfer, read from blocks that count as final. `transaction` is `0x` and 64 hex digits in lower case. */
export type Evidence =
  /** The token moved exactly this amount to exactly this address with this authorization, within the window. */
  | { kind: 'paid'; transaction: string }
  /** The payer cancelled the authorization; it can never pay. */
  | { kind: 'canceled'; transaction: string }
  /** The authorization was used before the window, or without moving this amount to this address; it can never pay. */
  | { kind: 'spent' }
  /** The authorization was unused when the newest final block was made. */
  | { kind: 'unused'; asOfMs: number }
  /** The token has marked the nonce as used, but no transaction in the window explains it, up to that block. */
  | { kind: 'unseen'; asOfMs: number };

/** An EVM chain. Every method is bounded in time and rejects where the chain cannot be read. */
export interface Chain {
  /** @param transaction the transaction that is claimed to contain the transfer, or null; it is examined first */
  evidence(transfer: Transfer, window: Window, transaction: string | null): Promise<Evidence>;
  /**
   * Returns why a transfer cannot be settled as of the newest block, or null. `spent`: the token rejects the authorization, because
   * it was used or canceled. `insufficient_funds`: the wallet holds less than the transfer moves.
   */
  obstacle(transfer: Transfer): Promise<'spent' | 'insufficient_funds' | null>;
  /** Reports whether a contract wallet accepts this signature of `digest` (EIP-1271; ERC-6492 where it is not deployed yet). */
  accepts(wallet: string, digest: Uint8Array, signature: string): Promise<boolean>;
  close(): Promise<void>;
}

/** One event of a transaction, in the format and order of `eth_getTransactionReceipt`. */
export type Log = { address: string; topics: readonly string[]; data: string };

/** Event topics: keccak-256 of their signatures. */
export const topics = {
  /** `AuthorizationUsed(address,bytes32)` */
  used: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  /** `AuthorizationCanceled(address,bytes32)` */
  canceled: '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
  /** `Transfer(address,address,uint256)` */
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
};

/**
 * Determines the effect of one successful transaction on an authorization; `none` when it has no effect. EIP-3009 logs
 * `AuthorizationUsed` and then `Transfer`, so each authorization is matched with the first transfer that follows it and
 * precedes the next authorization. A transfer therefore counts for one authorization only, however many payments the
 * transaction settles, and a plain transfer beside an empty authorization counts for none.
 */
export function judge(
  logs: readonly Log[],
  { asset, from, to, value, nonce }: Transfer,
): 'paid' | 'canceled' | 'spent' | 'none' {
  const own = logs.filter((log) => log.address.toLowerCase() === asset.toLowerCase());
  const isOurs = (log: Log) => same(log.topics[1], word(from)) && same(log.topics[2], nonce);
  const at = own.findIndex((log) => same(log.topics[0], topics.used) && isOurs(log));
  if (at < 0)
    return own.some((log) => same(log.topics[0], topics.canceled) && isOurs(log)) ? 'canceled' : 'none';
  for (const log of own.slice(at + 1)) {
    if (same(log.topics[0], topics.used)) break;
    if (!same(log.topics[0], topics.transfer)) continue;
    const isPayment =
      log.topics.length === 3 &&
      same(log.topics[1], word(from)) &&
      same(log.topics[2], word(to)) &&
      same(log.data, word(`0x${value.toString(16)}`));
    return isPayment ? 'paid' : 'spent';
  }
  return 'spent';
}

/** Formats a value as one ABI word. */
export function word(hex: string): string {
  return `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`;
}

function same(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}
