import type { Target } from '@sluice/kernel/request-target';
import type { UpstreamRoute } from '../catalog/named-upstream.ts';
import type { Upload } from './upload.ts';
import type { UpstreamResult } from './upstream-response.ts';
import type { Dial, Dialled } from './upstream-socket.ts';

/** The API that is resold. Sends each request exactly once: the upstream may have billed the first attempt. */
export interface Upstream {
  /** Sends a request. Never rejects: failures are an UpstreamResult too. It settles within the queue's maximum wait plus the upstream's timeout. */
  send(outbound: Outbound): Sending;
  /** Opens a WebSocket. Never rejects. */
  dial?(outbound: Outbound, dial: Dial): Promise<Dialled>;
  /**
   * Returns true when the upstream reports within two seconds that it is ready, or, without a path for that, when a server answers HTTP
   * there. Sends no key; concurrent calls share one request.
   */
  probe(): Promise<boolean>;
  /** Probes each of several upstreams, by name; absent for a single one. */
  probeAll?(): Promise<ReadonlyMap<string, boolean>>;
  /** Refuses new requests, waits for those under way, then closes the connections. */
  close(): Promise<void>;
}

/** A request as received from the caller; the upstream client filters the headers and adds the operator's key. */
export type Outbound = {
  method: string;
  target: Target;
  /** The headers in Node's form: a flat list of names and values. */
  rawHeaders: readonly string[];
  body: Buffer | null;
  /** A body that is forwarded while it arrives, instead of `body`. */
  upload?: Upload | null;
  /** True when the response is counted. Such a response is read completely, up to the limit, and requested without a content coding. */
  metered: boolean;
  /** True when a JSON response is edited before it is delivered: then it is read whole too. */
  editsJson?: boolean;
  /** The account that makes the call, for fair queueing. Requests without an account share one queue. */
  account?: string;
  /** The queue in which the request takes its turn, if it is not that of its account. */
  share?: string;
  /** The upstreams of the operation's service; absent when there is a single one. */
  route?: UpstreamRoute | undefined;
  /** Headers that cross besides the allowed ones, because they choose the price of the call: a flat list. */
  priceHeaders?: readonly string[];
  /** Names of response headers that are counted, in lower case; they reach the caller too. */
  countedHeaders?: readonly string[];
  /** The gateway's own `traceparent` for the request, if any; the caller's is never forwarded. */
  traceparent?: string | null;
};

/** A request under way. */
export type Sending = {
  readonly response: Promise<UpstreamResult>;
  /** False while no byte of the request has left, so that it can still be sent elsewhere. Absent: it is not known. */
  readonly isSent?: boolean;
  /** Aborts the request because the caller left or the streamed response is not wanted. Does nothing once it is over. */
  abandon(): void;
};
