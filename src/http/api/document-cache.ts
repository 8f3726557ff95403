import type { StaticDocument } from './static.ts';

/** Documents that were rendered, up to a total size in bytes; the least recently used one is dropped first. */
export class DocumentCache {
  readonly #kept = new Map<string, StaticDocument>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string): StaticDocument | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  add(key: string, document: StaticDocument): void {
    this.#kept.set(key, document);
    this.#bytes += document.bytes.length;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}
