import type { ContentBlock } from '@modelcontextprotocol/server';
import type { CallerContext } from '../../journeys/identification.ts';
import * as Usage from '../../journeys/usage.ts';
import type { LedgerContext } from '../../ledger/ledger-context.ts';
import type { StoredResult } from '../../ledger/stored-results.ts';
import * as Headers from '../../proxy/headers.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, type Reply, unprocessable } from '../reply.ts';
import { caller, unidentified } from '../request-context.ts';
import type { ArgumentFault, Arguments } from './arguments.ts';
import * as ResultView from './result-view.ts';
import type { StoredCall } from './sold-call.ts';
import { type Exchange, metaOf, type Tool, type ToolContent, toolResult } from './tool.ts';

export const name = 'read_result';
export const scheme = 'result://';
const textBytesMax = 4 * 1024 * 1024;
const fieldsMax = 100;
/** The first revision of MCP whose results may link to resources. */
const linksSince = '2025-06-18';

/** The arguments that choose the part of a result that is returned. */
export const viewProperties = {
  fields: {
    type: 'array',
    items: { type: 'string' },
    description:
      'The fields to return, such as ["name", "employer.name"]: names of members of the items, or JSON Pointers from the response ("/results/name").',
  },
  max_bytes: {
    type: 'integer',
    minimum: ResultView.leastBytes,
    description: `Maximum size of the text. Default: ${ResultView.defaultBytesMax}.`,
  },
};

type ResultContext = CallerContext & Pick<LedgerContext, 'storedResults'> & TextsContext;

/** The tool that returns parts of stored results. */
export function resultTool(shop: ResultContext): Tool {
  return {
    isSold: false,
    listing: 'short',
    listed: {
      name,
      title: 'Read more of a result',
      description:
        'Free. Returns further items or other fields of a result that call_operation cut, for at least 24 hours after its call.',
      inputSchema: {
        type: 'object',
        properties: {
          call: { type: 'string', description: 'The id of the call, "call_...".' },
          from: { type: 'integer', minimum: 0, description: 'Position of the first item. Default: 0.' },
          ...viewProperties,
        },
        required: ['call'],
        additionalProperties: false,
      },
      annotations: { title: 'Read more of a result', readOnlyHint: true, openWorldHint: false },
    },
    call: async (exchange, { call, ...wanted }) => {
      const view = readView(wanted);
      if ('faults' in view) return toolResult(unprocessable(shop.texts, view.faults, exchange.requestId));
      const found = await read(shop, exchange, String(call ?? ''));
      if (!('callId' in found)) return toolResult(found);
      const { callId, status, headers, body } = found;
      const bytes = { body, type: Headers.first(headers, 'content-type') ?? '' };
      const stored = { callId, keep: async () => true };
      return { ...(await shown(exchange, view, status, bytes, stored)), _meta: metaOf(status, headers) };
    },
  };
}

/** Reads the stored result of a call of the caller's account. */
export async function read(
  shop: ResultContext,
  { c, requestId }: Pick<Exchange, 'c' | 'requestId'>,
  call: string,
): Promise<StoredResult | Reply> {
  const known = await caller(shop, c, 'MCP result');
  if (known.kind === 'refused') return known.reply;
  if (known.kind === 'absent') return unidentified(shop, c, { kind: 'absent' });
  const callId = Usage.readCallId(call);
  const found = callId === null ? null : await shop.storedResults.read(known.account, callId);
  if (found === null) {
    const message =
      'No result of this call is stored for your account. Results are stored when call_operation cuts them, for at least 24 hours.';
    return error(404, 'not_found', message, requestId);
  }
  const { key } = known;
  if (key?.services && !key.services.includes(found.service)) {
    const message = shop.texts.text('api.key_not_allowed');
    return error(403, 'key_not_allowed', message, requestId, { key: key.id, services: key.services });
  }
  return found;
}

