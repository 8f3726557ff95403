import * as JsonPointer from '../kernel/json-pointer.ts';

/**
 * What an OpenAPI description tells of how much an operation gives: where the list stands in its answer, and where a request says how long
 * that list may become. Guesses by the names that most APIs use; whoever sells looks them over.
 */
export type Countable = {
  /** JSON Pointer to the list in the answer; '' where the answer is the list. */
  units: string;
  unitsMax: number | { pointer: string; default: number; ceiling: number };
  /** What was not said and had to be assumed. */
  doubts: string[];
};

export type Members = Readonly<Record<string, unknown>>;

/** In which of several lists of an answer the results are, the likeliest first. */
const listNames = [
  'results',
  'items',
  'data',
  'records',
  'entries',
  'hits',
  'list',
  'rows',
  'values',
  'content',
];
const limitNames = /^(max_?results|limit|per_?page|page_?size|size|first|top|\$top|count|num|rows|take)$/i;
const ceilingAssumed = 100;
const defaultAssumed = 10;
const refsMax = 20;
/** What the schema of the catalogue takes. */
const ceilingMax = 1_000_000;

/** The members that a value of the document has, with its references within the document followed; none where it has none. */
export function members(document: Members, value: unknown): Members {
  let current = value;
  for (let refs = 0; refs < refsMax; refs++) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return {};
    const { $ref } = current as Members;
    if (typeof $ref !== 'string') return current as Members;
    const pointer = $ref.startsWith('#') ? JsonPointer.parse($ref.slice(1)) : null;
    current = pointer === null ? null : JsonPointer.resolve(document, pointer);
  }
  return {};
}

/** How the results of an operation are counted; null where each success is one. `parameters` are those of its path as well. */
export function find(
  document: Members,
  operation: Members,
  parameters: readonly unknown[],
  path: string,
): Countable | null {
  const units = list(document, operation, path);
  if (units === null) return null;
  const limit =
    queryLimit(document, parameters) ??
    limitOf(Object.entries(properties(document, schemaOf(document, operation.requestBody))), document);
  if (limit === null) {
    const doubts = [`no limit is described: at most ${ceilingAssumed} in one answer is assumed`];
    return { units, unitsMax: ceilingAssumed, doubts };
  }
  const doubts: string[] = [];
  const { maximum, default: usual } = limit.schema;
  const ceiling = whole(maximum) ?? Math.max(ceilingAssumed, whole(usual) ?? 0);
  if (whole(maximum) === null)
    doubts.push(`the largest ${limit.name} is not described: ${ceiling} is assumed`);
  if (whole(usual) === null) doubts.push(`what ${limit.name} is without being sent is not described`);
  const pointer = `/${limit.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const fallback = Math.min(whole(usual) ?? (maximum === undefined ? defaultAssumed : ceiling), ceiling);
  return { units, unitsMax: { pointer, default: fallback, ceiling }, doubts };
}

type Limit = { name: string; schema: Members };

function queryLimit(document: Members, parameters: readonly unknown[]): Limit | null {
  const query = parameters
    .map((parameter) => members(document, parameter))
    .filter((one) => one.in === 'query');
  return limitOf(
    query.map(({ name, schema }) => [String(name), schema]),
    document,
  );
}

function limitOf(fields: readonly (readonly [string, unknown])[], document: Members): Limit | null {
  for (const [name, value] of fields) {
    const schema = members(document, value);
    const type = [schema.type].flat();
    if (limitNames.test(name) && (type.includes('integer') || type.includes('number')))
      return { name, schema };
  }
  return null;
}

/** The pointer to the list that a success carries. */
function list(document: Members, operation: Members, path: string): string | null {
  const responses = members(document, operation.responses);
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? 'default';
  const schema = schemaOf(document, responses[success]);
  if ([schema.type].flat().includes('array')) return '';
  const lists = Object.entries(properties(document, schema))
    .filter(([, value]) => [members(document, value).type].flat().includes('array'))
    .map(([name]) => name);
  const last = path.split('/').at(-1) ?? '';
  const likely = [...listNames, last].find((name) => lists.includes(name));
  const name = likely ?? (lists.length === 1 && !last.startsWith('{') ? lists[0] : undefined);
  return name === undefined ? null : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The schema of what a request or a response carries as JSON. */
function schemaOf(document: Members, carrier: unknown): Members {
  const content = members(document, members(document, carrier).content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name)) ?? Object.keys(content)[0];
  return type === undefined ? {} : members(document, members(document, content[type]).schema);
}

function properties(document: Members, schema: Members): Members {
  const parts = Array.isArray(schema.allOf) ? schema.allOf.map((part) => members(document, part)) : [];
  return Object.assign({}, ...[schema, ...parts].map((part) => members(document, part.properties)));
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Math.min(Number(value), ceilingMax) : null;
}
