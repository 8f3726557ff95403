import type { Writable } from 'node:stream';
import type { Upload, UploadFault, UploadSink } from '../../proxy/upload.ts';
import type { Exchange } from './exchange.ts';

/** An upload limits the silence of its caller itself, so an exchange that waits for the caller expires only after this. */
const callerWaitMs = 45_000;

/** Forwards the body of a request to the upstream at the pace of both, and extends the deadline of its exchange with each step. */
export class UploadPipe implements UploadSink {
  readonly #upload: Upload;
  readonly #target: Writable;
  readonly #exchange: Exchange;
  readonly #frames: boolean;
  readonly #isChunked: boolean;
  #state: 'sending' | 'ended' | 'stopped' = 'sending';
  #bytes = 0;

  /** @param frames true where `target` is a connection; false where it is a stream of this body alone, which ends with it */
  constructor(upload: Upload, target: Writable, exchange: Exchange, frames: boolean) {
    this.#upload = upload;
    this.#target = target;
    this.#exchange = exchange;
    this.#frames = frames;
    this.#isChunked = frames && upload.length === null;
    target.on('drain', this.#drained);
  }

  /** True when the last byte of the body has been written. */
  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  start(): void {
    this.#waitForCaller();
    this.#upload.start(this);
  }

  /** Sends no further byte. Call it when the exchange is over or its connection is closed. */
  stop(): void {
    this.#target.off('drain', this.#drained);
    if (this.#state !== 'sending') return;
    this.#state = 'stopped';
    this.#upload.stop();
  }

  data(bytes: Buffer): boolean {
    if (this.#state !== 'sending') return true;
    this.#bytes += bytes.length;
    if (this.#upload.length !== null && this.#bytes > this.#upload.length) {
      this.failed('too_large');
      return true;
    }
    const isReady = this.#write(bytes);
    if (isReady) this.#waitForCaller();
    else this.#exchange.moved();
    return isReady;
  }

  end(): void {
    if (this.#state !== 'sending') return;
    if (this.#upload.length !== null && this.#bytes < this.#upload.length) {
      this.failed('left');
      return;
    }
    this.#state = 'ended';
    this.#target.off('drain', this.#drained);
    if (!this.#frames) this.#target.end();
    else if (this.#isChunked) this.#target.write('0\r\n\r\n', 'latin1');
    this.#exchange.moved();
  }

  failed(reason: UploadFault): void {
    if (this.#state !== 'sending') return;
    // Once the response has begun, a body that stays incomplete is the caller's way to leave, and not a fault of the upstream.
    this.#exchange.breakOff({ kind: 'upload_failed', reason }, 'abandoned');
  }

  #write(bytes: Buffer): boolean {
    if (!this.#isChunked) return this.#target.write(bytes);
    // An empty chunk would end the body.
    if (bytes.length === 0) return true;
    this.#target.cork();
    this.#target.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    this.#target.write(bytes);
    const isReady = this.#target.write('\r\n', 'latin1');
    this.#target.uncork();
    return isReady;
  }

  readonly #drained = (): void => {
    if (this.#state !== 'sending') return;
    this.#waitForCaller();
    this.#upload.resume();
  };

  #waitForCaller(): void {
    this.#exchange.expiresAtMs = Math.max(this.#exchange.expiresAtMs, performance.now() + callerWaitMs);
  }
}
