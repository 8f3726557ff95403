import type { IncomingMessage } from 'node:http';
import type { Destination } from '../../proxy/upstream-response.ts';

/** The part of a request that a paid call reads: from Node's server or from the fast path. */
export type Incoming = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & {
  readonly headers: {
    readonly authorization?: string | undefined;
    readonly 'idempotency-key'?: string | string[] | undefined;
    readonly 'storefront-max-cost'?: string | string[] | undefined;
    readonly 'storefront-receipt'?: string | string[] | undefined;
    readonly 'x-api-key'?: string | string[] | undefined;
    readonly 'x-goog-api-key'?: string | string[] | undefined;
    readonly traceparent?: string | string[] | undefined;
  };
};

/** The part of a response that a paid call needs: Node's response, or the fast path's own. */
export interface Outgoing extends Destination {
  readonly statusCode: number;
  readonly headersSent: boolean;
  /** True when the response has been handed to the system or the connection has closed. */
  readonly closed: boolean;
  readonly writableFinished: boolean;
  /** @param headers a flat list of names and values, with `content-length` when the length is known */
  writeHead(status: number, headers: string[]): unknown;
  /** Adds header fields after the body. They are left out where the response has no chunks. */
  addTrailers(fields: Readonly<Record<string, string>>): unknown;
  /** Ends the response with the rest of its body; Latin-1 text is sent byte for byte. */
  end(): unknown;
  end(body: Buffer): unknown;
  end(body: string, encoding: 'latin1'): unknown;
}
