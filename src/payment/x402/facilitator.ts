import type { Payload } from './payload.ts';
import type { Requirement } from './requirement.ts';
import type { Resource } from './resource.ts';

/** A verified payment, and the requirement that it fulfils. */
export type Settleable = {
  payload: Pick<Payload, 'version' | 'authorization' | 'signature'>;
  requirement: Requirement;
};

/** The result of a settlement. Its texts are ours; the facilitator's texts are never shown to a buyer. */
export type Settlement =
  /** Settled on the chain, in this transaction: `0x` and 64 hex digits in lower case. */
  | { kind: 'succeeded'; transaction: string }
  /**
   * This attempt moved nothing. It does not decide an earlier attempt that ended `unknown`: the wallet may be empty, or
   * the authorization used, because that attempt succeeded.
   */
  | { kind: 'failed'; reason: SettlementFailure }
  /**
   * This attempt moved nothing, and the buyer is not at fault. `refused`: the facilitator does not serve this shop (its key, its
   * network), so an operator has to change a setting. Otherwise it was temporarily unavailable. `detail` is for the log.
   */
  | { kind: 'unavailable'; refused: boolean; detail: string }
  /** Possibly settled on the chain. `detail` is for the log. */
  | { kind: 'unknown'; detail: string };

export type SettlementFailure = keyof typeof failures;

/** Why nothing was settled, in a text for the buyer. */
export const failures = {
  insufficient_funds: 'The balance of the wallet is too low for this payment.',
  expired: 'The payment expired before it could be settled.',
  refused: 'The payment could not be settled.',
};

/** Submits verified payments to the chain. Repeating a payment cannot move money twice, because the token accepts a nonce once. */
export interface Facilitator {
  /** Bounded in time; never rejects. */
  settle(payment: Settleable, resource: Resource): Promise<Settlement>;
  close(): Promise<void>;
}
