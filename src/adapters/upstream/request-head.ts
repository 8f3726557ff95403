import * as Headers from '../../proxy/headers.ts';
import * as OwnParameter from '../../proxy/own-parameter.ts';
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
  /** The query parameter of the key. */
  parameter?: OwnParameter.OwnParameter;
  /** Further headers of the caller that cross, in lower case. */
  forward?: ReadonlySet<string>;
  /** The header that receives an opaque id of the account. */
  caller?: { header: string; idOf(account: string): string };
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
export function requestHead(common: Common, outbound: Outbound): string | null {
  const { lines, prefix, own, parameter, forward, caller } = common;
  const { upload = null } = outbound;
  const length = upload === null ? (outbound.body?.length ?? 0) : upload.length;
  if (length !== 0 && !Reuse.mayHaveBody(outbound.method)) return null;
  const { query } = outbound.target;
  const sentQuery = parameter === undefined ? query : OwnParameter.replaceIn(query, parameter);
  const path = prefix + outbound.target.path + sentQuery;
  if (!method.test(outbound.method) || !target.test(path)) return null;
  let head = `${outbound.method} ${path}${lines}`;
  const headers = Headers.toUpstream(outbound.rawHeaders, outbound.metered, own, forward);
  if (outbound.priceHeaders) headers.push(...outbound.priceHeaders);
  if (caller !== undefined && outbound.account) headers.push(caller.header, caller.idOf(outbound.account));
  if (outbound.traceparent) headers.push('traceparent', outbound.traceparent);
  for (let at = 0; at < headers.length; at += 2) {
    const line = `${headers[at]}: ${headers[at + 1]}`;
    if (forbidden.test(line)) return null;
    head += `${line}\r\n`;
  }
  if (length === null) head += 'transfer-encoding: chunked\r\n';
  else if (length > 0 || expectBody.has(outbound.method)) head += `content-length: ${length}\r\n`;
  return `${head}\r\n`;
}
