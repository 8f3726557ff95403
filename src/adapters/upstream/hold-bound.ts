import * as Headers from '../../proxy/headers.ts';
import type { HeaderSection } from './response-head.ts';

export type Bounds = {
  responseBytesMax: number;
  /** Unmetered responses of a known length up to this are buffered too, so that they are sent in one write with their header section. */
  oneWriteBytesMax: number;
};

/** Errors up to this length are buffered, however they are framed: error pages are the ones that echo a request, key included. */
const errorBytesMax = 64 * 1024;

/** Streams of events, which may never end. */
const eventStream = /^(text\/event-stream|application\/(x-ndjson|jsonl|json-seq|stream\+json))\b/i;

/**
 * Returns the length up to which a response is buffered, or 0 when it is streamed from its first byte.
 * @param isWanted true when as much as allowed is to be buffered: to be counted, or to be decoded and searched
 */
export function bytesToHold(head: HeaderSection, isWanted: boolean, bounds: Bounds): number {
  const { status, contentLength, headers } = head;
  const { responseBytesMax, oneWriteBytesMax } = bounds;
  if (contentLength === null && eventStream.test(Headers.first(headers, 'content-type') ?? '')) return 0;
  if (isWanted) return responseBytesMax;
  if (status >= 400) return Math.min(errorBytesMax, responseBytesMax);
  return contentLength === null ? 0 : oneWriteBytesMax;
}