/** Reads the arguments that choose a part. */
export function readView({
  fields,
  from,
  max_bytes,
  ...rest
}: Arguments): ResultView.View | { faults: ArgumentFault[] } {
  const faults: ArgumentFault[] = Object.keys(rest).map((field) => ({ field, message: 'No such argument' }));
  const isList =
    Array.isArray(fields) && fields.every((it) => typeof it === 'string') && fields.length <= fieldsMax;
  if (fields !== undefined && !isList)
    faults.push({ field: 'fields', message: `A list of at most ${fieldsMax} texts` });
  const isWhole = (value: unknown, least: number) =>
    value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= least);
  if (!isWhole(from, 0)) faults.push({ field: 'from', message: 'An integer of at least 0' });
  if (!isWhole(max_bytes, ResultView.leastBytes))
    faults.push({ field: 'max_bytes', message: `An integer of at least ${ResultView.leastBytes}` });
  if (faults.length > 0) return { faults };
  return {
    fields: isList ? (fields as string[]) : [],
    from: typeof from === 'number' ? from : 0,
    bytesMax: Math.min(typeof max_bytes === 'number' ? max_bytes : ResultView.defaultBytesMax, textBytesMax),
  };
}

/**
 * Returns the wanted part of a response as text. The whole response is stored first; if that is impossible, it is not cut. The text is not
 * repeated as structured content, which would double what a model has to read.
 */
export async function shown(
  exchange: Exchange,
  view: ResultView.View,
  status: number,
  { body, type }: { body: Buffer; type: string },
  stored: StoredCall,
): Promise<ToolContent> {
  const value = /json/.test(type) ? parsed(body) : undefined;
  const isPlain = view.fields.length === 0 && view.from === 0 && body.length <= view.bytesMax;
  if (value === undefined) return { content: [plain(body, type)] };
  if (isPlain || status >= 400) return { content: [{ type: 'text', text: body.toString() }] };
  const isStored = await stored.keep();
  const part = ResultView.part(value, view, isStored);
  const content: ContentBlock[] = [{ type: 'text', text: part.text }];
  const note = noteOf(part, view, stored.callId, isStored);
  if (note !== '') content.push({ type: 'text', text: note });
  if (isStored && takesLinks(exchange)) content.push(linkOf(stored.callId, body.length));
  return { content };
}

function noteOf(
  part: ResultView.ShownPart,
  view: ResultView.View,
  callId: string,
  isStored: boolean,
): string {
  const { nextFrom, shown: count, items, unknown } = part;
  const call = { call: `call_${callId}`, ...(view.fields.length > 0 && { fields: view.fields }) };
  const first = nextFrom === null ? 0 : nextFrom - count;
  return [
    ...(nextFrom === null
      ? []
      : [
          `Items ${first + 1} to ${first + count} of ${items}. Read the rest at no charge: ${name} with ${JSON.stringify({ ...call, from: nextFrom })}.`,
        ]),
    ...(nextFrom === null && isStored
      ? [`The complete result can be read at no charge with ${name}: ${JSON.stringify({ call: call.call })}.`]
      : []),
    ...(isStored || Buffer.byteLength(part.text) <= view.bytesMax
      ? []
      : [
          'This result could not be stored, so it is complete. For less, use `fields`, or ask for fewer results.',
        ]),
    ...(unknown.length > 0 ? [`The result has no such fields: ${unknown.join('; ')}.`] : []),
  ].join(' ');
}

function takesLinks({ c, isModern }: Exchange): boolean {
  return isModern || (c.req.header('mcp-protocol-version') ?? '') >= linksSince;
}

function linkOf(callId: string, size: number): ContentBlock {
  return {
    type: 'resource_link',
    uri: `${scheme}call_${callId}`,
    name: 'The complete result',
    mimeType: 'application/json',
    description: 'The complete result of this call. Reading it is free for the account that made the call.',
    size,
  };
}

function plain(body: Buffer, type: string): ContentBlock {
  if (/json|^text\/|xml|^$/.test(type)) return { type: 'text', text: body.toString() };
  const data = body.toString('base64');
  return type.startsWith('image/')
    ? { type: 'image', data, mimeType: type }
    : { type: 'resource', resource: { uri: 'response:body', mimeType: type, blob: data } };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
