import { Agent } from 'undici';
import { z } from 'zod';

const requestTimeoutMs = 10_000;
const responseBytesMax = 4 * 1024 * 1024;
/** Delays before a request is repeated: the nodes behind one address fail one at a time, and providers limit rates. */
const retryWaitsMs = [200, 800];
/** Errors of valid requests that the node cannot serve at the moment: JSON-RPC's own codes and those of EIP-1474. */
const passingCodes = [-32603, -32005, -32002, 429];

/** The node responded with an error for this request. Any other failure is a plain Error. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  readonly code: number;
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message.slice(0, 200)} (${code})`);
    this.code = code;
  }
}

/** The JSON-RPC interface of an EVM node. Requests are limited in time and size, and only read. */
export type JsonRpc = {
  /** Rejects with RpcRefusal when the node refuses the request, and with Error when it cannot be reached. */
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
};

const responseShape = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number().catch(0), message: z.string().catch('') }).nullish(),
});

export function openJsonRpc(text: string): JsonRpc {
  const url = new URL(text);
  const agent = new Agent({
    connections: 4,
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
    maxResponseSize: responseBytesMax,
  });

  async function once(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const { statusCode, body } = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...credentials(url) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal,
    });
    const said = responseShape.safeParse(parse(await body.text())).data;
    // Some nodes send the same error body with an HTTP error status.
    if (said?.error) throw new RpcRefusal(method, said.error.code, said.error.message);
    if (statusCode === 429) throw new RpcRefusal(method, statusCode, 'too many requests');
    if (statusCode !== 200 || said?.result === undefined)
      throw new Error(`${method}: the node answered ${statusCode} without a result`);
    return said.result;
  }

  return {
    async call(method, params, signal) {
      for (let attempt = 0; ; attempt++) {
        const limit = AbortSignal.timeout(requestTimeoutMs);
        try {
          return await once(method, params, signal ? AbortSignal.any([limit, signal]) : limit);
        } catch (fault) {
          const waitMs = retryWaitsMs[attempt];
          const passes = !(fault instanceof RpcRefusal) || passingCodes.includes(fault.code);
          if (waitMs === undefined || !passes || signal?.aborted) throw fault;
          await new Promise((resolve) => setTimeout(resolve, waitMs));
        }
      }
    },
    close: () => agent.close(),
  };
}

/** Moves credentials from the address to a header, because undici drops them. */
function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
