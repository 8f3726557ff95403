import { hint } from '@sluice/kernel/did-you-mean';
import { operationKey } from '@sluice/kernel/operation-key';
import type { DiscoveryContext } from '../../discovery/discovery-context.ts';
import * as OperationSearch from '../../discovery/operation-search.ts';
import { error, json, type Reply, unprocessable } from '../reply.ts';
import type { ArgumentFault, Arguments } from './arguments.ts';
import * as ResultTool from './result-tool.ts';
import type * as SoldCall from './sold-call.ts';
import type { SoldTool } from './sold-tool.ts';
import { type Exchange, type Tool, toolResult } from './tool.ts';
import { isObject, type Schema } from './tool-schema.ts';

/** Number of operations that a search describes; further ones are named only. */
const describedMax = 5;
const namedMax = 40;
const briefCharsMax = 240;
const responseFieldsMax = 80;

/** The dependencies of the tools that find and call operations. */
export type SearchToolsContext = SoldCall.SoldCallContext & Pick<DiscoveryContext, 'reference'>;

export const names = ['search_operations', 'call_operation', ResultTool.name];

/** Three tools in place of one for each operation: find an operation, call it, and read more of its result. */
export function searchTools(shop: SearchToolsContext, sold: readonly SoldTool[]): Tool[] {
  return [search(shop, sold), call(shop, sold), ResultTool.resultTool(shop)];
}

function search(shop: SearchToolsContext, sold: readonly SoldTool[]): Tool {
  return {
    isSold: false,
    listing: 'short',
    listed: {
      name: 'search_operations',
      title: 'Find operations',
      description:
        'Free. Finds operations by words, with their price, the most that one call can cost, and their required arguments. With `operation`, returns the complete schema of its arguments, and the fields of its result. Make a call with call_operation.',
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            minLength: 1,
            maxLength: 400,
            description: 'Words, such as "jobs of a company".',
          },
          operation: { type: 'string', description: 'The name of an operation to describe completely.' },
        },
        additionalProperties: false,
      },
      annotations: { title: 'Find operations', readOnlyHint: true, openWorldHint: false },
    },
    call: async ({ requestId }, args) => {
      const { query, operation } = args;
      if (typeof operation === 'string') {
        const found = find(sold, operation);
        return toolResult(
          found === null
            ? unknown(sold, operation, requestId)
            : json(200, { success: true, ...whole(found) }),
        );
      }
      if (typeof query !== 'string' || query.trim() === '')
        return toolResult(
          unprocessable(
            shop.texts,
            [{ field: 'query', message: 'Required: words to search for' }],
            requestId,
          ),
        );
      return toolResult(json(200, { success: true, ...matches(shop, sold, query) }));
    },
  };
}

/** The operations that match, best first. Without a match, all are named. */
function matches({ reference }: SearchToolsContext, sold: readonly SoldTool[], query: string) {
  const byKey = new Map(sold.map((it) => [operationKey(it.operation.method, it.operation.path), it]));
  const found = OperationSearch.find(reference.finder, query).flatMap((at) => {
    const entry = reference.entries[at];
    const tool = entry && byKey.get(operationKey(entry.method, entry.path));
    return tool ? [tool] : [];
  });
  const others = (found.length > 0 ? found.slice(describedMax) : sold).slice(0, namedMax);
  return {
    operations: found.slice(0, describedMax).map(brief),
    ...(others.length > 0 && { others: others.map(({ listed }) => listed.name) }),
    next: 'Call search_operations with {"operation": <name>} for the schema of its arguments, then call_operation.',
  };
}

function brief({ listed, price, maxCostUsd }: SoldTool): Schema {
  const { description = '', inputSchema } = listed;
  const { storefront: _options, ...properties } = inputSchema.properties ?? {};
  const required = inputSchema.required ?? [];
  return {
    operation: listed.name,
    title: listed.title,
    description: description.slice(0, briefCharsMax),
    price,
    max_cost_usd: maxCostUsd,
    required,
    optional: Object.keys(properties).filter((name) => !required.includes(name)),
  };
}

function whole(tool: SoldTool): Schema {
  const { storefront: _options, ...properties } = tool.listed.inputSchema.properties ?? {};
  return {
    operation: tool.listed.name,
    title: tool.listed.title,
    description: tool.listed.description,
    price: tool.price,
    max_cost_usd: tool.maxCostUsd,
    arguments: { ...tool.listed.inputSchema, properties },
    result_fields: resultFields(tool),
  };
}

/** The names that `fields` can have: members of the items of a list, or of the response itself. */
function resultFields({ listed }: SoldTool): string[] {
  const { anyOf, $defs } = (listed.outputSchema ?? {}) as Schema;
  const read = (schema: unknown): Schema => {
    if (!isObject(schema)) return {};
    const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : null;
    const named = name !== null && isObject($defs) ? $defs[name] : schema;
    return isObject(named) ? named : {};
  };
  const properties = (schema: Schema) => (isObject(schema.properties) ? schema.properties : {});
  const names = (schema: Schema): string[] =>
    Object.entries(properties(schema)).flatMap(([name, member]) => [
      name,
      ...Object.keys(properties(choice(read(member), read))).map((below) => `${name}.${below}`),
    ]);
  const whole = read(Array.isArray(anyOf) ? anyOf[0] : {});
  const list = Object.values(properties(whole))
    .map((member) => read(read(member).items))
    .find((items) => items.properties !== undefined);
  return names(list ?? whole).slice(0, responseFieldsMax);
}

