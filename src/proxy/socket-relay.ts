import type { RawData, WebSocket } from 'ws';
import type { Sender } from './socket-meter.ts';

/** The peer of a message is not sent more while it has not read as many bytes. */
const bufferedBytesMax = 1024 * 1024;
/** Time between two pings. A peer that sends nothing or reads nothing between two of them is lost. */
const aliveMs = 30_000;
/** Control frames that a caller may send between two pings. */
const controlFramesMax = 1_000;

/** Allows one message, and learns its outcome; null refuses it. */
type Grant = ((isDelivered: boolean) => void) | null;

export type SocketRelayOptions = {
  caller: WebSocket;
  upstream: WebSocket;
  /** Returns false when the connection of a peer is destroyed, so that nothing can have been handed to the system. */
  isConnected(sender: Sender): boolean;
  admit(sender: Sender, data: Buffer, isBinary: boolean): Grant | Promise<Grant>;
  /** Names the reason of a refusal. */
  refusal(): string;
  /** Checks the connection from time to time. Returns the reason why it has to end, or null. */
  check(): Promise<string | null>;
  /** Returns true for a message of the upstream that must not reach the caller. */
  isSecret(data: Buffer): boolean;
  idleMsMax: number;
  openMsMax: number;
};

/** The end of a relay. `reason` names why the storefront closed it, or null when a peer did. `hasLeft`: the caller went first. */
export type SocketEnd = { reason: string | null; hasLeft: boolean; code: number };

/** Passes messages on between two WebSockets, with their kind and order, and closes both together. */
export class SocketRelay {
  /** Resolves when both connections are closed; rejects then with the fault that ended them. */
  readonly closed: Promise<SocketEnd>;
  readonly #options: SocketRelayOptions;
  readonly #lanes: readonly [Lane, Lane];
  readonly #ticking: NodeJS.Timeout;
  readonly #late: NodeJS.Timeout;
  readonly #whenClosed: PromiseWithResolvers<SocketEnd>;
  readonly #idle: NodeJS.Timeout;
  #open = 2;
  #end: SocketEnd | null = null;
  #fault: { cause: unknown } | null = null;
  #isRefused = false;

  constructor(options: SocketRelayOptions) {
    this.#options = options;
    this.#whenClosed = Promise.withResolvers();
    this.closed = this.#whenClosed.promise;
    const { caller, upstream } = options;
    this.#lanes = [new Lane(this, 'upstream', upstream, caller), new Lane(this, 'caller', caller, upstream)];
    this.#ticking = setInterval(() => void this.#tick(), aliveMs);
    this.#late = setTimeout(() => this.close(1001, 'duration_limit'), options.openMsMax);
    this.#idle = setTimeout(() => this.close(1001, 'idle'), options.idleMsMax);
    upstream.resume();
  }

