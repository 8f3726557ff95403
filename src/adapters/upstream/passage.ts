import type { Destination } from '../../relay/answer.ts';

/** The body of a streamed answer on its way to its reader: no faster than that reads, in the one buffer that it is read into. */
export class Passage {
  /** Whether bytes are still where they were written from, so that nothing may be read there. */
  isBlocked = false;

  readonly #destination: Destination;
  readonly #whenFree: () => void;
  /** Writes whose bytes may be needed still. */
  #unwritten = 0;

  /**
   * @param whenFree called when it is blocked no more
   * @param whenLeft called when the reader has left, or the destination is closed for another reason
   */
  constructor(destination: Destination, whenFree: () => void, whenLeft: () => void) {
    this.#destination = destination;
    this.#whenFree = whenFree;
    destination.once('close', whenLeft);
    destination.on('error', whenLeft);
  }

  write(bytes: Buffer): void {
    this.#unwritten++;
    this.#destination.write(bytes, this.#written);
    this.isBlocked = this.#unwritten > 0 && this.#destination.writableLength > 0;
  }

  end(): void {
    this.#destination.end();
  }

  destroy(): void {
    this.#destination.destroy();
  }

  readonly #written = (): void => {
    this.#unwritten--;
    if (!this.isBlocked || this.#unwritten > 0) return;
    this.isBlocked = false;
    this.#whenFree();
  };
}
