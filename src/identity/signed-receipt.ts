import type { CompactVerifyGetKey } from 'jose';
import type * as KeyRing from './key-ring.ts';
import * as SignedDocument from './signed-document.ts';

/** Ours have about 900 characters. */
const kind: SignedDocument.Kind = { typ: 'receipt+jwt', charsMax: 4_096 };

/** What was paid for a plan. Amounts are decimal strings in USD. */
export type PurchaseReceipt = {
  kind: 'purchase';
  purchase: string;
  plan: string;
  amount_usd: string;
  /** What went back since, as far as it was known when the receipt was signed. */
  reversed_usd: string;
  rail: string;
  /** What the payment is called at the processor, or the transaction. */
  payment: string;
  paid_at: string;
};

/** What one call cost. */
export type CallReceipt = {
  kind: 'call';
  call: string;
  operation: string;
  service: string;
  units: number;
  cost_usd: string;
  /** What the answering process knew of the balance after the call. */
  balance_usd: string;
};

export type Receipt = (PurchaseReceipt | CallReceipt) & { account: string };
export type Signed = Receipt & { issuer: string; issuedMs: number };

/** A compact JWS (RFC 7515) over a receipt. Whoever has the shop's JWKS can verify it, for as long as the key is published. */
export function sign(
  ring: KeyRing.KeyRing,
  { account, ...receipt }: Receipt,
  nowMs: number,
): Promise<string> {
  return SignedDocument.sign(ring, kind, { ...receipt, sub: account }, nowMs);
}

/**
 * The receipt in `jws`, or null where it was not signed by a key of the shop, or is no receipt.
 * @param keys the shop's own ring, or any key set of `jose`
 */
export async function verify(
  keys: KeyRing.KeyRing | CompactVerifyGetKey,
  jws: string,
): Promise<Signed | null> {
  const signed = await SignedDocument.verify(keys, kind, jws);
  if (signed === null) return null;
  const { issuer, issuedMs, claims } = signed;
  const { sub: account, ...receipt } = claims;
  return { ...(receipt as PurchaseReceipt | CallReceipt), account: String(account), issuer, issuedMs };
}
