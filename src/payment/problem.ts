/** Problem details (RFC 9457) of the `Payment` scheme; `http` adds `status` and a fresh challenge. */
export type Problem = { type: string; title: string; detail: string };

const titles = {
  'payment-required': 'Payment required',
  'malformed-credential': 'Malformed credential',
  'invalid-challenge': 'Unknown or used challenge',
  'payment-expired': 'Challenge expired',
  'verification-failed': 'Payment failed',
  'payment-insufficient': 'Payment too small',
  'method-unsupported': 'Payment method not accepted',
  'bad-request': 'Bad request',
};

/** `method-unsupported` and `bad-request` (several credentials) have status 400, all others 402. */
export type ProblemKind = keyof typeof titles;

/** `detail` is for the caller: one sentence without internal details and without any part of a credential. */
export function problemOf(kind: ProblemKind, detail: string): Problem {
  return { type: `https://paymentauth.org/problems/${kind}`, title: titles[kind], detail };
}
