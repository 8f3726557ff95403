import * as Schema from '@sluice/kernel/json-schema';
import type { FoundOperation } from './found-operation.ts';
import type { PriceRow } from './price-file.ts';

/** The meters of an operation whose response states what was used. Operations with equal `meters` and `priceBy` share a service. */
export type UsageDraft = {
  meters: Readonly<Record<string, object>>;
  /** Meters that every price must have; the others may be a part of another one. */
  priced: readonly string[];
  priceBy: string | null;
  max: Readonly<Record<string, unknown>>;
  stream: object | null;
  doubts: readonly string[];
};

type Field = { pointer: string; schema: Schema.Node };

const usageNames = ['usage', 'usageMetadata', 'usage_metadata'];
const inputNames = ['prompt_tokens', 'input_tokens', 'promptTokenCount', 'promptTokens', 'inputTokens'];
const outputNames = [
  'completion_tokens',
  'output_tokens',
  'candidatesTokenCount',
  'completionTokens',
  'outputTokens',
];
const totalNames = ['total_tokens', 'totalTokens', 'totalTokenCount'];
const thinkingNames = ['thoughtsTokenCount'];
const costNames = ['cost', 'cost_usd', 'total_cost', 'total_cost_usd'];
const detailNames = ['prompt_tokens_details', 'input_tokens_details', 'promptTokensDetails'];
const outputLimits = [
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'maxOutputTokens',
  'max_new_tokens',
];
const creditHeader = /^x-(?:[a-z]+-)*(?:credits?|units|cost)-(?:used|charged|consumed)$/i;

const defaultAssumed = 4_096;
const ceilingAssumed = 128_000;
const unlimitedAssumed = 16_384;
const timesAssumed = 8;
const creditsAssumed = 100;
const costAssumed = '1.00';
const markupAssumed = '30%';

/**
 * Drafts meters from the token counts, the cost or the credits that the responses of an operation describe; null when they describe none.
 * Only requests that make something are metered: a GET that shows an earlier response must not cost its tokens again.
 */
export function draftUsage(read: Schema.Reader, found: FoundOperation): UsageDraft | null {
  const request = jsonSchema(read, found.operation.requestBody);
  if (found.method !== 'POST' || request === null) return creditsOf(read, found);
  const usage = usageOf(read, found.operation);
  if (usage === null) return creditsOf(read, found);
  const priceBy = priceByOf(request, found);
  const tokens = tokenMeters(read, usage);
  if (tokens !== null && priceBy !== null) {
    const { max, doubts } = maxima(read, request, Object.keys(tokens.meters));
    return { ...tokens, priceBy, max, stream: streamOf(found, request, tokens.meters), doubts };
  }
  return tokens === null ? costOf(read, usage) : null;
}

