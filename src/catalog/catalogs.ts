/** The history of loaded catalogues, as text; an adapter implements it. */
export interface Catalogs {
  /** Records that a process uses this catalogue from now on. */
  took(digest: string, text: string): Promise<void>;
  /** Returns the catalogue that any process loaded last, or null. */
  last(): Promise<{ digest: string; text: string; takenMs: number } | null>;
}
