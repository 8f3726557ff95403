import type { ContentBlock } from '@modelcontextprotocol/server';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type * as Match from '../../catalog/match.ts';
import type { Operation } from '../../catalog/operation.ts';
import * as Money from '../../kernel/money.ts';
import type * as Arguments from './arguments.ts';
import * as SoldCall from './sold-call.ts';
import * as SoldInput from './sold-input.ts';
import type { Shown, Tool } from './tool.ts';
import * as ToolSchema from './tool-schema.ts';

const descriptionCharsMax = 900;
/** What some clients take of a name. */
const nameCharsMax = 64;

/** A tool, with the form that turns arguments into the request which an advice writes out. */
export type SoldTool = Tool & { operation: Operation; form: Arguments.Form };

/** The tool of a sold operation. @param taken the names that others have */
export function of(
  operation: Operation,
  described: SoldInput.Described | null,
  document: unknown,
  matcher: Match.Matcher,
  taken: ReadonlySet<string>,
): SoldTool {
  const { form, schema } = SoldInput.of(operation, described, document);
  const own = described?.operation ?? {};
  const fits = answer(own, document);
  const name = nameOf(operation, own, taken);
  const title = text(own.summary) || operation.service.name;
  return {
    operation,
    form,
    isSold: true,
    listed: {
      name,
      title,
      description: descriptionOf(operation, own, title),
      inputSchema: schema,
      ...(fits && { outputSchema: fits.schema }),
      annotations: { title, openWorldHint: true, ...(operation.method === 'GET' && { readOnlyHint: true }) },
    },
    call: (exchange, args) =>
      SoldCall.make(exchange, { operation, form, matcher }, args, (status, bytes) =>
        shown(fits?.validate ?? null, status, bytes),
      ),
  };
}

/**
 * The schema of results: an answer as it is described, a refusal, or an answer that the description does not fit, which is
 * wrapped. So whatever was paid for passes the check of a client that holds results against the schema.
 */
function answer(own: ToolSchema.Schema, document: unknown) {
  const responses = ToolSchema.isObject(own.responses) ? own.responses : {};
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? '';
  const json = SoldInput.jsonOf(ToolSchema.deref(document, responses[success]).content);
  if (json === null || !ToolSchema.isObject(json.schema)) return null;
  const { $defs, ...whole } = ToolSchema.standalone(document, json.schema, 'answer');
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
    return { schema, validate: new Ajv2020({ strict: false, logger: false }).compile(schema) };
  } catch {
    // A description that is no JSON Schema stops nobody from selling what it describes.
    return null;
  }
}

/** An answer as content: text as text, and what is JSON as data too. */
function shown(
  validate: ValidateFunction | null,
  status: number,
  bytes: { body: Buffer; type: string },
): Shown {
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
    : { type: 'resource', resource: { uri: 'answer:body', mimeType, blob: data } };
}

function descriptionOf({ service, unitsMax }: Operation, own: ToolSchema.Schema, title: string): string {
  const said = (text(own.description) || service.description).replace(/\s+/g, ' ').trim();
  const most = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  const cost =
    service.price === 0
      ? 'Free.'
      : `Price: ${Money.format(service.price)} USD for each ${service.unit}, at most ${Money.format(Money.times(service.price, most))} USD a call; nothing found costs nothing.`;
  const about = `${title}. ${said}`.slice(0, descriptionCharsMax);
  return `${about} ${cost}`;
}

function nameOf({ method, path }: Operation, own: ToolSchema.Schema, taken: ReadonlySet<string>): string {
  const said = text(own.operationId) || `${method}_${path}`;
  const plain = said
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
