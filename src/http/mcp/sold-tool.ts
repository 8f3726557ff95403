import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as Money from '@sluice/kernel/money';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type * as Match from '../../catalog/match.ts';
import type { Operation } from '../../catalog/operation.ts';
import * as PriceWords from '../../catalog/price-words.ts';
import * as WorstCase from '../../proxy/worst-case.ts';
import * as ArgumentCheck from './argument-check.ts';
import type * as Arguments from './arguments.ts';
import * as SoldCall from './sold-call.ts';
import * as SoldInput from './sold-input.ts';
import type { Exchange, Tool, ToolContent } from './tool.ts';
import * as ToolSchema from './tool-schema.ts';

/** Shared by all tools, because each new instance compiles the JSON Schema meta-schema. */
const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false, code: { optimize: false } });
const descriptionCharsMax = 900;
/** Maximum length of a name that all clients accept. */
const nameCharsMax = 64;

/** A tool with the form that turns arguments into a request. */
export type SoldTool = Tool & {
  operation: Operation;
  form: Arguments.ArgumentForm;
  /** The price in words, and the most that one call can cost. */
  price: string;
  maxCostUsd: string;
  check: ArgumentCheck.ArgumentCheck;
  /** Calls the operation, and has its response shown by `show`. */
  callWith(exchange: Exchange, args: Arguments.Arguments, show: SoldCall.Show): Promise<CallToolResult>;
};

/** The tool of a sold operation. @param taken the names of other tools */
export function soldTool(
  shop: SoldCall.SoldCallContext,
  operation: Operation,
  described: SoldInput.DescribedOperation | null,
  document: unknown,
  matcher: Match.Matcher,
  taken: ReadonlySet<string>,
): SoldTool {
  const { form, schema } = SoldInput.inputOf(operation, described, document);
  const own = described?.operation ?? {};
  const fits = outputOf(own, document);
  const name = nameOf(operation, own, taken);
  const title = text(own.summary) || operation.service.name;
  const callWith: SoldTool['callWith'] = (exchange, args, show) =>
    SoldCall.callSoldTool(shop, exchange, { operation, form, matcher }, args, show);
  return {
    operation,
    form,
    isSold: true,
    listing: 'all',
    price: PriceWords.callInWords(operation),
    maxCostUsd: PriceWords.isFreeCall(operation) ? '0' : mostOf(operation),
    // Unlike the listed schema, this one accepts null for optional values, as the operation does.
    check: ArgumentCheck.argumentCheck(
      () => SoldInput.inputOf(operation, described, document, 'response').schema,
    ),
    callWith,
    listed: {
      name,
      title,
      description: descriptionOf(operation, own, title),
      inputSchema: schema,
      ...(fits && { outputSchema: fits.schema }),
      annotations: { title, openWorldHint: true, ...(operation.method === 'GET' && { readOnlyHint: true }) },
    },
    call: (exchange, args) =>
      callWith(exchange, args, (status, bytes) => shown(fits?.validate ?? null, status, bytes)),
  };
}

/**
 * The schema of results: a response as described, a refusal, or a response that does not match the description, which is wrapped. So every
 * paid response passes the validation of a client that checks results against the schema.
 */
function outputOf(own: ToolSchema.Schema, document: unknown) {
  const responses = ToolSchema.isObject(own.responses) ? own.responses : {};
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? '';
  const json = SoldInput.jsonOf(ToolSchema.deref(document, responses[success]).content);
  if (json === null || !ToolSchema.isObject(json.schema)) return null;
  const { $defs, ...whole } = ToolSchema.standalone(document, json.schema, 'response');
  const schema = {
    type: 'object' as const,
    anyOf: [
      whole,
      {
        properties: { success: { const: false }, message: { type: 'string' } },
        required: ['success', 'message'],
      },
      { properties: { undescribed: {} }, required: ['undescribed'] },
    ],
    ...($defs !== undefined && { $defs }),
  };
  try {
    return { schema, validate: ajv.compile(schema) };
  } catch {
    // An operation can be sold even if its description is not valid JSON Schema.
    return null;
  }
}

/** A response as content: text as text, JSON also as structured data. */
function shown(
  validate: ValidateFunction | null,
  status: number,
  bytes: { body: Buffer; type: string },
): ToolContent {
  const { body, type } = bytes;
  const isText = /json|^text\/|xml|^$/.test(type);
  const content = [isText ? { type: 'text' as const, text: body.toString() } : blob(body, type)];
  const value = /json/.test(type) ? parsed(body.toString()) : undefined;
  if (value === undefined && (validate === null || status >= 400)) return { content };
  const isFitting = ToolSchema.isObject(value) && (validate === null || validate(value));
  return { content, structuredContent: isFitting ? { ...value } : { undescribed: value ?? type } };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function blob(body: Buffer, mimeType: string): ContentBlock {
  const data = body.toString('base64');
  return mimeType.startsWith('image/')
    ? { type: 'image', data, mimeType }
    : { type: 'resource', resource: { uri: 'response:body', mimeType, blob: data } };
}

function descriptionOf(operation: Operation, own: ToolSchema.Schema, title: string): string {
  const { service } = operation;
  const described = (text(own.description) || service.description).replace(/\s+/g, ' ').trim();
  const cost = PriceWords.isFreeCall(operation)
    ? 'Free.'
    : service.metering !== undefined
      ? `Price: ${PriceWords.priceInWords(service)}; at most ${mostOf(operation)} USD per call.`
      : `Price: ${Money.format(service.price)} USD per ${service.unit}, at most ${mostOf(operation)} USD per call. Empty responses are free.`;
  const about = `${title}. ${described}`.slice(0, descriptionCharsMax);
  return `${about} ${cost}`;
}

/** The most that one call can cost, in USD. */
function mostOf({ service, unitsMax }: Operation): string {
  return Money.format(Money.times(service.price, WorstCase.ceiling(unitsMax)));
}

function nameOf({ method, path }: Operation, own: ToolSchema.Schema, taken: ReadonlySet<string>): string {
  const plain = (text(own.operationId) || `${method}_${path}`)
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, nameCharsMax);
  let name = plain;
  for (let next = 2; taken.has(name); next++) name = `${plain.slice(0, nameCharsMax - 4)}_${next}`;
  return name;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
