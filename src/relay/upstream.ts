import type { Answer } from './answer.ts';
import type { Target } from './target.ts';

/** The API that is resold. Sends each request once and never again: the upstream may have billed the first. */
export interface Upstream {
  /** Never rejects: what goes wrong is an Answer. At most the upstream's timeout passes before it comes. */
  send(outbound: Outbound): Sending;
  /** Whether anything answers HTTP there, within two seconds. Sends no key; questions asked meanwhile share the answer. */
  probe(): Promise<boolean>;
  /** Takes nothing new, waits for what is under way, closes the connections. */
  close(): Promise<void>;
}

/** A request as it came; the upstream filters the headers and adds the operator's key. */
export type Outbound = {
  method: string;
  target: Target;
  /** As Node gives them: a flat list of names and values. */
  rawHeaders: readonly string[];
  body: Buffer | null;
  /** Whether the answer is counted: then it is read whole, up to the limit for answers, and in no content coding. */
  metered: boolean;
  /** Our own `traceparent` for it, where it is to have one; that of a caller never crosses. */
  traceparent?: string | null;
};

/** A request under way. */
export type Sending = {
  readonly answer: Promise<Answer>;
  /** Breaks off: the caller left, or the streamed answer is not wanted. Does nothing once all is over. */
  abandon(): void;
};
