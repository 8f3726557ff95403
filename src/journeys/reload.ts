import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEditor } from './catalog-editing.ts';
import type { ReloadPreview } from './reload-preview.ts';

type Sound = Extract<ReloadPreview, { kind: 'sound' }>;

export type ReloadResult =
  | { kind: 'taken'; change: Sound }
  /** The files contain the running configuration. */
  | { kind: 'unchanged'; digest: string }
  /** Nothing was changed, because the files contain errors. */
  | { kind: 'faulty'; faults: readonly string[] }
  | { kind: 'refused'; change: Sound }
  /** Nothing was changed: the files differ from those that were previewed. */
  | { kind: 'another'; digest: string };

/** Replaces the running catalogue and settings without a restart. */
export interface Reload {
  /** The catalogue that this process uses now: also for a request that began before a reload. */
  readonly catalog: Catalog;
  /** Reports the effect of applying the files, or of `proposed` in place of the catalogue's text. Changes nothing. */
  preview(proposed?: string | null): Promise<ReloadPreview>;
  /**
   * Applies the files, atomically, in every process.
   * @param digest of the previewed catalogue; null to apply the files as they are
   */
  take(who: string, digest: string | null): Promise<ReloadResult>;
  /** Changes the catalogue's file. */
  readonly editor: CatalogEditor;
}
