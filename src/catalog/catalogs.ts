/** The history of loaded catalogues, as text; an adapter implements it. */
export interface Catalogs {
  /** Records that a process uses this catalogue from now on. */
  took(digest: string, text: string): Promise<void>;
  /** Sets what the trials of all accounts together may use in an hour; null: no limit. It applies to all processes. Safe to repeat. */
  limitTrial(plan: string, perHour: number | null): Promise<void>;
  /** Returns the catalogue that any process loaded last, or null. */
  last(): Promise<{ digest: string; text: string; takenMs: number } | null>;
}

/** A catalogue that a person published in the console. */
export type Publication = {
  id: number;
  atMs: number;
  who: string;
  /** The digest of the catalogue with its files. */
  digest: string;
  text: string;
  /** The text that it replaced. */
  textBefore: string;
  note: string;
};

/** The history of publications. Rows are never changed. */
export interface Publications {
  add(publication: Omit<Publication, 'id' | 'atMs'>): Promise<void>;
  list(max: number): Promise<Omit<Publication, 'text' | 'textBefore'>[]>;
  find(id: number): Promise<Publication | null>;
  /** Returns the newest publication, with this digest if one is given. */
  last(digest: string | null): Promise<Publication | null>;
  /** Returns the text with this SHA-256 before or after one of the last publications; null when there is none. */
  textOf(sha256: string): Promise<string | null>;
  /** Runs `work` unless another process runs such work; then it returns null. */
  exclusively<T>(work: () => Promise<T>): Promise<T | null>;
}
