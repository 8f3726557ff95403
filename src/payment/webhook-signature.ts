/** The processor's library accepts signatures for five minutes; the margin allows for clock skew. */
const ageMsMax = 10 * 60_000;

/** Returns true when a signature header has the right form and is recent, so that the body is worth reading. Proves nothing else. */
export function mayBeSigned(signature: string, nowMs: number): boolean {
  const seconds = /(?:^|,)\s*t=(\d{1,12})(?:,|$)/.exec(signature)?.[1];
  const isShaped = seconds !== undefined && /(?:^|,)\s*v1=[0-9a-f]{64}(?:,|$)/.test(signature);
  return isShaped && Math.abs(nowMs - Number(seconds) * 1_000) <= ageMsMax;
}
