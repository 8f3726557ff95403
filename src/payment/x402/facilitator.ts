import type { Checked } from './exact-evm.ts';
import type { Resource } from './resource.ts';

/** What became of a settlement. Its texts are ours: none of the facilitator's reaches a buyer. */
export type Settlement =
  /** On the chain, in this transaction: `0x` and 64 hex digits in lower case. */
  | { kind: 'succeeded'; transaction: string }
  /**
   * This attempt moved nothing. It says nothing of an earlier attempt that ended `unknown`: the wallet may be empty, or
   * the authorization spent, because that one went through.
   */
  | { kind: 'failed'; reason: Failure }
  /** Perhaps on the chain. `detail` is for the log. */
  | { kind: 'unknown'; detail: string };

export type Failure = keyof typeof failures;

/** Why nothing was settled, in words for the buyer. */
export const failures = {
  insufficient_funds: 'The wallet holds too little of this coin.',
  expired: 'The payment expired before it could be settled.',
  refused: 'The payment could not be settled.',
  unreachable: 'Stablecoin payments cannot be settled at the moment; nothing was taken.',
};

/** Who puts a verified payment on the chain. Asked again with the same payment it cannot move money twice: the coin takes a nonce once. */
export interface Facilitator {
  /** Bounded in time; never rejects. */
  settle(payment: Checked, resource: Resource): Promise<Settlement>;
  close(): Promise<void>;
}
