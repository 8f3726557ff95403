import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  originValidationResponse,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { path } from '@sluice/kernel/endpoints';
import { Hono } from 'hono';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type * as Match from '../../catalog/match.ts';
import { endUnstarted } from '../../journeys/delivery.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import type * as Quote from '../../journeys/quote.ts';
import type { ProxyContext } from '../../proxy/proxy-context.ts';
import type { AddressLimit } from '../api/address-limit.ts';
import * as Fault from '../fault.ts';
import type { Reply } from '../reply.ts';
import { bytes, type Call, caller, type Env, requestId, send, unidentified } from '../request-context.ts';
import type { Arguments } from './arguments.ts';
import * as Cancellation from './cancellation.ts';
import * as Documents from './documents.ts';
import { type Exchange, toolResult } from './tool.ts';
import { isObject } from './tool-schema.ts';
import * as Toolbox from './toolbox.ts';

const listedMax = 50;
const parseError = -32_700;
const invalidRequest = -32_600;
const invalidParams = -32_602;
/** A code in the range that JSON-RPC reserves for servers. */
const unauthorized = -32_001;
const storefrontHeaders = { 'cache-control': 'no-store', 'storefront-origin': 'storefront' };
const localNames = ['localhost', '127.0.0.1', '[::1]'];

type RouteOptions = {
  ask: Quote.Ask;
  matcher: Match.Matcher;
  addressLimit: AddressLimit;
  clientAddressHeader: string | null;
  fault: (fault: unknown, requestId: string) => void;
};

/** The dependencies of /mcp. */
export type McpContext = CallerContext &
  Toolbox.ToolContext &
  Documents.DocumentsContext &
  Pick<ProxyContext, 'runningCalls'>;

/**
 * The sold operations as MCP tools over streamable HTTP, for revisions with and without a handshake. No state is kept between requests, so
 * any process can serve them; each response is one JSON body.
 */
