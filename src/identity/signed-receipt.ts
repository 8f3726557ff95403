import { type CompactVerifyGetKey, compactVerify, errors, SignJWT } from 'jose';
import { seconds } from '../kernel/clock.ts';
import * as KeyRing from './key-ring.ts';
import { algorithm } from './signing-key.ts';

/** Keeps a receipt from being taken for a token, and a token for a receipt (RFC 8725, section 3.11). */
const typ = 'receipt+jwt';
/** Ours have about 900 characters. */
export const charsMax = 4_096;

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
  const key = KeyRing.signer(ring, nowMs);
  return new SignJWT(receipt)
    .setProtectedHeader({ alg: algorithm, typ, kid: key.kid })
    .setIssuer(ring.issuer)
    .setSubject(account)
    .setIssuedAt(seconds(nowMs))
    .sign(key.privateKey);
}

/**
 * The receipt in `jws`, or null where it was not signed by a key of the shop, or is no receipt.
 * @param keys the shop's own ring, or any key set of `jose`
 */
export async function verify(
  keys: KeyRing.KeyRing | CompactVerifyGetKey,
  jws: string,
): Promise<Signed | null> {
  if (jws.length > charsMax) return null;
  try {
    const key: CompactVerifyGetKey =
      typeof keys === 'function'
        ? keys
        : ({ kid }) => {
            const known = keys.byKid.get(kid ?? '');
            if (known === undefined) throw new errors.JWKSNoMatchingKey();
            return known.publicKey;
          };
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: [algorithm] });
    if (protectedHeader.typ !== typ) return null;
    const { iss: issuer, sub: account, iat, ...receipt } = JSON.parse(new TextDecoder().decode(payload));
    return { ...receipt, account, issuer, issuedMs: iat * 1000 };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
