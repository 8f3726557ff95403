import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  originValidationResponse,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import type * as Match from '../../catalog/match.ts';
import { path } from '../../discovery/directory.ts';
import type * as Quote from '../../journeys/quote.ts';
import type { Shop } from '../../journeys/shop.ts';
import type { AddressLimit } from '../address-limit.ts';
import { bytes, type Call, type Env, requestId, send } from '../edge.ts';
import * as Fault from '../fault.ts';
import type { Arguments } from '../mcp/arguments.ts';
import { type Exchange, told } from '../mcp/tool.ts';
import { isObject } from '../mcp/tool-schema.ts';
import * as Toolbox from '../mcp/toolbox.ts';

const listedMax = 50;
const parseError = -32_700;
const invalidRequest = -32_600;
const invalidParams = -32_602;
const localNames = ['localhost', '127.0.0.1', '[::1]'];

type Edge = {
  ask: Quote.Ask;
  matcher: Match.Matcher;
  addressLimit: AddressLimit;
  clientAddressHeader: string | null;
  fault: (fault: unknown, requestId: string) => void;
};

/**
 * What is sold, as tools: MCP over streamable HTTP, of its revisions with a handshake and without. Nothing is kept between
 * two requests, so any process answers any of them; each is answered by one JSON body.
 */
export function routes(shop: Shop, edge: Edge): Hono<Env> {
  const app = new Hono<Env>();
  const tools = Toolbox.of(shop, edge.ask, edge.matcher, edge.clientAddressHeader);
  const { hostname } = new URL(shop.publicUrl);
  // A page of another site must not speak to a shop on its reader's machine; a browser says where a page is from.
  const origins = localNames.includes(hostname) ? localNames : [hostname];
  const exchanges = new WeakMap<Request, Exchange>();
  const open = (request: Request) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) throw new Error('no exchange of this request is under way');
    return server(tools, exchange, edge.fault);
  };
  const modern = createMcpHandler(({ requestInfo }) => open(requestInfo as Request), {
    legacy: 'reject',
    // The tools change with a new start alone: there is nothing to listen for.
    maxSubscriptions: 0,
  });

  app.post(path.mcp, async (c) => {
    const request = new Request(c.req.url, { method: 'POST', headers: c.req.raw.headers });
    const stranger = originValidationResponse(request, origins);
    if (stranger !== undefined) return stranger;
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const message = parse(body);
    if (message === undefined) return faulty(parseError, 'Parse error: the body is not valid JSON.');
    // Many calls in one request would be paid for all at once and answered all or none.
    if (!isObject(message)) return faulty(invalidRequest, 'One message a request: no batches.');
    const limited = isPaid(tools, message) ? null : edge.addressLimit(c);
    if (limited !== null) return send(c, limited);
    const isLegacy = await isLegacyRequest(request, message);
    const exchange = begin(shop, c, !isLegacy);
    exchanges.set(request, exchange);
    const options = { parsedBody: message };
    return settle(
      exchange,
      isLegacy ? legacy(open(request), request, options) : modern.fetch(request, options),
    );
  });
  return app;
}

function begin(shop: Shop, c: Call, isModern: boolean): Exchange {
  const { outgoing } = c.env;
  return { shop, c, requestId: requestId(c), isModern, answered: [], hasLeft: () => outgoing.destroyed };
}

/** A request of a revision with a handshake, by itself: the handshake leaves nothing behind that the next one needs. */
async function legacy(
  product: Server,
  request: Request,
  options: { parsedBody: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await product.connect(transport);
  const response = await transport.handleRequest(request, options);
  await product.close();
  return response;
}

/** What was charged is delivered as its answer goes out, and given back where it does not. */
async function settle(exchange: Exchange, serving: Promise<Response>): Promise<Response> {
  try {
    const response = await serving;
    // Not before all of it is out of our hands: what we still hold dies with us.
    if (response.ok && !exchange.hasLeft())
      for (const paid of exchange.answered.splice(0)) exchange.c.env.outgoing.once('close', paid.delivered);
    response.headers.set('cache-control', 'no-store');
    response.headers.set('storefront-origin', 'storefront');
    return response;
  } finally {
    giveBack(exchange);
  }
}

/** Undoes what was charged and will not go out; what is kept under a key is given again instead. */
function giveBack({ answered }: Exchange): void {
  for (const paid of answered.splice(0)) paid.kept === null ? paid.brokenOff() : paid.delivered();
}

function server(tools: Toolbox.Toolbox, exchange: Exchange, report: Edge['fault']): Server {
  const { storefront } = exchange.shop.catalog;
  const product = new Server(
    { name: storefront.name, version: '1.0.0', websiteUrl: exchange.shop.publicUrl },
    { capabilities: { tools: {} }, instructions: instructions(storefront) },
  );
  const all = [...tools.values()].map(({ listed }) => listed);
  product.setRequestHandler('tools/list', ({ params }) => {
    const from = params?.cursor === undefined ? 0 : Number(params.cursor);
    if (!Number.isInteger(from) || from < 0 || from > all.length)
      throw new ProtocolError(invalidParams, 'No such cursor.');
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
      const { structuredContent: said } = result;
      // What a sold tool answers is the upstream's: a code in it is none of ours, and any text may be one.
      if (entry.call === undefined && isObject(said) && typeof said.code === 'string') entry.code = said.code;
      return result;
    } catch (fault) {
      giveBack(exchange);
      if (fault instanceof ProtocolError) throw fault;
      report(fault, exchange.requestId);
      return told(Fault.reply(fault, exchange.requestId));
    }
  });
  return product;
}

function instructions({ name, description }: Shop['catalog']['storefront']): string {
  return `${name}: ${description} Ask shop_guide first: it is free and says which tools reach a goal, with their arguments and their cost. Paid tools take an access token as \`Authorization: Bearer\`: shop_register gives one, with free units; shop_purchase buys credit. Errors and empty answers cost nothing.`;
}

function isPaid(tools: Toolbox.Toolbox, { method, params }: Readonly<Record<string, unknown>>): boolean {
  const name = method === 'tools/call' && isObject(params) ? params.name : undefined;
  return typeof name === 'string' && (tools.get(name)?.isSold ?? false);
}

/** Undefined where it is no JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function faulty(code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status: 400 });
}