export function mcpRoutes(shop: McpContext, options: RouteOptions): Hono<Env> {
  const app = new Hono<Env>();
  const tools = Toolbox.toolsOf(shop, options.ask, options.matcher, options.clientAddressHeader);
  const documents = Documents.open(shop, tools);
  const { hostname } = new URL(shop.publicUrl);
  // Prevents pages of other sites from calling a shop on the visitor's machine: browsers send the page's origin.
  const origins = localNames.includes(hostname) ? localNames : [hostname];
  const exchanges = new WeakMap<Request, Exchange>();
  const serverOf = (request: Request) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) throw new Error('no exchange of this request is running');
    return server(shop, tools, documents, exchange, options.fault);
  };
  const modern = createMcpHandler(({ requestInfo }) => serverOf(requestInfo as Request), {
    legacy: 'reject',
    // The tools change only with a restart, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  });

  app.post(path.mcp, async (c) => {
    const request = new Request(c.req.url, { method: 'POST', headers: c.req.raw.headers });
    const foreignOrigin = originValidationResponse(request, origins);
    if (foreignOrigin !== undefined) return foreignOrigin;
    const accepted = await accept(shop, tools, options.addressLimit, c);
    if ('refusal' in accepted) return accepted.refusal;
    const { message } = accepted;
    const isLegacy = await isLegacyRequest(request, message);
    if (isLegacy) Cancellation.cancel(shop, c, message);
    const { signal, end } = Cancellation.register(shop, c, isPaid(tools, message) ? message : {});
    const exchange = begin(c, !isLegacy, signal);
    exchanges.set(request, exchange);
    const parsed = { parsedBody: message };
    try {
      const serving = isLegacy ? legacy(serverOf(request), request, parsed) : modern.fetch(request, parsed);
      return await settle(exchange, serving);
    } finally {
      end();
    }
  });
  return app;
}

type Message = Readonly<Record<string, unknown>>;

/** Reads the message of a request, or returns the refusal of a caller who may not send it. */
async function accept(
  shop: CallerContext,
  tools: Toolbox.Toolbox,
  addressLimit: AddressLimit,
  c: Call,
): Promise<{ message: Message } | { refusal: Response }> {
  // Checks the address and the token before it reads the body: unknown callers can send little, and not often.
  const known = await caller(shop, c, 'MCP request');
  const early = known.kind === 'account' ? null : addressLimit(c);
  if (early !== null) return { refusal: send(c, early) };
  const body = await bytes(c);
  if (!Buffer.isBuffer(body)) return { refusal: send(c, body) };
  const message = parse(body);
  if (message === undefined)
    return { refusal: faulty(parseError, 'Parse error: the body is not valid JSON.') };
  // A batch would be charged as a whole and delivered as a whole or not at all.
  if (!isObject(message))
    return { refusal: faulty(invalidRequest, 'Batches are not supported. Send one message per request.') };
  if (!isPaid(tools, message)) {
    const limited = known.kind === 'account' ? addressLimit(c) : null;
    return limited === null ? { message } : { refusal: send(c, limited) };
  }
  if (known.kind === 'absent') return { refusal: refuse(c, message, unidentified(shop, c, known)) };
  if (known.kind === 'refused' && known.reply.status === 401)
    return { refusal: refuse(c, message, known.reply) };
  return { message };
}

function begin(c: Call, isModern: boolean, cancelled: AbortSignal): Exchange {
  const { outgoing } = c.env;
  return {
    c,
    requestId: requestId(c),
    isModern,
    served: [],
    hasLeft: () => outgoing.destroyed || cancelled.aborted,
    cancelled,
    listsAll: c.req.query('tools') === 'all',
  };
}

/** Serves a request of a revision with a handshake. The handshake leaves no state that later requests need. */
async function legacy(
  product: Server,
  request: Request,
  options: { parsedBody: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await product.connect(transport);
  const response = await transport.handleRequest(request, options);
  await product.close();
  // The name of a session distinguishes its calls from those of others, so that they can be cancelled.
  if (isObject(options.parsedBody) && options.parsedBody.method === 'initialize' && response.ok)
    response.headers.set(Cancellation.sessionHeader, Cancellation.newSession());
  return response;
}

/** Marks charged calls as delivered when the response has been sent; otherwise undoes their charges. */
async function settle(exchange: Exchange, serving: Promise<Response>): Promise<Response> {
  try {
    const response = await serving;
    // A cancelled request gets no response (MCP, cancellation); 202 lets clients forget it.
    if (exchange.cancelled.aborted) return new Response(null, { status: 202, headers: storefrontHeaders });
    // Only when the whole response has been handed to the system: data in this process is lost if it crashes.
    if (response.ok && !exchange.hasLeft())
      for (const paid of exchange.served.splice(0)) exchange.c.env.outgoing.once('close', paid.delivered);
    for (const [name, value] of Object.entries(storefrontHeaders)) response.headers.set(name, value);
    return response;
  } finally {
    undoCharges(exchange);
  }
}

/** Undoes the charges of responses that will not be sent. */
function undoCharges({ served, hasLeft }: Exchange): void {
  for (const paid of served.splice(0)) endUnstarted(paid, hasLeft());
}

function server(
  { catalog, publicUrl }: Pick<CatalogContext, 'catalog' | 'publicUrl'>,
  tools: Toolbox.Toolbox,
  documents: Documents.Documents,
  exchange: Exchange,
  report: RouteOptions['fault'],
): Server {
  const { storefront } = catalog;
  const product = new Server(
    { name: storefront.name, version: '1.0.0', websiteUrl: publicUrl },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: instructions(storefront, exchange),
    },
  );
  const listing = exchange.listsAll ? 'all' : 'short';
  const all = [...tools.values()]
    .filter((tool) => tool.listing === undefined || tool.listing === listing)
    .map(({ listed }) => listed);
  Documents.serve(product, documents, exchange);
  product.setRequestHandler('tools/list', ({ params }) => {
    const from = params?.cursor === undefined ? 0 : Number(params.cursor);
    if (!Number.isInteger(from) || from < 0 || from > all.length)
      throw new ProtocolError(invalidParams, 'Unknown cursor. Start again without one.');
    const next = from + listedMax;
    return { tools: all.slice(from, next), ...(next < all.length && { nextCursor: String(next) }) };
  });
  product.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new ProtocolError(invalidParams, `Unknown tool ${JSON.stringify(params.name.slice(0, 64))}.`);
    const entry = exchange.c.get('entry');
    entry.tool = params.name;
    try {
      const result = await tool.call(exchange, (params.arguments ?? {}) as Arguments, params._meta ?? {});
      const { structuredContent: data } = result;
      // A charged call has the upstream's response, whose `code` is not one of the storefront's codes.
      if (entry.call === undefined && isObject(data) && typeof data.code === 'string') entry.code = data.code;
      return result;
    } catch (fault) {
      undoCharges(exchange);
      if (fault instanceof ProtocolError) throw fault;
      report(fault, exchange.requestId);
      return toolResult(Fault.faultReply(exchange.c.get('texts'), fault, exchange.requestId));
    }
  });
  return product;
}

function instructions({ name, description }: Catalog['storefront'], { listsAll }: Exchange): string {
  const find = listsAll
    ? ''
    : ' search_operations finds operations with their prices and arguments; call_operation calls one.';
  return `${name}: ${description} Call shop_guide first: it is free and returns the tools for a goal, with their arguments and their cost.${find} Paid tools need an access token as \`Authorization: Bearer\`: shop_register returns one, with a free trial; shop_purchase buys credit. Errors and empty responses are free.`;
}

function isPaid(tools: Toolbox.Toolbox, { method, params }: Readonly<Record<string, unknown>>): boolean {
  const name = method === 'tools/call' && isObject(params) ? params.name : undefined;
  return typeof name === 'string' && (tools.get(name)?.isSold ?? false);
}

/** Returns undefined when the body is not valid JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The response to a paid call without a valid token: 401 with the URL of the metadata (RFC 9728), where OAuth clients start their sign-in.
 * The body is a JSON-RPC error, with the refusal as over HTTP in `data`.
 */
function refuse(
  c: Call,
  message: Readonly<Record<string, unknown>>,
  { status, headers, body }: Reply,
): Response {
  if (typeof body.code === 'string') c.get('entry').code = body.code;
  const fields = new Headers(storefrontHeaders);
  for (const [name, value] of Object.entries(headers))
    if (name === 'www-authenticate')
      fields.set(name, String(value).replace(`${path.protectedResource}"`, `${path.protectedMcp}"`));
  const id = typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null;
  const fault = { code: unauthorized, message: String(body.message), data: { status, ...body } };
  return Response.json({ jsonrpc: '2.0', id, error: fault }, { status, headers: fields });
}

function faulty(code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status: 400 });
}
