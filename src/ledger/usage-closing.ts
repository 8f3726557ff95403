/** A closed day of usage as it is stored (`ledger.closed_day`). Digests are SHA-256 in hexadecimal. */
export type ClosedDay = {
  /** A day of UTC, `2030-01-31`. */
  readonly day: string;
  readonly rows: number;
  readonly calls: number;
  /** Of the archived lines (usage-archive.ts). */
  readonly usageDigest: string;
  /** Of the sums that the day left in the ledger. */
  readonly closingDigest: string;
  readonly archive: string;
  readonly archiveDigest: string;
  readonly archiveBytes: number;
  /** The signed record, a compact JWS. */
  readonly record: string;
  /** The public key of its signature, a JWK: the shop may have dropped the key since. */
  readonly publicJwk: Readonly<Record<string, unknown>>;
};

/** The measurements of a day that is still open. */
export type DayMeasure = Pick<ClosedDay, 'rows' | 'usageDigest' | 'closingDigest'>;

/** Closing days of usage, in the database. */
export interface UsageClosings {
  /** Returns the first open day; null if there is no usage. */
  next(): Promise<string | null>;
  /** Returns the reason why a day cannot be closed yet; null if it can. */
  openReason(day: string): Promise<string | null>;
  /** Returns the lines of a day in the order of an archive. */
  lines(day: string): AsyncIterable<string>;
  measure(day: string): Promise<DayMeasure>;
  /**
   * Writes the sums and the record of a day and removes its rows, in one transaction. Returns false if the day was closed before. Throws, and changes
   * nothing, unless the table holds exactly what the record states.
   * @param previous the digest of the record before it; null for the first day
   */
  close(day: ClosedDay, previous: string | null): Promise<boolean>;
  /** Returns all closed days, the earliest first. */
  days(): Promise<readonly ClosedDay[]>;
}
