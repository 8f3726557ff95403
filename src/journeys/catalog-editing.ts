import type { Publication } from '../catalog/catalogs.ts';
import type { SourceChange } from '../catalog/source-diff.ts';
import type { ReloadPreview } from './reload-preview.ts';

/** The file of the catalogue. */
export type CatalogFileState = {
  /** The name without its folder. */
  name: string;
  text: string;
  /** SHA-256 of the text: an edit names the text that it is based on. */
  digest: string;
  /** False when this process may not replace the file. */
  isWritable: boolean;
};

/** A fault of a proposed text; `path` as in `plans[2].price_usd`, empty when the whole file is meant. */
export type ProposalFault = { path: string; line: number | null; reason: string };

export type Proposal =
  | { kind: 'faulty'; faults: readonly ProposalFault[] }
  | Extract<ReloadPreview, { kind: 'sound' }>;

export type PublishResult =
  | { kind: 'published' }
  /** The file has changed since the edit began, or another publication is under way. Nothing was changed. */
  | { kind: 'stale' }
  /** The file cannot be replaced. Nothing was changed. */
  | { kind: 'read_only' }
  | { kind: 'faulty'; faults: readonly ProposalFault[] }
  /** Buyers hold what the text takes away. Nothing was changed. */
  | { kind: 'refused'; refusals: readonly string[] };

/** A publication in a list; `changes` are null for one of those that are not the newest. */
export type ListedPublication = Omit<Publication, 'text' | 'textBefore'> & {
  changes: readonly SourceChange[] | null;
};

/** Changes the catalogue's file and puts it into force in every process. */
export interface CatalogEditor {
  file(): Promise<CatalogFileState>;
  /** Reports the faults or the effects of a text. Changes nothing. */
  propose(text: string): Promise<Proposal>;
  /**
   * Replaces the file, atomically, and applies it in every process. A text that cannot be applied leaves the file as it was.
   * @param base the digest of the text that the edit is based on
   */
  publish(edit: { text: string; base: string; note: string }, who: string): Promise<PublishResult>;
  history(max: number): Promise<ListedPublication[]>;
  /** Returns the text of the file with this digest, when it was published in the console or replaced there not long ago. */
  textOf(digest: string): Promise<string | null>;
  /** Returns the newest publication. */
  last(): Promise<Publication | null>;
  publication(id: number): Promise<Publication | null>;
}
