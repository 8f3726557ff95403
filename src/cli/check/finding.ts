/**
 * The result of one check. `not proved`: the check cannot decide it from here, or not yet. `next`: what to do about it.
 */
export type Finding = {
  part: string;
  state: 'ok' | 'problem' | 'not proved';
  says: string;
  next: string | null;
};

/** The timeout of each request. */
export const answerMsMax = 5_000;

/** Returns functions that make the findings of one part. */
export function findingsOf(part: string) {
  return {
    ok: (says: string): Finding => ({ part, state: 'ok', says, next: null }),
    problem: (says: string, next: string | null = null): Finding => ({ part, state: 'problem', says, next }),
    unproved: (says: string, next: string | null = null): Finding => ({
      part,
      state: 'not proved',
      says,
      next,
    }),
  };
}

/** Describes an error. An aggregate of refused connections has a code and no message. */
export function reason(fault: unknown): string {
  const { message, code, cause } = fault as { message?: string; code?: string; cause?: unknown };
  if (cause instanceof Error && /^fetch failed$/.test(message ?? '')) return reason(cause);
  return message || code || String(fault);
}