/** The schema of a value that may be null, or of the items of a list. */
function choice(schema: Schema, read: (schema: unknown) => Schema): Schema {
  if (Array.isArray(schema.anyOf)) {
    const of = schema.anyOf.map(read).find((it) => it.type !== 'null');
    return of === undefined ? schema : choice(of, read);
  }
  return schema.items === undefined ? schema : read(schema.items);
}

function call(shop: SearchToolsContext, sold: readonly SoldTool[]): Tool {
  return {
    isSold: true,
    listing: 'short',
    listed: {
      name: 'call_operation',
      title: 'Call an operation',
      description:
        'Calls an operation that search_operations or shop_guide named, and charges its price. Arguments are checked first; refusals, errors and empty results are free. A long result is cut between its items; read_result returns the rest at no charge.',
      inputSchema: {
        type: 'object',
        properties: {
          operation: { type: 'string', description: 'Its name.' },
          arguments: { type: 'object', description: 'Its arguments, by the schema from search_operations.' },
          max_cost_usd: {
            type: 'string',
            description: 'Refuses the call if it could cost more, such as "0.010".',
          },
          idempotency_key: {
            type: 'string',
            minLength: 1,
            maxLength: 255,
            description:
              'Repetitions with the same key and arguments return the first response and are charged once.',
          },
          receipt: { type: 'boolean', description: 'True to return a signed receipt.' },
          ...ResultTool.viewProperties,
        },
        required: ['operation'],
        additionalProperties: false,
      },
      annotations: { title: 'Call an operation', destructiveHint: false, openWorldHint: true },
    },
    call: (exchange, args) => callFound(shop, sold, exchange, args),
  };
}

async function callFound(
  shop: SearchToolsContext,
  sold: readonly SoldTool[],
  exchange: Exchange,
  { operation, arguments: given = {}, fields, max_bytes, ...options }: Arguments,
) {
  const { c, requestId } = exchange;
  const name = String(operation ?? '');
  const tool = find(sold, name);
  if (tool === null) return toolResult(unknown(sold, name, requestId));
  c.get('entry').tool = tool.listed.name;
  const view = ResultTool.readView({ fields, max_bytes });
  const faults = [
    ...('faults' in view ? view.faults : []),
    ...strangers(options),
    ...argumentFaults(tool, given),
  ];
  if (faults.length > 0 || 'faults' in view)
    return toolResult(
      unprocessable(shop.texts, faults, requestId),
      `Nothing was charged. search_operations with {"operation": ${JSON.stringify(tool.listed.name)}} returns the schema.`,
    );
  const args = { ...(given as Arguments), storefront: options };
  return tool.callWith(exchange, args, (status, bytes, stored) =>
    ResultTool.shown(exchange, view, status, bytes, stored),
  );
}

function argumentFaults(tool: SoldTool, given: unknown): ArgumentFault[] {
  if (!isObject(given)) return [{ field: 'arguments', message: 'Must be an object' }];
  if ('storefront' in given)
    return [
      { field: 'arguments.storefront', message: 'Options of the call are arguments of call_operation' },
    ];
  return tool.check(given).map(({ field, message }) => ({ field: `arguments.${field}`, message }));
}

const optionNames = ['max_cost_usd', 'idempotency_key', 'receipt'];

function strangers(options: Arguments) {
  const allowed = ['operation', 'arguments', ...optionNames, ...Object.keys(ResultTool.viewProperties)];
  return Object.keys(options)
    .filter((name) => !optionNames.includes(name))
    .map((name) => ({
      field: name.slice(0, 64),
      message: `No such argument: arguments of the operation belong into \`arguments\`. ${hint(name, allowed, 'Arguments')}`,
    }));
}

/** Finds an operation by the name of its tool, or by its method and path. */
function find(sold: readonly SoldTool[], name: string): SoldTool | null {
  return sold.find(({ listed, operation }) => listed.name === name || operation.id === name) ?? null;
}

/** Describes an operation completely; null if there is none of this name. */
export function describe(tools: readonly Tool[], name: string): Schema | null {
  const found = find(tools.filter(isSoldTool), name);
  return found === null ? null : whole(found);
}

function isSoldTool(tool: Tool): tool is SoldTool {
  return 'operation' in tool;
}

function unknown(sold: readonly SoldTool[], name: string, requestId: string): Reply {
  const known = sold.map(({ listed }) => listed.name);
  const message = `There is no operation ${JSON.stringify(name.slice(0, 64))}. Find operations with search_operations. ${hint(name, known, 'Operations')}`;
  return error(404, 'not_found', message, requestId);
}
