import type { Connection } from './connection.ts';

/** A proof is valid for this long, so that requests for it put a bounded load on the database. */
const freshMs = 2_000;
/**
 * A failure counts for less time, below the interval of a load balancer's checks: otherwise one slow statement fails several checks in a row, and the
 * balancer takes the process out.
 */
const failedMs = 250;

/**
 * Returns a check that a charge can be booked in the database now: it returns the reason of a failure, or null. Nothing is left of the charge
 * (migrations/functions/readiness.sql). Concurrent checks share one statement, and a success is reused for two seconds. Never rejects; `report` gets
 * the reason, too.
 */
export function openChargeProof(
  sql: Connection,
  report: (reason: string) => void,
  monotonicMs: () => number = () => performance.now(),
): () => Promise<string | null> {
  let proof = Promise.resolve<string | null>(null);
  let untilMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (monotonicMs() < untilMs) return proof;
    // While the statement runs, all checks wait for it.
    untilMs = Number.POSITIVE_INFINITY;
    proof = sql`SELECT ledger.prove_charge()`
      .then(
        () => null,
        (fault: unknown) => {
          const reason = fault instanceof Error ? fault.message : String(fault);
          report(reason);
          return reason;
        },
      )
      .then((reason) => {
        untilMs = monotonicMs() + (reason === null ? freshMs : failedMs);
        return reason;
      });
    return proof;
  };
}
