/**
 * One thing that `check` looked at. `not proved`: it may be well, and there is no way to tell from here, or not yet. `next`: what to do
 * about it.
 */
export type Finding = {
  part: string;
  state: 'ok' | 'problem' | 'not proved';
  says: string;
  next: string | null;
};

/** How long any one answer is waited for. */
export const answerMsMax = 5_000;

/** The words for one part. */
export function of(part: string) {
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

/** What a fault says of itself: an aggregate of refused connections has a code and no message. */
export function reason(fault: unknown): string {
  const { message, code, cause } = fault as { message?: string; code?: string; cause?: unknown };
  if (cause instanceof Error && /^fetch failed$/.test(message ?? '')) return reason(cause);
  return message || code || String(fault);
}
