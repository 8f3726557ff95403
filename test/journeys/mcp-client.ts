import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Connects the standard client to a shop's `/mcp`. `mode`: with or without the handshake of the older revisions. */
export async function connect(
  shopUrl: string,
  token: string | null = null,
  mode: 'legacy' | 'auto' = 'auto',
  headers: Readonly<Record<string, string>> = {},
  query = '',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
  const requestInit = { headers: { ...bearer, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${shopUrl}/mcp${query}`), { requestInit }));
  return client;
}

/** The content of a result, as data. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body.
export type Said = { isError: boolean; body: any; answer: any; meta: any; text: string };

export async function call(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  meta?: Readonly<Record<string, unknown>>,
): Promise<Said> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) };
  return read((await client.callTool(params)) as CallToolResult);
}

/** A result is text only when it would say the same twice. */
function data(first: CallToolResult['content'][number] | undefined): unknown {
  try {
    return first?.type === 'text' ? JSON.parse(first.text) : undefined;
  } catch {
    return undefined;
  }
}

function read(result: CallToolResult): Said {
  const [first] = result.content;
  return {
    isError: result.isError === true,
    body: result.structuredContent ?? data(first),
    answer: result._meta?.['storefront/answer'],
    meta: result._meta,
    text: first?.type === 'text' ? first.text : '',
  };
}
