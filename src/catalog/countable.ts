import * as Schema from '../advisor/schema.ts';

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
/** What the schema of the catalogue takes. */
const ceilingMax = 1_000_000;

/** How the results of an operation are counted; null where each success is one. `parameters` are those of its path as well. */
export function find(
  read: Schema.Reader,
  operation: Schema.Node,
  parameters: readonly unknown[],
  path: string,
): Countable | null {
  const units = listIn(read, operation, path);
  if (units === null) return null;
  const limit =
    queryLimit(read, parameters) ??
    limitOf(read, Object.entries(Schema.node(schemaOf(read, operation.requestBody).properties)));
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

type Limit = { name: string; schema: Schema.Node };

function queryLimit(read: Schema.Reader, parameters: readonly unknown[]): Limit | null {
  const query = parameters.map(read).filter((one) => one.in === 'query');
  return limitOf(
    read,
    query.map(({ name, schema }) => [String(name), schema]),
  );
}

function limitOf(read: Schema.Reader, fields: readonly (readonly [string, unknown])[]): Limit | null {
  for (const [name, value] of fields) {
    const schema = read(value);
    if (limitNames.test(name) && (Schema.isType(schema, 'integer') || Schema.isType(schema, 'number')))
      return { name, schema };
  }
  return null;
}

/** The pointer to the list that a success carries. */
function listIn(read: Schema.Reader, operation: Schema.Node, path: string): string | null {
  const responses = Schema.node(operation.responses);
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? 'default';
  const schema = schemaOf(read, responses[success]);
  if (Schema.isType(schema, 'array')) return '';
  const lists = Object.entries(Schema.node(schema.properties))
    .filter(([, value]) => Schema.isType(read(value), 'array'))
    .map(([name]) => name);
  const last = path.split('/').at(-1) ?? '';
  const likely = [...listNames, last].find((name) => lists.includes(name));
  const name = likely ?? (lists.length === 1 && !last.startsWith('{') ? lists[0] : undefined);
  return name === undefined ? null : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The schema of what a request or a response carries as JSON. */
function schemaOf(read: Schema.Reader, carrier: unknown): Schema.Node {
  const content = Schema.node(read(carrier).content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name)) ?? Object.keys(content)[0];
  return type === undefined ? {} : read(read(content[type]).schema);
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Math.min(Number(value), ceilingMax) : null;
}
