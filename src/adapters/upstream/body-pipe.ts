import type { Destination } from '../../proxy/upstream-response.ts';

/** Sends the body of a streamed response to its reader at the reader's pace, from the single buffer that it is read into. */
export class BodyPipe {
  /** True while written bytes are still in the read buffer, which must not be overwritten then. */
  isBlocked = false;

  readonly #destination: Destination;
  readonly #whenFree: () => void;
  /** Number of writes whose bytes may still be needed. */
  #unwritten = 0;

  /**
   * @param whenFree called when it is no longer blocked
   * @param whenLeft called when the reader has left, or the destination was closed for another reason
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
