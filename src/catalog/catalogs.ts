/** The catalogues that were sold by, as they were written; an adapter implements it. */
export interface Catalogs {
  /** Writes down that a process sells by this one from now on. */
  took(digest: string, text: string): Promise<void>;
  /** The one that was taken last, by whichever process; null where none was. */
  last(): Promise<{ digest: string; text: string; takenMs: number } | null>;
}
