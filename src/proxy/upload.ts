/** Why a body could not be read to its end: the caller left, sent too slowly, or sent more than the limit. */
export type UploadFault = 'left' | 'too_slow' | 'too_large';

/** A request body that is forwarded to the upstream while it arrives. */
export interface Upload {
  /** The announced length in bytes; null when the caller sends chunks. */
  readonly length: number | null;
  /** True when the last byte has been read from the caller. */
  readonly isComplete: boolean;
  /** Starts to read. Called at most once. */
  start(sink: UploadSink): void;
  /** Continues to read after `data` returned false. */
  resume(): void;
  /** Stops reading and discards the rest. Safe to repeat, and before `start`. */
  stop(): void;
}

/** The receiver of a body. `end` or `failed` is called once, and nothing after it. */
export type UploadSink = {
  /** Takes ownership of `bytes`. @returns false to pause the upload until `resume` */
  data(bytes: Buffer): boolean;
  end(): void;
  failed(fault: UploadFault): void;
};
