import type { ServedResponse } from './call-result.ts';

/**
 * Ends a charged call whose response was not sent completely: a caller who has left counts as such, anything else is our own failure and
 * makes the call free.
 */
export function endUnsent(paid: ServedResponse, hasLeft: boolean): void {
  hasLeft ? paid.callerLeft() : paid.brokenOff();
}

/** Ends a charged call before anything was sent. A response that is stored under a key stays charged, because a retry returns it. */
export function endUnstarted(paid: ServedResponse, hasLeft: boolean): void {
  if (paid.kept !== null) paid.delivered();
  else endUnsent(paid, hasLeft);
}
