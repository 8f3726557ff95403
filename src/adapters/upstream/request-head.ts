import * as Headers from '../../relay/headers.ts';
import type { Outbound } from '../../relay/upstream.ts';

/** What the heads of all requests to one upstream have in common. */
export type Common = {
  /** The end of the request line, then `host` and `connection`, each line ended by CRLF. */
  lines: string;
  /** The path of the base URL, put before each target. */
  prefix: string;
  /** The operator's key in its header, and what else the storefront says for itself: a flat list. */
  own: readonly string[];
};

/** @param url the base URL @param own a flat list */
export function common(url: URL, own: readonly string[]): Common {
  const prefix = url.pathname.replace(/\/+$/, '');
  return { lines: ` HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`, prefix, own };
}

const method = /^[A-Z]+$/;
const target = /^\/[\x21-\x7e]*$/;
/** What would end a line, or mean nothing in one. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** These say so where they have no body (RFC 9110, 8.6). */
const expectBody = new Set(['POST', 'PUT', 'PATCH']);

/** The head of a request with its empty line, as Latin-1; null where it would not be read as the one request that it is. */
export function write({ lines, prefix, own }: Common, outbound: Outbound): string | null {
  const { body } = outbound;
  const path = prefix + outbound.target.path + outbound.target.query;
  if (!method.test(outbound.method) || !target.test(path)) return null;
  let head = `${outbound.method} ${path}${lines}`;
  const headers = Headers.toUpstream(outbound.rawHeaders, outbound.metered, own);
  if (outbound.traceparent) headers.push('traceparent', outbound.traceparent);
  for (let at = 0; at < headers.length; at += 2) {
    const line = `${headers[at]}: ${headers[at + 1]}`;
    if (forbidden.test(line)) return null;
    head += `${line}\r\n`;
  }
  if (body !== null) head += `content-length: ${body.length}\r\n`;
  else if (expectBody.has(outbound.method)) head += 'content-length: 0\r\n';
  return `${head}\r\n`;
}
