import type { UploadFault } from './upload.ts';

/** The outcome of one request to the upstream. `headers` are flat lists that have already passed the allow list. */
export type UpstreamResult = WholeResponse | StreamedResponse | UpstreamFailure;

/** A response that was read to its end; `headers` contain the correct content-length. */
export type WholeResponse = { kind: 'whole'; status: number; headers: string[]; body: Buffer };

/** A response that is unmetered and not small, or too large to be held. None of the body is read until `pipeTo` is called. */
export type StreamedResponse = {
  kind: 'stream';
  status: number;
  headers: string[];
  /** Sends the body at the reader's pace and ends `destination`, or destroys it when the upstream breaks off. */
  pipeTo(destination: Destination): Promise<Piped>;
};

/** The target of a body: a ServerResponse, or any other writer that reports when its bytes have been sent. */
export type Destination = {
  /**
   * The writer keeps ownership of `chunk`: it may overwrite it once `written` was called, or at once when `writableLength` is 0 after
   * this returns. A destination that needs the bytes for longer copies them.
   */
  write(chunk: Buffer, written: () => void): boolean;
  end(): void;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  readonly destroyed: boolean;
  readonly closed: boolean;
  /** Bytes that were written but not sent yet. */
  readonly writableLength: number;
};

/**
 * `ended`: every byte was passed on. `cut`: the upstream broke off or sent no data in time. `abandoned`: the reader left or read no
 * data in time. `key_found`: the body contains the operator's key; it ends before the key.
 */
export type Piped = 'ended' | 'cut' | 'abandoned' | 'key_found';

/** There is no response that may be sent to the caller. `reason` is a code for the log, never for the caller. */
export type UpstreamFailure =
  | { kind: 'unavailable'; reason: string }
  /** The content coding is unknown or broken, or the decoded body is too long: it cannot be searched for the operator's key. */
  | { kind: 'undecodable'; status: number; reason: string }
  | { kind: 'timeout' }
  /** Every connection is in use and the queue is full, buffered responses fill the budget, or the process is draining. */
  | { kind: 'busy' }
  /** Every key of the upstream rests after it was rejected or limited; the request was not sent. */
  | { kind: 'keys_resting'; retryAfterSeconds: number }
  /** The account's own calls use up its share of the connections; the request was not sent. */
  | { kind: 'account_busy' }
  /** The request's body did not arrive completely, so the upstream cannot have read the whole request. */
  | { kind: 'upload_failed'; reason: UploadFault }
  /** The caller left first. */
  | { kind: 'abandoned' };

/**
 * Returns true when the upstream rejected the operator's key rather than the caller's request: 401, 402, and the 404 that it
 * sends for an unknown key. The 404 must have exactly the body `{"success":false,"message":"Not Found"}`, and counts
 * only when the operation's path (as written in the catalogue) has no parameter: such a path names no resource that
 * could be missing. A 403 does not count: firewalls send it because of a request's content, and a caller must not be able to
 * trigger the operator's alarm.
 */
export function refusesKey(response: WholeResponse | StreamedResponse, operationPath: string): boolean {
  if (response.status === 401 || response.status === 402) return true;
  return (
    response.status === 404 &&
    response.kind === 'whole' &&
    !operationPath.includes('{') &&
    response.body.length <= notFoundBytesMax &&
    isBareNotFound(response.body)
  );
}

const notFoundBytesMax = 200;

function isBareNotFound(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString());
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).length === 2 &&
      'success' in value &&
      value.success === false &&
      'message' in value &&
      value.message === 'Not Found'
    );
  } catch {
    return false;
  }
}
