import type { Consequences } from '../catalog/consequence.ts';

/** What the files say now, beside what runs. */
export type Preview =
  | { kind: 'faulty'; faults: readonly string[] }
  | {
      kind: 'sound';
      /** Digests of the catalogue in the files, and of the one by which this process sells. */
      digest: string;
      running: string;
      consequences: Consequences;
      /** Settings that are others now, by name; never what they say. */
      settings: readonly string[];
      /** Why all of it stays as it is; nothing where it may be taken. */
      refusals: readonly string[];
    };

type Sound = Extract<Preview, { kind: 'sound' }>;

export type Taken =
  | { kind: 'taken'; change: Sound }
  /** The files say what runs. */
  | { kind: 'unchanged'; digest: string }
  /** Nothing has changed: there is something wrong with the files. */
  | { kind: 'faulty'; faults: readonly string[] }
  | { kind: 'refused'; change: Sound }
  /** Nothing has changed: the files say something else than what was looked at. */
  | { kind: 'another'; digest: string };

/** Another catalogue and other settings in place of those that run, without a restart. */
export interface Reload {
  /** What taking the files would mean. Changes nothing. */
  preview(): Promise<Preview>;
  /**
   * Takes what the files say, whole or not at all, and has every other process do so.
   * @param digest of the catalogue that was looked at; null: whatever is there
   */
  take(who: string, digest: string | null): Promise<Taken>;
}
