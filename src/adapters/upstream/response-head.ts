import * as FieldLines from './field-lines.ts';

/** The header section of a response. One that could be read in two ways is rejected (RFC 9112, 11.1 and 11.2). */
export type HeaderSection = {
  status: number;
  /** A flat list: names in lower case, values byte for byte (Latin-1). */
  headers: string[];
  /** The framing of the body (RFC 9112, 6.3). */
  body: 'none' | 'length' | 'chunked' | 'close';
  /** `Content-Length`, decimal digits; null when there is none. */
  contentLength: string | null;
  /** Maximum idle time of its connection before it is reused; 0 when it must not be reused. */
  reuseMs: number;
};

export type Malformed =
  | FieldLines.Malformed
  | 'malformed_status_line'
  /** 101, although the request asked for no other protocol. */
  | 'protocol_changed'
  /** An informational response that announces the end of the connection, so that no final response can follow. */
  | 'closed_early'
  | 'malformed_length'
  | 'two_lengths'
  | 'length_and_chunks'
  /** Any transfer coding other than a single `chunked` in HTTP/1.1. */
  | 'unknown_transfer_encoding';

const reuseMsUsual = 4_000;
const reuseMsMax = 600_000;
/** Subtracted from the upstream's own limit, so that no request is sent while the upstream closes the connection. */
const reuseMsEarlier = 1_000;

const length = /^\d{1,15}$/;

/**
 * Reads one header section.
 * @param text from the status line to the CRLF of its last line, without the empty line
 * @param isHeadRequest true for the response to a HEAD request, which has no body
 */
export function read(text: string, isHeadRequest: boolean): HeaderSection | Malformed {
  const status = 100 * digit(text, 9) + 10 * digit(text, 10) + digit(text, 11);
  const minor = digit(text, 7);
  const lineEnd = FieldLines.lineEnd(text, 12);
  const isStatusLine =
    text.startsWith('HTTP/1.') &&
    minor <= 1 &&
    text[8] === ' ' &&
    status >= 100 &&
    (lineEnd === 12 || (lineEnd > 12 && text[12] === ' '));
  if (!isStatusLine) return 'malformed_status_line';
  if (status === 101) return 'protocol_changed';
  const headers: string[] = [];
  const malformed = FieldLines.read(text, lineEnd + 2, headers);
  if (malformed !== null) return malformed;
  const head: HeaderSection = {
    status,
    headers,
    body: 'close',
    contentLength: null,
    reuseMs: minor === 1 ? reuseMsUsual : 0,
  };
  return frame(head, minor, isHeadRequest) ?? head;
}

/**
 * Reads the fields of an HTTP/1.1 response that another parser has taken apart.
 * @param headers a flat list with names in lower case
 */
export function ofFields(
  status: number,
  headers: string[],
  isHeadRequest: boolean,
): HeaderSection | Malformed {
  const head: HeaderSection = { status, headers, body: 'close', contentLength: null, reuseMs: reuseMsUsual };
  return frame(head, 1, isHeadRequest) ?? head;
}

/** Determines the framing of the body and the reuse of the connection from the fields of `head`, and enters them there. */
function frame(head: HeaderSection, minor: number, isHeadRequest: boolean): Malformed | null {
  const { status } = head;
  const closes = readFraming(head, minor);
  if (typeof closes === 'string') return closes;
  if (status < 200 && closes) return 'closed_early';
  if (head.contentLength !== null) {
    if (head.body === 'chunked') return 'length_and_chunks';
    head.body = 'length';
  }
  let isLast = closes;
  if (isHeadRequest || status < 200 || status === 204 || status === 304) {
    // A server may send the body that it announces, even though this response must not have one.
    const isAnnounced = head.body === 'chunked' || (head.contentLength ?? '0') !== '0';
    isLast ||= isAnnounced && !isHeadRequest;
    head.body = 'none';
  }
  if (isLast || head.body === 'close') head.reuseMs = 0;
  return null;
}

/** Reads the fields about length, transfer coding and connection. Returns true when they end the connection. */
function readFraming(head: HeaderSection, minor: number): boolean | Malformed {
  const { headers } = head;
  let closes = minor === 0;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    switch (headers[at]) {
      case 'content-length':
        if (head.contentLength !== null) return 'two_lengths';
        if (!length.test(value)) return 'malformed_length';
        head.contentLength = value;
        break;
      case 'transfer-encoding':
        if (minor === 0 || head.body === 'chunked' || value.toLowerCase() !== 'chunked')
          return 'unknown_transfer_encoding';
        head.body = 'chunked';
        break;
      case 'connection':
        closes ||= value !== 'keep-alive' && /(?:^|[\t ,])close(?:[\t ,]|$)/i.test(value);
        break;
      case 'keep-alive':
        head.reuseMs = reuseMs(value);
        break;
    }
  }
  return closes;
}

/** Reads the value of `Keep-Alive`, such as `timeout=5, max=100`. */
function reuseMs(keepAlive: string): number {
  const seconds = /(?:^|[\t ,])timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return reuseMsUsual;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - reuseMsEarlier, reuseMsMax));
}

/** Returns the digit at a position, or NaN. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 0x30;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}
