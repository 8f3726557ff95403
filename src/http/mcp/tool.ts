import type { CallToolResult, Tool as Listed } from '@modelcontextprotocol/server';
import type { Answered } from '../../journeys/paid-call.ts';
import type { Shop } from '../../journeys/shop.ts';
import type { Call } from '../edge.ts';
import type { Reply } from '../reply.ts';
import type { Arguments } from './arguments.ts';

/** One request to `/mcp` under way. */
export type Exchange = {
  shop: Shop;
  c: Call;
  requestId: string;
  /** Of a revision of MCP without a handshake. */
  isModern: boolean;
  /** What has been charged and not yet gone out: it is given back where it never does. */
  answered: Answered[];
  hasLeft(): boolean;
};

export type Tool = {
  listed: Listed;
  /** Whether the catalogue sells it: then its plan limits it, not the caller's address. */
  isSold: boolean;
  /** @param meta the `_meta` of the request, as it came */
  call(exchange: Exchange, args: Arguments, meta: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
};

/** What a result shows of an answer. */
export type Shown = Pick<CallToolResult, 'content'> & {
  structuredContent?: Readonly<Record<string, unknown>>;
};

/** What over HTTP are status and headers: the key of the `_meta` of every result. */
const metaKey = 'storefront/answer';
const headersTold = ['retry-after', 'ratelimit', 'ratelimit-policy'];

/** A reply of the storefront as a result: its body as it is over HTTP, and for a model a line on what to do here. */
export function told({ status, headers, body }: Reply, advice?: string): CallToolResult {
  const fields = headersTold.flatMap((name) =>
    headers[name] === undefined ? [] : [[name.replaceAll('-', '_'), headers[name]]],
  );
  return {
    content: [
      { type: 'text', text: JSON.stringify(body) },
      ...(advice === undefined ? [] : [{ type: 'text' as const, text: advice }]),
    ],
    structuredContent: { ...body },
    _meta: { [metaKey]: { status, origin: 'storefront', ...Object.fromEntries(fields) } },
    ...(status >= 400 && { isError: true }),
  };
}

/** The `storefront-*` headers of a sold answer, as `_meta`: `storefront-cost-usd` is `cost_usd`. */
export function accounted(status: number, headers: readonly string[]): Record<string, unknown> {
  const members: Record<string, unknown> = { status };
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? '';
    if (name.startsWith('storefront-')) members[name.slice(11).replaceAll('-', '_')] = headers[at + 1];
    else if (headersTold.includes(name)) members[name.replaceAll('-', '_')] = headers[at + 1];
  }
  return { [metaKey]: members };
}
