import * as FieldLines from './field-lines.ts';

/** The head of an answer: what could be read in two ways is none (RFC 9112, 11.1 and 11.2). */
export type AnswerHead = {
  status: number;
  /** A flat list: names in lower case, values byte for byte (Latin-1). */
  headers: string[];
  /** How the body ends (RFC 9112, 6.3). */
  body: 'none' | 'length' | 'chunked' | 'close';
  /** `Content-Length`, decimal digits; null where there is none. */
  contentLength: string | null;
  /** How long its connection may be idle before it is used again; 0: it is not to be. */
  reuseMs: number;
};

export type Malformed =
  | FieldLines.Malformed
  | 'malformed_status_line'
  /** 101: nobody asked for another protocol. */
  | 'protocol_changed'
  /** An informational answer that lets no other follow. */
  | 'closed_early'
  | 'malformed_length'
  | 'two_lengths'
  | 'length_and_chunks'
  /** Anything but `chunked`, once, in HTTP/1.1. */
  | 'unknown_transfer_encoding';

const reuseMsUsual = 4_000;
const reuseMsMax = 600_000;
/** By how much sooner than the upstream says, so that no request meets its closing. */
const reuseMsEarlier = 1_000;

const length = /^\d{1,15}$/;

/**
 * Reads one head.
 * @param text from the status line to the CRLF of its last line, without the empty line
 * @param toHead whether it answers a HEAD, so that no body follows
 */
export function read(text: string, toHead: boolean): AnswerHead | Malformed {
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
  const head: AnswerHead = {
    status,
    headers,
    body: 'close',
    contentLength: null,
    reuseMs: minor === 1 ? reuseMsUsual : 0,
  };
  return frame(head, minor, toHead) ?? head;
}

function frame(head: AnswerHead, minor: number, toHead: boolean): Malformed | null {
  const { headers, status } = head;
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
  if (status < 200 && closes) return 'closed_early';
  if (head.contentLength !== null) {
    if (head.body === 'chunked') return 'length_and_chunks';
    head.body = 'length';
  }
  if (toHead || status < 200 || status === 204 || status === 304) head.body = 'none';
  if (closes || head.body === 'close') head.reuseMs = 0;
  return null;
}

/** From the value of `Keep-Alive`, such as `timeout=5, max=100`. */
function reuseMs(keepAlive: string): number {
  const seconds = /(?:^|[\t ,])timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return reuseMsUsual;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - reuseMsEarlier, reuseMsMax));
}

/** NaN where there is none. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 0x30;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}
