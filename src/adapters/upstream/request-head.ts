import * as Headers from '../../proxy/headers.ts';
import type { Outbound } from '../../proxy/upstream.ts';
import * as Reuse from './reuse.ts';

/** The parts that the header sections of all requests to one upstream share. */
export type Common = {
  /** The end of the request line, then `host` and `connection`, each line ended by CRLF. */
  lines: string;
  /** The path of the base URL, which precedes each target. */
  prefix: string;
  /** The operator's key in its header, and the storefront's other own headers: a flat list. */
  own: readonly string[];
};

/** @param url the base URL @param own a flat list @param reuses true when a connection carries several requests, one after another */
export function common(url: URL, own: readonly string[], reuses = true): Common {
  const prefix = url.pathname.replace(/\/+$/, '');
  const connection = reuses ? 'keep-alive' : 'close';
  return { lines: ` HTTP/1.1\r\nhost: ${url.host}\r\nconnection: ${connection}\r\n`, prefix, own };
}

const method = /^[A-Z]+$/;
const target = /^\/[\x21-\x7e]*$/;
/** Characters that would end a line or are invalid in one. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** Methods that state a length of 0 when they have no body (RFC 9110, 8.6). */
const expectBody = new Set(['POST', 'PUT', 'PATCH']);

/** Returns the header section of a request with its empty line, as Latin-1; null when it could be read as another request. */
export function requestHead({ lines, prefix, own }: Common, outbound: Outbound): string | null {
  const length = outbound.body?.length ?? 0;
  if (length > 0 && !Reuse.mayHaveBody(outbound.method)) return null;
  const path = prefix + outbound.target.path + outbound.target.query;
  if (!method.test(outbound.method) || !target.test(path)) return null;
  let head = `${outbound.method} ${path}${lines}`;
  const headers = Headers.toUpstream(outbound.rawHeaders, outbound.metered, own);
  if (outbound.priceHeaders) headers.push(...outbound.priceHeaders);
  if (outbound.traceparent) headers.push('traceparent', outbound.traceparent);
  for (let at = 0; at < headers.length; at += 2) {
    const line = `${headers[at]}: ${headers[at + 1]}`;
    if (forbidden.test(line)) return null;
    head += `${line}\r\n`;
  }
  if (length > 0 || expectBody.has(outbound.method)) head += `content-length: ${length}\r\n`;
  return `${head}\r\n`;
}
