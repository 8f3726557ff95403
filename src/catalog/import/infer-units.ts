import * as Schema from '@sluice/kernel/json-schema';
import * as DescribedLimit from './described-limit.ts';
import type { FoundOperation } from './found-operation.ts';
import { bodySchema, contentOf, type ResultList } from './result-list.ts';

/**
 * Counting rule for the results of an operation, taken from an OpenAPI description: the list in the response, and the parameter of
 * the request that limits its length. Inferred from the names that most APIs use; the seller should check it.
 */
export type Countable = {
  /** JSON Pointer to the list in the response; '' when the response is the list; 1: each success counts as one. */
  units: string | 1;
  unitsMax: number | { pointer: string; default: number; ceiling: number } | null;
  /** Assumptions where the description is silent. */
  doubts: string[];
};

/** Names of a parameter that limits a list, in lower case and without signs. */
const limitNames =
  /^((max|num|numberof|limit)?(results?|items|records|entries|rows|hits|count)|limit|max|maximum|num|n|size|first|top|take|perpage|page(size|limit|length|len)|(results|items|records|entries|rows|hits)perpage)$/;
const ceilingAssumed = 100;
const defaultAssumed = 10;
/** The maximum in the schema of the catalogue. */
const ceilingMax = 1_000_000;

/** Infers how the results of an operation are counted. */
export function find(read: Schema.Reader, found: FoundOperation): Countable {
  const fields = requestFields(read, found);
  const content = contentOf(read, found, fields.some(isPaging));
  if (content.kind === 'one') {
    const { passed } = content;
    const doubts =
      passed === null
        ? []
        : [`each success counts as one: should the items of ${pointerTo(passed)} be counted?`];
    return { units: 1, unitsMax: null, doubts };
  }
  const { list } = content;
  const units = pointerTo(list.name);
  const doubts = list.mayBeMissing
    ? [
        `${units} may be missing from a success: such a response is withheld as it cannot be counted, unless \`uncountable\` says otherwise`,
      ]
    : [];
  const told = DescribedLimit.ofList(prosesOf(read, found, list, fields), wordFor(list, found), found.path);
  const limit = fields.find((field) => isLimit(field, list)) ?? null;
  if (limit !== null) return { units, ...limitedBy(limit, list, told, doubts) };
  return { units, ...unlimited(periodLimit(fields, list, found), list, told, doubts) };
}

type Field = { name: string; schema: Schema.Node; prose: string; isQuery: boolean };
type Limits = { unitsMax: NonNullable<Countable['unitsMax']>; doubts: string[] };

/** A list whose length a field of the request limits. */
function limitedBy(
  { name, schema, prose }: Field,
  list: ResultList,
  told: DescribedLimit.ListLimits,
  before: readonly string[],
): Limits {
  const doubts = [...before];
  const saidUsual = whole(schema.default) === null ? whole(DescribedLimit.defaultOfParameter(prose)) : null;
  const usual = whole(schema.default) ?? saidUsual;
  const stated = maximumOf(schema) ?? whole(list.schema.maxItems);
  const said = whole(DescribedLimit.ofParameter(prose)) ?? whole(told.most);
  const least = Math.max(usual ?? 0, stated === null && said === null ? ceilingAssumed : 1);
  const ceiling = stated ?? Math.max(said ?? 0, least, said === null ? (whole(told.mentioned) ?? 0) : 0);
  if (stated === null && said === null)
    doubts.push(`the largest ${name} is not described: ${ceiling} is assumed`);
  else if (stated === null) doubts.push(`the largest ${name} is ${ceiling} in the words of the description`);
  if (saidUsual !== null)
    doubts.push(`${name} is ${saidUsual} without being sent, in the words of the description`);
  if (usual === null) doubts.push(`what ${name} is without being sent is not described`);
  const isDescribed = stated !== null || said !== null;
  const fallback = Math.min(usual ?? (isDescribed ? ceiling : defaultAssumed), ceiling);
  return { unitsMax: { pointer: pointerTo(name), default: fallback, ceiling }, doubts };
}

