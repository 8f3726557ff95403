/** What came of one request to the upstream. `headers` are flat lists that have already passed the allow list. */
export type Answer = Whole | Streamed | Failure;

/** Read to its end; `headers` hold the right content-length. */
export type Whole = { kind: 'answer'; status: number; headers: string[]; body: Buffer };

/** Unmetered and not small, or too large to be held. Nothing of the body is read until `pipeTo` is called. */
export type Streamed = {
  kind: 'stream';
  status: number;
  headers: string[];
  /** Sends the body on at the reader's pace and ends `destination`, or destroys it where the upstream broke off. */
  pipeTo(destination: Destination): Promise<Piped>;
};

/** What a body can be piped to: a ServerResponse, or anything else that tells when its bytes have left. */
export type Destination = {
  /**
   * `chunk` stays the writer's: it may be overwritten once `written` was called, and at once where `writableLength` is 0 after this
   * returns. Who keeps it copies it.
   */
  write(chunk: Buffer, written: () => void): boolean;
  end(): void;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  readonly destroyed: boolean;
  readonly closed: boolean;
  /** Bytes that were written and have not left. */
  readonly writableLength: number;
};

/** `ended`: every byte was handed on. `cut`: the upstream broke off or sent nothing in time. `abandoned`: the reader left or took nothing in time. */
export type Piped = 'ended' | 'cut' | 'abandoned';

/** No answer that may go back. `reason` is a code for the log, never for the caller. */
export type Failure =
  | { kind: 'unavailable'; reason: string }
  | { kind: 'timeout' }
  /** Every connection is in use and the queue is full, answers take up what they may, or the process is draining. */
  | { kind: 'busy' }
  /** The caller left first. */
  | { kind: 'abandoned' };

/**
 * Whether the upstream turned down the operator's key rather than the caller's request: 401, 402, and the 404 that it
 * gives to an unknown key. That 404 has the body `{"success":false,"message":"Not Found"}` and nothing else, and counts
 * only where the operation's path (as the catalogue writes it) has no parameter: such a path names no resource that
 * could be missing. A 403 passes: firewalls give it to the content of a request, and a caller must not be able to raise
 * the operator's alarm.
 */
export function refusesKey(answer: Whole | Streamed, operationPath: string): boolean {
  if (answer.status === 401 || answer.status === 402) return true;
  return (
    answer.status === 404 &&
    answer.kind === 'answer' &&
    !operationPath.includes('{') &&
    answer.body.length <= notFoundBytesMax &&
    isBareNotFound(answer.body)
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
