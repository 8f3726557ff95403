import type { IncomingMessage } from 'node:http';
import type { Destination } from '../relay/answer.ts';

/** What selling reads of a request: of Node's, or of one that came by the front. */
export type Incoming = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & {
  readonly headers: {
    readonly authorization?: string | undefined;
    readonly 'idempotency-key'?: string | string[] | undefined;
    readonly 'storefront-max-cost'?: string | string[] | undefined;
    readonly 'storefront-receipt'?: string | string[] | undefined;
    readonly traceparent?: string | string[] | undefined;
  };
};

/** The way back to who asked, as far as selling needs it: Node's response, or the front's own. */
export interface Outgoing extends Destination {
  readonly statusCode: number;
  readonly headersSent: boolean;
  /** All is out of our hands, or nobody is left to take it. */
  readonly closed: boolean;
  readonly writableFinished: boolean;
  /** @param headers a flat list of names and values; a body of known length says so there */
  writeHead(status: number, headers: string[]): unknown;
  /** Ends the answer with the rest of its body; text goes out byte for byte. */
  end(): unknown;
  end(body: Buffer): unknown;
  end(body: string, encoding: 'latin1'): unknown;
}
