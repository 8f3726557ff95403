import { sha256Hex } from '@sluice/kernel/digest';
import { isLoopback } from '../identity/address-block.ts';

/** Limits against card testing (docs/payments.md#card-testing). */
export type CardLimits = {
  /** Declines of one card or account after which further attempts wait. An address has `addressFactor` times as many. */
  declinesMax: number;
  /** The first wait. It doubles with each further decline, up to 16 times. */
  waitSeconds: number;
  /** After twice `declinesMax` no attempt is made for this time. Declines are counted for the same time. */
  stopSeconds: number;
  /** Hosted card pages that one account may open in an hour. An address has `addressFactor` times as many. */
  pagesPerHour: number;
};

/** An address may be an office with many honest buyers. */
export const addressFactor = 4;

/** A card, account or address that attempts count against: slowed down after `max` declines, stopped after `stopsAt`; null: never. */
export type Subject = { name: string; max: number; stopsAt: number | null };

/** The card is known by a digest of the processor's fingerprint. */
export type Payer = { address: string | null; account: string | null; card?: string | null };

/** Returns what an attempt counts against. A loopback address is the operator's own, or a proxy's that hides its callers. */
export function subjectsOf({ declinesMax: max }: CardLimits, { address, account, card }: Payer): Subject[] {
  const most = max * addressFactor;
  const subjects: Subject[] = [];
  if (card) subjects.push({ name: `card:${card}`, max, stopsAt: 2 * max });
  if (account !== null) subjects.push({ name: `account:${account}`, max, stopsAt: 2 * max });
  // All callers behind a proxy that names none of them share one block: stopping it would close the shop.
  if (address !== null && !isLoopback(address))
    subjects.push({
      name: `address:${address}`,
      max: most,
      stopsAt: address === 'unknown' ? null : 2 * most,
    });
  return subjects;
}

/** Returns the digest under which a card is counted, of the processor's fingerprint. */
export function cardDigest(fingerprint: string): string {
  return sha256Hex(`card ${fingerprint}`).slice(0, 32);
}

/** An attempt that has to wait. `subject`: the kind of subject that has too many declines. */
export type Delay = { waitMs: number; isStopped: boolean; subject: 'card' | 'account' | 'address' };

/** The processor's assessment of a charge. It has no more than Stripe's own words, which a later version may extend. */
export type ChargeOutcome = {
  /** The processor's charge, `ch_...` */
  id: string;
  payment: string;
  succeeded: boolean;
  riskLevel: string | null;
  riskScore: number | null;
  networkStatus: string | null;
  /** `authorized`, `issuer_declined`, `blocked`, ... */
  outcome: string | null;
  /** The category of the reason for a decline, such as `insufficient_funds`. */
  reason: string | null;
  createdMs: number;
};

/** Returns the members of a charge for the seller's API and commands. */
export function asCharge({
  id,
  succeeded,
  riskLevel,
  riskScore,
  networkStatus,
  outcome,
  reason,
  createdMs,
}: ChargeOutcome) {
  return {
    id,
    succeeded,
    risk_level: riskLevel,
    risk_score: riskScore,
    network_status: networkStatus,
    outcome,
    reason,
    at: new Date(createdMs).toISOString(),
  };
}

/** A charge with what the limits need of it. */
export type ReadCharge = ChargeOutcome & {
  /** The order in its metadata, or in that of the subscription that it pays. */
  order: string | null;
  challenge: string | null;
  /** The digest of the card's fingerprint; null for other methods. */
  card: string | null;
};

/** Counts attempts to pay over all processes. Decisions follow each other, so that concurrent attempts are counted exactly. */
export interface CardAttempts {
  /**
   * Starts an attempt, or returns the time that it has to wait for. Safe to repeat: the same attempt counts once. An account that paid before
   * yesterday is not counted under its address.
   */
  start(attempt: string, payer: Payer, limits: CardLimits): Promise<Delay | null>;
  /** Ends an attempt that was not declined. */
  end(attempt: string): Promise<void>;
  /** Counts a decline. The same attempt counts once. Returns the delay that it causes. */
  declined(attempt: string, payer: Payer, limits: CardLimits): Promise<Delay | null>;
  /** Starts a hosted page of an order (or of a saved card, by its reference), or returns the time that it has to wait for. */
  startPage(
    page: { order: string | null; number: number },
    payer: Payer,
    limits: CardLimits,
  ): Promise<Delay | null>;
  /** Returns the address block that the hosted page of an order was opened from. */
  pageAddress(order: string): Promise<string | null>;
  /** Stores the outcome of a charge. Safe to repeat. */
  record(charge: ReadCharge, order: string | null): Promise<void>;
  /** Lists the charges of an order, the newest first. */
  ofOrder(order: string): Promise<ChargeOutcome[]>;
  /** Number of cards, accounts and addresses that are slowed down or stopped now. */
  slowed(limits: CardLimits): Promise<number>;
}
