/** The right to open one connection to the mail servers of an operator, leased until `untilMs`. */
export type ConnectionSlot = { operator: string; number: number; untilMs: number };

/** Limits concurrent connections to each mail operator, across all processes. */
export type ConnectionSlots = {
  /** Leases a free slot of the operator; null if all of them are leased or resting. */
  take(
    operator: string,
    connectionsPerOperatorMax: number,
    nowMs: number,
    untilMs: number,
  ): Promise<ConnectionSlot | null>;
  /** Releases a slot, which rests until `freeAtMs`, and records the result; null if no server was contacted. */
  release(
    slot: ConnectionSlot,
    went: { ms: number; isTroubled: boolean } | null,
    freeAtMs: number,
  ): Promise<void>;
};