/** A list that no field limits one by one. */
function unlimited(
  period: { name: string; most: number } | null,
  list: ResultList,
  told: DescribedLimit.ListLimits,
  before: readonly string[],
): Limits {
  const stated = whole(list.schema.maxItems);
  if (stated !== null) return { unitsMax: stated, doubts: [...before] };
  if (period !== null) {
    const doubt = `at most ${period.most} in one answer, by the largest ${period.name}`;
    return { unitsMax: period.most, doubts: [doubt, ...before] };
  }
  const said = whole(told.most);
  if (said !== null)
    return {
      unitsMax: said,
      doubts: [`at most ${said} in one answer, in the words of the description`, ...before],
    };
  // A number beside the name of the list may be its length, or a part of it: it can only raise the assumption.
  const most = Math.max(ceilingAssumed, whole(told.mentioned) ?? 0);
  return {
    unitsMax: most,
    doubts: [`no limit is described: at most ${most} in one answer is assumed`, ...before],
  };
}

/** Returns true for a parameter of a URL that limits a page: its response is a list. */
function isPaging({ name, schema, isQuery }: Field): boolean {
  return isQuery && isNumber(schema) && limitNames.test(plain(name));
}

function isNumber(schema: Schema.Node): boolean {
  return Schema.isType(schema, 'integer') || Schema.isType(schema, 'number');
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isLimit({ name, schema }: Field, list: ResultList): boolean {
  if (!isNumber(schema)) return false;
  const own = plain(list.name);
  const names = own === '' ? [] : ['', 'max', 'num', 'numberof', 'limit'].map((start) => `${start}${own}`);
  return limitNames.test(plain(name)) || names.includes(plain(name)) || isCountOf(name, list);
}

/** `forecast_days` for the list `days`. */
function isCountOf(name: string, { name: list }: ResultList): boolean {
  return DescribedLimit.periodsIn(name, list, '') === 1;
}

/** Returns the length of the list by the maximum of a longer period, such as 15 `days` for a list of hours. */
function periodLimit(
  fields: readonly Field[],
  { name }: ResultList,
  { path }: FoundOperation,
): { name: string; most: number } | null {
  for (const { name: parameter, schema, prose } of fields) {
    const each = DescribedLimit.periodsIn(parameter, name, path);
    const stated = maximumOf(schema);
    const most = stated ?? whole(DescribedLimit.ofParameter(prose));
    if (each !== null && most !== null) return { name: parameter, most: Math.min(most * each, ceilingMax) };
  }
  return null;
}

/** Returns the parameters in the query, then the fields of the body. */
function requestFields(read: Schema.Reader, { parameters, operation }: FoundOperation): Field[] {
  const query = parameters
    .map(read)
    .filter((one) => one.in === 'query')
    .map(({ name, schema, description }) =>
      field(String(name), read(schema), Schema.text(description), true),
    );
  const body = Object.entries(Schema.node(bodySchema(read, operation.requestBody).properties));
  return [...query, ...body.map(([name, value]) => field(name, read(value), '', false))];
}

function field(name: string, schema: Schema.Node, prose: string, isQuery: boolean): Field {
  return { name, schema, prose: `${prose}\n${Schema.text(schema.description)}`, isQuery };
}

function prosesOf(
  read: Schema.Reader,
  { operation }: FoundOperation,
  { schema }: ResultList,
  fields: readonly Field[],
): string[] {
  const responses = Object.entries(Schema.node(operation.responses)).filter(([status]) => /^2/.test(status));
  return [
    Schema.text(operation.summary),
    Schema.text(operation.description),
    Schema.text(schema.description),
    ...responses.map(([, response]) => Schema.text(read(response).description)),
    ...fields.map(({ prose }) => prose),
  ];
}

/** The word for the items: the name of the list, or the last fixed part of the path. */
function wordFor({ name }: ResultList, { path }: FoundOperation): string {
  return (
    name ||
    (path
      .split('/')
      .filter((segment) => !segment.includes('{'))
      .at(-1) ??
      '')
  );
}

function maximumOf({ maximum, exclusiveMaximum, enum: choices }: Schema.Node): number | null {
  const beyond = whole(exclusiveMaximum);
  const largest = Math.max(0, ...Schema.list(choices).map((choice) => whole(choice) ?? 0));
  return whole(maximum) ?? (beyond !== null && beyond > 1 ? beyond - 1 : null) ?? whole(largest);
}

function pointerTo(name: string): string {
  return name === '' ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Math.min(Number(value), ceilingMax) : null;
}
