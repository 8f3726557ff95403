/** The history of loaded catalogues, as text; an adapter implements it. */
export interface Catalogs {
  /** Records that a process uses this catalogue from now on. */
  took(digest: string, text: string): Promise<void>;
  /** Sets what the trials of all accounts together may use in an hour; null: no limit. It applies to all processes. Safe to repeat. */
  limitTrial(plan: string, perHour: number | null): Promise<void>;
  /** Returns the catalogue that any process loaded last, or null. */
  last(): Promise<{ digest: string; text: string; takenMs: number } | null>;
}
