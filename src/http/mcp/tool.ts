import type { CallToolResult, Tool as Listed } from '@modelcontextprotocol/server';
import type { ServedResponse } from '../../journeys/call-result.ts';
import type { Reply } from '../reply.ts';
import type { Call } from '../request-context.ts';
import type { Arguments } from './arguments.ts';

/** One running request to `/mcp`. */
export type Exchange = {
  c: Call;
  requestId: string;
  /** True for a revision of MCP without a handshake. */
  isModern: boolean;
  /** Charged calls whose results have not been sent yet. Their charges are undone when that never happens. */
  served: ServedResponse[];
  hasLeft(): boolean;
  /** Aborted when the caller cancels this request by a message on another connection. */
  cancelled: AbortSignal;
  /** True when every operation is listed as a tool of its own, instead of found by search. */
  listsAll: boolean;
};

export type Tool = {
  listed: Listed;
  /** True when the catalogue sells it. Calls are then limited by plan, not by the caller's address. */
  isSold: boolean;
  /** The list that has the tool: the `short` one, where operations are found by search, or that of `all`. Both if undefined. */
  listing?: 'short' | 'all';
  /** @param meta the unchecked `_meta` of the request */
  call(exchange: Exchange, args: Arguments, meta: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
};

/** The content of a result. */
export type ToolContent = Pick<CallToolResult, 'content'> & {
  structuredContent?: Readonly<Record<string, unknown>>;
};

/** The key in the `_meta` of every result for the status and the headers of the same response over HTTP. */
const metaKey = 'storefront/answer';
const copiedHeaders = ['retry-after', 'ratelimit', 'ratelimit-policy'];

/** A reply of the storefront as a tool result: its body as over HTTP, and optional advice for the model. */
export function toolResult({ status, headers, body }: Reply, advice?: string): CallToolResult {
  const fields = copiedHeaders.flatMap((name) =>
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

/** The `storefront-*` headers of a paid response as `_meta`: `storefront-cost-usd` becomes `cost_usd`. */
export function metaOf(status: number, headers: readonly string[]): Record<string, unknown> {
  const members: Record<string, unknown> = { status };
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? '';
    if (name.startsWith('storefront-')) members[name.slice(11).replaceAll('-', '_')] = headers[at + 1];
    else if (copiedHeaders.includes(name)) members[name.replaceAll('-', '_')] = headers[at + 1];
  }
  return { [metaKey]: members };
}
