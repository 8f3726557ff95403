import type { WebSocket } from 'ws';

/** A WebSocket at the upstream, paused, or the reason why there is none. */
export type Dialled =
  | {
      kind: 'open';
      socket: WebSocket;
      /** Returns false when its connection is destroyed. One that is being closed still sends what was handed over before. */
      isConnected(): boolean;
      /** Returns true when a message contains a secret of the upstream. */
      hasSecret(message: Buffer): boolean;
    }
  /** The upstream answered without opening a WebSocket. */
  | { kind: 'answered'; status: number; contentType: string | undefined; body: Buffer }
  | { kind: 'keys_resting'; retryAfterSeconds: number }
  | { kind: 'unavailable'; reason: string }
  | { kind: 'timeout' };

/** The parts of a WebSocket that do not come from its request. */
export type Dial = {
  /** The subprotocols that the caller offers. */
  protocols: readonly string[];
  messageBytesMax: number;
};
