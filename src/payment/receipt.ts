import * as CanonicalJson from './canonical-json.ts';

/** What a paid answer says about its payment (`Payment-Receipt`, draft-httpauth-payment-01). */
export type Receipt = {
  method: string;
  /** The payment at its processor (`pi_...`) or the proof's own id. */
  reference: string;
  challengeId: string;
  settledAtMs: number;
};

/** The value of `Payment-Receipt`. It belongs on a 2xx only, beside `Cache-Control: private`. */
export function serialize({ method, reference, challengeId, settledAtMs }: Receipt): string {
  const timestamp = new Date(settledAtMs).toISOString();
  return CanonicalJson.encode({ status: 'success', method, reference, challengeId, timestamp });
}
