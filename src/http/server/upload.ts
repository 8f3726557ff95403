import type { IncomingMessage } from 'node:http';
import type { Upload, UploadFault, UploadSink } from '../../proxy/upload.ts';
import * as Body from './body.ts';
import type { Reservation } from './body-budget.ts';

/** Bodies up to this length are read whole, so that the upstream gets them with a length and at once. */
const wholeBytesMax = Body.bodyBytesMax;

export type UploadWaits = {
  /** Maximum time without a byte while the upstream is ready for more. */
  silenceMsMax: number;
  /** Waiting time that is allowed in addition to the time of the slowest rate. */
  graceMs: number;
  /** The slowest rate of an upload, counted over the time that the shop waits for its caller. */
  bytesPerSecondMin: number;
  /** Maximum time to discard the rest of a body whose response has been sent early. */
  discardMsMax: number;
};

export const usualWaits: UploadWaits = {
  silenceMsMax: 30_000,
  graceMs: 30_000,
  bytesPerSecondMin: 16 * 1024,
  discardMsMax: 30_000,
};

/** The interval at which the time of an upload is counted, by whom it waits for at that moment. */
const tickMsMax = 250;

const underWay = new WeakSet<IncomingMessage>();

/** Returns true for a request whose body has limits of its own for its time. */
export function isUpload(incoming: IncomingMessage): boolean {
  return underWay.has(incoming);
}

/** Reads a short body whole and returns a longer one as an upload. `bytesMax`: the limit of an upload. */
export async function readOrStream(
  incoming: IncomingMessage,
  { bytesMax, reservation }: { bytesMax: number; reservation: Reservation },
): Promise<Body.Body> {
  const { 'content-length': announced } = incoming.headers;
  const length = announced === undefined ? null : Number(announced);
  if (length !== null && length > bytesMax) return { kind: 'too_large', bytesMax };
  const upload = (chunks: readonly Buffer[]): Body.UploadBody => ({
    kind: 'upload',
    upload: new IncomingUpload(incoming, length, chunks, bytesMax),
  });
  if (length !== null && length > wholeBytesMax) return upload([]);
  const wholeMax = Math.min(bytesMax, wholeBytesMax);
  return Body.readBody(incoming, {
    bytesMax: wholeMax,
    reservation,
    ...(length === null && bytesMax > wholeMax && { overflow: upload }),
  });
}

/** The body of a request to Node's server. It is read only as fast as its sink takes it. */
export class IncomingUpload implements Upload {
  readonly length: number | null;
  isComplete = false;

  readonly #incoming: IncomingMessage;
  readonly #bytesMax: number;
  readonly #waits: UploadWaits;
  /** The received part, until it is passed on. */
  #received: readonly Buffer[];
  #sink: UploadSink | null = null;
  #isOver = false;
  #bytes = 0;
  #waitedMs = 0;
  #silentMs = 0;
  /** False while the sink is not ready for more. */
  #isWaiting = false;
  #ticking: NodeJS.Timeout | null = null;

  /** @param received the part of the body that was read already */
  constructor(
    incoming: IncomingMessage,
    length: number | null,
    received: readonly Buffer[],
    bytesMax: number,
    waits: UploadWaits = usualWaits,
  ) {
    this.#incoming = incoming;
    this.length = length;
    this.#received = received;
    this.#bytesMax = bytesMax;
    this.#waits = waits;
    incoming.pause();
    incoming.on('error', ignore);
    underWay.add(incoming);
  }

  start(sink: UploadSink): void {
    if (this.#isOver) return;
    this.#sink = sink;
    const received = this.#received;
    this.#received = [];
    let isReady = true;
    for (const chunk of received) isReady = this.#pass(chunk) && isReady;
    if (this.#isOver) return;
    const incoming = this.#incoming;
    if (incoming.destroyed && !incoming.complete) {
      this.#fail('left');
      return;
    }
    const tickMs = Math.min(tickMsMax, Math.ceil(this.#waits.silenceMsMax / 4));
    this.#ticking = setInterval(() => this.#tick(tickMs), tickMs);
    incoming.on('data', this.#onData);
    incoming.once('end', this.#onEnd);
    incoming.once('close', this.#onClose);
    if (isReady) this.resume();
    else incoming.pause();
  }

  resume(): void {
    if (this.#isOver || this.#sink === null) return;
    this.#isWaiting = true;
    this.#silentMs = 0;
    this.#incoming.resume();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#release();
    this.#discard();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#silentMs = 0;
    if (this.#pass(chunk) || this.#isOver) return;
    this.#isWaiting = false;
    this.#incoming.pause();
  };

  readonly #onEnd = (): void => {
    const sink = this.#sink;
    this.isComplete = true;
    this.#release();
    sink?.end();
  };

  readonly #onClose = (): void => this.#fail('left');

  #pass(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) {
      this.#fail('too_large');
      return false;
    }
    return this.#sink?.data(chunk) ?? false;
  }

  #tick(ms: number): void {
    if (!this.#isWaiting) return;
    this.#waitedMs += ms;
    this.#silentMs += ms;
    const { silenceMsMax, graceMs, bytesPerSecondMin } = this.#waits;
    const isSlow = this.#waitedMs > graceMs + (this.#bytes * 1_000) / bytesPerSecondMin;
    if (isSlow || this.#silentMs >= silenceMsMax) this.#fail('too_slow');
  }

  #fail(fault: UploadFault): void {
    if (this.#isOver) return;
    const sink = this.#sink;
    this.#release();
    this.#discard();
    sink?.failed(fault);
  }

  #release(): void {
    this.#isOver = true;
    this.#sink = null;
    this.#received = [];
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#incoming.off('data', this.#onData);
    this.#incoming.off('end', this.#onEnd);
    this.#incoming.off('close', this.#onClose);
  }

  /**
   * Reads on without keeping anything: a caller who is still sending can then read the response, and the connection stays in step. A
   * caller who sends for too long after it is disconnected.
   */
  #discard(): void {
    const incoming = this.#incoming;
    if (incoming.complete || incoming.destroyed) return;
    const late = setTimeout(() => incoming.destroy(), this.#waits.discardMsMax).unref();
    incoming.once('close', () => clearTimeout(late));
    incoming.once('end', () => clearTimeout(late));
    incoming.resume();
  }
}

function ignore(): void {}