/** Returns the prices of a service from a price list, or null when no line has all of its meters. */
export function pricesOf(
  { priced, priceBy, meters }: UsageDraft,
  rows: readonly PriceRow[],
): Record<string, object> | null {
  const complete = rows.filter(
    ({ usd, key }) =>
      priced.every((meter) => usd[meter] !== undefined) && (priceBy !== null || key === 'default'),
  );
  // A model with an output is no model for embeddings, where the list has others.
  const exact = complete.filter(({ usd }) =>
    ['input', 'output'].every((meter) => usd[meter] === undefined || meters[meter] !== undefined),
  );
  const fit = exact.length > 0 ? exact : complete;
  const entries = fit.map(({ key, per, usd }) => {
    const amounts = Object.keys(meters).map((meter) => [meter, usd[meter] ?? usd[fallbackOf(meter)] ?? '0']);
    return [key, { per, ...Object.fromEntries(amounts) }];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Returns the meter whose price a meter has that the price list does not name. */
function fallbackOf(meter: string): string {
  return meter === 'thinking' ? 'output' : 'input';
}

function tokenMeters(read: Schema.Reader, usage: Field): Pick<UsageDraft, 'meters' | 'priced'> | null {
  const input = member(read, usage, inputNames);
  const output = member(read, usage, outputNames);
  const total = member(read, usage, totalNames);
  if (input === null && output === null)
    return total === null ? null : { meters: { input: meter('token', total) }, priced: ['input'] };
  const meters: Record<string, object> = {};
  if (input !== null) meters.input = meter('input token', input);
  const details = member(read, usage, detailNames);
  const within = details === null ? null : member(read, details, ['cached_tokens', 'cachedTokens']);
  const cached = within ?? member(read, usage, ['cachedContentTokenCount']);
  if (cached !== null && input !== null)
    meters.cached_input = { ...meter('cached input token', cached), part_of: 'input' };
  const written = member(read, usage, ['cache_creation_input_tokens']);
  const again = member(read, usage, ['cache_read_input_tokens']);
  if (written !== null) meters.cache_write = { ...meter('cache write token', written), optional: true };
  if (again !== null) meters.cached_input = { ...meter('cached input token', again), optional: true };
  if (output !== null) meters.output = meter('output token', output);
  const thinking = member(read, usage, thinkingNames);
  if (thinking !== null) meters.thinking = { ...meter('thinking token', thinking), optional: true };
  return { meters, priced: ['input', 'output'].filter((name) => meters[name] !== undefined) };
}

function meter(unit: string, { pointer }: Field): { unit: string; count: string } {
  return { unit, count: pointer };
}

/** The upstream's own price of a call, plus a markup. */
function costOf(read: Schema.Reader, usage: Field): UsageDraft | null {
  const cost = member(read, usage, costNames);
  if (cost === null || !/usd|dollar|\$/i.test(`${Schema.text(cost.schema.description)} ${cost.pointer}`))
    return null;
  const count = { cost: { pointer: cost.pointer, unit: 'usd', markup: markupAssumed } };
  return {
    meters: { cost: { unit: 'usd', count } },
    priced: [],
    priceBy: null,
    max: { cost: { usd: costAssumed } },
    stream: null,
    doubts: [
      `the API's own price plus ${markupAssumed} is charged; at most ${costAssumed} USD in one call is assumed`,
    ],
  };
}

/** Credits that a response header states. */
function creditsOf(read: Schema.Reader, { operation }: FoundOperation): UsageDraft | null {
  const headers = Object.keys(Schema.node(success(read, operation).headers));
  const name = headers.find((header) => creditHeader.test(header));
  if (name === undefined) return null;
  return {
    meters: { credits: { unit: 'credit', count: { header: name } } },
    priced: ['credits'],
    priceBy: null,
    max: { credits: creditsAssumed },
    stream: null,
    doubts: [`at most ${creditsAssumed} credits in one call are assumed`],
  };
}

function maxima(
  read: Schema.Reader,
  request: Schema.Node,
  meters: readonly string[],
): Pick<UsageDraft, 'max' | 'doubts'> {
  const max: Record<string, unknown> = {};
  for (const name of ['input', 'cache_write', 'cached_input'])
    if (meters.includes(name) && (name !== 'cached_input' || meters.includes('cache_write')))
      max[name] = { bytes: 1 };
  if (!meters.includes('output')) return { max, doubts: [] };
  const nested = Object.entries(Schema.node(request.properties)).flatMap(([name, value]) =>
    Object.keys(Schema.node(read(value).properties)).length > 0
      ? [{ pointer: `/${name}`, schema: read(value) }]
      : [],
  );
  const limits = [{ pointer: '', schema: request }, ...nested]
    .map((field) => outputLimits.flatMap((name) => member(read, field, [name]) ?? []))
    .find((fields) => fields.length > 0);
  if (meters.includes('thinking')) max.thinking = unlimitedAssumed;
  if (limits === undefined) {
    max.output = unlimitedAssumed;
    return {
      max,
      doubts: [`no limit of the output is described: at most ${unlimitedAssumed} tokens are assumed`],
    };
  }
  const usual = limits.map(({ schema }) => whole(schema.default)).find((value) => value !== null);
  const most = limits.map(({ schema }) => whole(schema.maximum)).find((value) => value !== null);
  const ceiling = Math.max(most ?? ceilingAssumed, usual ?? 0);
  const times = member(read, { pointer: '', schema: request }, ['n']);
  max.output = {
    pointer: limits.length === 1 ? limits[0]?.pointer : limits.map(({ pointer }) => pointer),
    default: usual ?? Math.min(defaultAssumed, ceiling),
    ceiling,
    ...(times && {
      times: {
        pointer: '/n',
        default: 1,
        ceiling: Math.min(whole(times.schema.maximum) ?? timesAssumed, timesAssumed),
      },
    }),
  };
  const doubts =
    usual === undefined || most === undefined
      ? ['the default and the largest output are assumed where they are not described']
      : [];
  return { max, doubts };
}

/** The known forms in which the usage of a stream arrives. */
function streamOf(found: FoundOperation, request: Schema.Node, meters: UsageDraft['meters']): object | null {
  if (/:stream\w+$/.test(found.path))
    return { usage: { at: '/usageMetadata' }, last_at: '/candidates/0/finishReason' };
  const fields = Schema.node(request.properties);
  if (fields.stream === undefined) return null;
  if (fields.stream_options !== undefined && fields.messages !== undefined)
    return {
      when: '/stream',
      usage: { at: '/usage' },
      set: { '/stream_options/include_usage': true },
      hide_usage_unless_asked: true,
    };
  if (meters.cache_write !== undefined)
    return {
      when: '/stream',
      usage: { at: { message_start: '/message/usage', message_delta: '/usage' }, as: '/usage', merge: 'max' },
    };
  if (fields.max_output_tokens !== undefined) {
    const ends = ['response.completed', 'response.incomplete', 'response.failed'];
    return {
      when: '/stream',
      usage: { at: Object.fromEntries(ends.map((name) => [name, '/response/usage'])), as: '/usage' },
    };
  }
  return { when: '/stream', usage: { at: '/usage' } };
}

function priceByOf(request: Schema.Node, { path }: FoundOperation): string | null {
  if (Schema.node(request.properties).model !== undefined) return '/model';
  const parameter = /\/\{(model(?:_?id)?)\}(?:[:/]|$)/i.exec(path)?.[1];
  return parameter === undefined ? null : `path:${parameter}`;
}

/** Returns the object with the usage in a success. An object that may be null is filled in later. */
function usageOf(read: Schema.Reader, operation: Schema.Node): Field | null {
  const schema = jsonSchema(read, success(read, operation));
  for (const name of usageNames) {
    const value = Schema.node(schema?.properties)[name];
    if (value === undefined || mayBeNull(read, value)) continue;
    return { pointer: `/${name}`, schema: read(value) };
  }
  return null;
}

function mayBeNull(read: Schema.Reader, value: unknown): boolean {
  const own = Schema.node(value);
  const choices = [...Schema.list(own.anyOf), ...Schema.list(own.oneOf)].map(read);
  const schema = read(value);
  return (
    schema.nullable === true || Schema.isType(schema, 'null') || choices.some(({ type }) => type === 'null')
  );
}

function member(read: Schema.Reader, { pointer, schema }: Field, names: readonly string[]): Field | null {
  const fields = Schema.node(schema.properties);
  const name = names.find((one) => fields[one] !== undefined);
  return name === undefined ? null : { pointer: `${pointer}/${name}`, schema: read(fields[name]) };
}

function success(read: Schema.Reader, operation: Schema.Node): Schema.Node {
  const responses = Schema.node(operation.responses);
  return read(responses[Object.keys(responses).find((status) => /^2/.test(status)) ?? 'default']);
}

function jsonSchema(read: Schema.Reader, carrier: unknown): Schema.Node | null {
  const content = Schema.node(read(carrier).content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name));
  return type === undefined ? null : read(read(content[type]).schema);
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : null;
}
