import type { CompactVerifyGetKey } from 'jose';
import type * as KeyRing from './key-ring.ts';
import * as SignedDocument from './signed-document.ts';

/** The shop's receipts have about 900 characters. */
const kind: SignedDocument.DocumentKind = { typ: 'receipt+jwt', charsMax: 4_096 };

/** The receipt of a purchase. Amounts are decimal strings in USD. */
export type PurchaseReceipt = {
  kind: 'purchase';
  purchase: string;
  plan: string;
  /** Without tax. */
  amount_usd: string;
  /** The tax on top of the amount. */
  tax_usd: string;
  /** Amount and tax. */
  total_usd: string;
  /** Part of the amount that was refunded or disputed, without tax, as known when the receipt was signed. */
  reversed_usd: string;
  reversed_tax_usd: string;
  rail: string;
  /** The id of the payment at the processor, or of the transaction on the chain. */
  payment: string;
  paid_at: string;
};

/** The receipt of one call. */
export type CallReceipt = {
  kind: 'call';
  call: string;
  operation: string;
  service: string;
  /** Absent for a service with meters, which has `usage`: the quantity of each meter. */
  units?: number;
  usage?: Readonly<Record<string, number>>;
  cost_usd: string;
  /** The balance after the call, as known to the process that served it. */
  balance_usd: string;
};

export type Receipt = (PurchaseReceipt | CallReceipt) & { account: string };
export type VerifiedReceipt = Receipt & { issuer: string; issuedMs: number };

/** Returns a compact JWS (RFC 7515) over a receipt. It can be verified with the shop's JWKS while the key is published. */
export function sign(
  ring: KeyRing.KeyRing,
  { account, ...receipt }: Receipt,
  nowMs: number,
): Promise<string> {
  return SignedDocument.sign(ring, kind, { ...receipt, sub: account }, nowMs);
}

/**
 * Returns the receipt in `jws`, or null when it was not signed by a key of the shop or is not a receipt.
 * @param keys the shop's own ring, or any key set of `jose`
 */
export async function verify(
  keys: KeyRing.KeyRing | CompactVerifyGetKey,
  jws: string,
): Promise<VerifiedReceipt | null> {
  const signed = await SignedDocument.verify(keys, kind, jws);
  if (signed === null) return null;
  const { issuer, issuedMs, claims } = signed;
  const { sub: account, ...receipt } = claims;
  return { ...(receipt as PurchaseReceipt | CallReceipt), account: String(account), issuer, issuedMs };
}
