import type { Impacts } from '../catalog/catalog-impact.ts';

/** The catalogue and settings in the files, compared with the running ones. */
export type ReloadPreview =
  | { kind: 'faulty'; faults: readonly string[] }
  | {
      kind: 'sound';
      /** Digests of the catalogue in the files, and of the catalogue that this process uses. */
      digest: string;
      running: string;
      consequences: Impacts;
      /** Names of the changed settings; never their values. */
      settings: readonly string[];
      /** Why the files are not applied; empty when they can be. */
      refusals: readonly string[];
      /** The catalogue's text with the plans that may not be removed, retired; null when this is no way to publish it. */
      retiring: string | null;
    };