  /** True when no further message is passed on. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Ends both connections: the caller's with `code`. */
  close(code: number, reason: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#end ??= { reason, hasLeft: false, code };
    const { caller, upstream } = this.#options;
    for (const lane of this.#lanes) lane.drop();
    caller.close(code, reason);
    upstream.close(1000);
    caller.resume();
    upstream.resume();
  }

  /** Ends both connections, because a message could not be decided about. */
  failed(cause: unknown): void {
    this.#fault ??= { cause };
    this.close(1011, 'internal');
  }

  /** A message arrived. */
  heard(): void {
    this.#idle.refresh();
  }

  async admit(sender: Sender, data: Buffer, isBinary: boolean): Promise<Grant> {
    if (sender === 'upstream' && this.#options.isSecret(data)) {
      this.close(1011, 'upstream_key_in_response');
      return null;
    }
    const grant = await this.#options.admit(sender, data, isBinary);
    if (grant === null) {
      const reason = this.#options.refusal();
      this.close(reason === 'ledger_unavailable' ? 1013 : 1008, reason);
    }
    return grant;
  }

  isConnected(sender: Sender): boolean {
    return this.#options.isConnected(sender);
  }

  /** One of the two connections has closed. */
  gone(sender: Sender, code: number): void {
    this.#end ??= { reason: null, hasLeft: sender === 'caller', code };
    this.#open -= 1;
    if (this.#open > 0) return;
    clearInterval(this.#ticking);
    clearTimeout(this.#late);
    clearTimeout(this.#idle);
    if (this.#fault === null) this.#whenClosed.resolve(this.#end);
    else this.#whenClosed.reject(this.#fault.cause);
  }

  async #tick(): Promise<void> {
    for (const lane of this.#lanes) lane.tick();
    const reason = await this.#options.check().catch(() => null);
    if (reason !== null) this.close(reason === 'ledger_unavailable' ? 1013 : 1008, reason);
  }
}

type Message = { data: Buffer; isBinary: boolean };

/** One direction of a relay. */
class Lane {
  readonly #relay: SocketRelay;
  readonly #sender: Sender;
  readonly #from: WebSocket;
  readonly #to: WebSocket;
  #queue: Message[] = [];
  #isPumping = false;
  #ended: { code: number; reason: Buffer } | null = null;
  #isAlive = true;
  #controls = 0;
  #sent = 0;
  #sentBefore = 0;

  constructor(relay: SocketRelay, sender: Sender, from: WebSocket, to: WebSocket) {
    this.#relay = relay;
    this.#sender = sender;
    this.#from = from;
    this.#to = to;
    from.on('message', (data: RawData, isBinary: boolean) => {
      this.#isAlive = true;
      relay.heard();
      if (relay.isRefused) return;
      this.#queue.push({ data: data as Buffer, isBinary });
      this.#pump().catch((fault: unknown) => relay.failed(fault));
    });
    from.on('ping', () => this.#control());
    from.on('pong', () => this.#control());
    from.on('error', () => {});
    from.once('close', (code: number, reason: Buffer) => {
      this.#ended = { code, reason };
      relay.gone(sender, code);
      if (!this.#isPumping) this.#finish();
    });
  }

  /** Passes no further message on. */
  drop(): void {
    this.#queue = [];
  }

  /** Ends a sender that is lost, and a receiver that reads nothing. */
  tick(): void {
    const isStalled = this.#to.bufferedAmount > 0 && this.#sent === this.#sentBefore;
    this.#sentBefore = this.#sent;
    this.#controls = 0;
    if (isStalled) this.#to.terminate();
    // A paused sender cannot be heard: its receiver is the one that is too slow.
    else if (!this.#from.isPaused && !this.#isAlive) this.#from.terminate();
    this.#isAlive = this.#from.isPaused;
    if (this.#from.readyState === this.#from.OPEN) this.#from.ping();
  }

  #control(): void {
    this.#isAlive = true;
    this.#controls += 1;
    if (this.#controls > controlFramesMax) this.#relay.close(1008, 'too_many_pings');
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) {
      // The queue is not longer than what one read of the connection contained.
      this.#from.pause();
      return;
    }
    this.#isPumping = true;
    try {
      await this.#passAll();
    } finally {
      this.#isPumping = false;
      if (this.#from.isPaused) this.#from.resume();
      if (this.#ended !== null) this.#finish();
    }
  }

  /** Passes messages on until none waits, or one is refused. */
  async #passAll(): Promise<void> {
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift()) {
      const grant = await this.#relay.admit(this.#sender, message.data, message.isBinary);
      if (grant === null) return;
      const sent = this.#send(message, grant);
      if (this.#to.bufferedAmount > bufferedBytesMax) {
        this.#from.pause();
        await sent;
      }
    }
  }

  /** Sends one message. Resolves when it was handed to the system, or is lost. */
  #send({ data, isBinary }: Message, grant: NonNullable<Grant>): Promise<void> {
    if (this.#relay.isRefused || this.#to.readyState !== this.#to.OPEN) {
      grant(false);
      return Promise.resolve();
    }
    const receiver = this.#sender === 'upstream' ? 'caller' : 'upstream';
    return new Promise((resolve) => {
      this.#to.send(data, { binary: isBinary, compress: false }, (error) => {
        this.#sent += 1;
        grant(!error && this.#relay.isConnected(receiver));
        resolve();
      });
    });
  }

  /** Closes the other side as the sender closed its own. */
  #finish(): void {
    const { code, reason } = this.#ended ?? { code: 1006, reason: Buffer.alloc(0) };
    this.#queue = [];
    this.#to.resume();
    if (code === 1005) this.#to.close();
    else if (code === 1006 || code === 1015)
      this.#to.close(this.#sender === 'upstream' ? 1011 : 1001, `${this.#sender}_lost`);
    else this.#to.close(code, reason);
  }
}
