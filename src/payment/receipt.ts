import * as CanonicalJson from './canonical-json.ts';

/** The receipt in the response to a paid request (`Payment-Receipt`, draft-httpauth-payment-01). */
export type Receipt = {
  method: string;
  /** The payment's id at the processor (`pi_...`) or the id of the proof. */
  reference: string;
  challengeId: string;
  settledAtMs: number;
};

/** Returns the value of `Payment-Receipt`. Send it only with a 2xx status and `Cache-Control: private`. */
export function serialize({ method, reference, challengeId, settledAtMs }: Receipt): string {
  const timestamp = new Date(settledAtMs).toISOString();
  return CanonicalJson.encode({ status: 'success', method, reference, challengeId, timestamp });
}
