/** A connection that the servers of an operator may have to put up with, and until when we hold it. */
export type Line = { operator: string; number: number; untilMs: number };

/** All lines to all mail servers, shared by all processes. */
export type Lines = {
  /** Takes one of `linesMax` lines that is neither held nor resting; null where there is none. */
  take(operator: string, linesMax: number, nowMs: number, untilMs: number): Promise<Line | null>;
  /** Gives a line back, to rest until `freeAtMs`, and keeps count of how it went; null where nobody was spoken to. */
  release(line: Line, went: { ms: number; isTroubled: boolean } | null, freeAtMs: number): Promise<void>;
};
